import Foundation
import JSON
import TestSupport
import Testing
import Weighbridge

/// What is proposed for Lambda layers from their stored code.
@Suite struct LambdaProposalTests {
  private func sample(_ name: String) -> String { Paths.sample("Custom/Lambda/\(name)") }

  /// The file for custom layers that the error about a model shows.
  private func proposal(_ path: String) throws -> (text: String, error: WeighbridgeError) {
    let error = try #require(failure { _ = try Model(contentsOf: path) })
    #expect(error.code == .unsupported)
    let start = try #require(error.reason.range(of: "{\n"))
    return (String(error.reason[start.lowerBound...]), error)
  }

  private func model(_ path: String, mapping: String) throws -> Model {
    let folder = try TemporaryFolder()
    try Files.write(mapping.utf8, to: folder.file("custom.json"))
    var options = ReadOptions()
    options.customLayers = folder.file("custom.json")
    return try Model(contentsOf: path, options: options)
  }

  @Test(
    "The file that is proposed makes the model compute what its own Keras computed",
    arguments: [
      "2.0.8/steering.h5", "2.0.8/chain.h5", "2.0.8/resized.h5", "2.15.0/steering.h5",
      "2.15.0/chain.h5", "2.15.0/scaled.h5", "3.15.0/steering.keras", "3.15.0/chain.keras",
    ])
  func golden(name: String) throws {
    let path = sample(name)
    let (text, error) = try proposal(path)
    #expect(
      error.reason.contains("Check it, save it as custom.json and add `ReadOptions.customLayers`"))
    let base = path.replacing(/\.(h5|keras)$/, with: "")
    let outputs = try model(path, mapping: text).run(ArrayFile.read("\(base).inputs.npz")).outputs
    let wanted = try ArrayFile.read("\(base).outputs.npz")
    for distance in distances(actual: outputs, expected: wanted) {
      #expect(distance.isWithin(absolute: 1e-5, relative: 1e-5), "\(distance)")
    }
  }

  @Test(
    "The error says what the layer takes and computes, and for which layers a mapping is proposed")
  func message() throws {
    let (_, error) = try proposal(sample("2.0.8/steering.h5"))
    #expect(
      error.reason.contains(
        "#0 lambda_1 (Lambda), takes float32 [batch, 16, 32, 3], a function without a name: x / 127.5 - 1.0"
      ))
    #expect(
      error.reason.contains(
        "Proposed for lambda_1 from its stored code, which was read and not run."))
    let resized = try proposal(sample("2.0.8/resized.h5")).error.reason
    #expect(
      resized.contains(
        "(Lambda), takes float32 [batch, 5, 9, 3], a function without a name: (x - 128) / 64.0"))
    #expect(resized.contains("function resize: tensorflow.image.resize_images(image, (5, 9))"))
  }
}
