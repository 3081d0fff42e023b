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
      "2.2.5/pairs.h5", "2.2.5/sequences.h5", "2.2.5/images.h5", "2.2.5/images_2.h5",
      "2.2.5/blocks.h5", "2.15.0/pairs.h5", "2.15.0/sequences.h5", "2.15.0/images.h5",
      "2.15.0/images_2.h5", "2.15.0/blocks.h5", "3.15.1/pairs.keras", "3.15.1/images.keras",
    ])
  func golden(name: String) throws {
    let path = sample(name)
    let (text, error) = try proposal(path)
    #expect(!text.contains("\"...\""), "each function of the file is understood")
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

  @Test(
    "A function that is not understood is not proposed, and the error says what it is that is not",
    arguments: ["2.2.5/refused.h5", "2.15.0/refused.h5"])
  func refused(name: String) throws {
    let (text, error) = try proposal(sample(name))
    let mapping = try #require(try JSONValue(parsing: Array(text.utf8)).object)
    let layers = try #require(mapping["layers"]?.object)
    #expect(layers.keys.count == 6)
    for key in layers.keys {
      #expect(layers[key] == .object(["class_name": "...", "config": .object([:])]), "\(key)")
    }
    let reasons = [
      "refused_0 (Lambda), takes float32 [batch, 4, 6, 4], a function without a name: x * OFFSET",
      "because it uses OFFSET, whose value the file does not have", "because it has a condition",
      "because it calls append and does not use what that returns",
      "because it calls K.random_normal, which draws random numbers",
      "because it has a variable that it shares with a function inside it",
      "because it calls other, which the file does not have",
    ]
    for reason in reasons { #expect(error.reason.contains(reason), "\(reason)") }
  }

  @Test("Values of defaults and of the enclosing function are shown with the proposal")
  func values() throws {
    let reason = try proposal(sample("2.15.0/images.h5")).error.reason
    #expect(reason.contains("images_6: factor is 3.0, which the file has beside the function"))
    #expect(reason.contains("images_7: limit is 0.75, which the file has beside the function"))
    #expect(reason.contains("images_11: K.epsilon() is taken as 1e-7, Keras' default"))
  }

  @Test(
    "A proposal that was edited wrongly is an error with its place",
    arguments: [
      ("tf.math.subtract", "tf.math.subtrakt", "layers.pairs_0[0].function is"),
      (
        "\"name\": \"subtract\"", "\"name\": \"minus\"",
        "layers.pairs_0[1].inputs refers to \"subtract\""
      ),
      ("\"axis\": 1", "\"axis\": \"last\"", "axis=\"last\", expected whole numbers"),
      ("\"input[0]\"", "\"input\"", "reads \"input\" of a layer with 2 inputs"),
      (
        "\"function\": \"keras.backend.abs\"", "\"function\": 3",
        "layers.pairs_0[1].function is a number"
      ),
      ("\"function\": \"keras.backend.abs\",", "", "nor a \"function\""),
      ("input[1]", "input[2]", "number 2, counted from 0, and the layer has 2 inputs"),
      ("\"axis\": 1", "\"axes\": 1", "is called with axes=1"),
      ("\"axis\": 1", "\"axis\": 9", "layers.pairs_1[2]: "),
      ("\"keepdims\": true", "\"keepdims\": \"yes\"", "keepdims=\"yes\", expected true or false"),
    ])
  func edited(_ written: String, _ edited: String, _ message: String) throws {
    let path = sample("2.15.0/pairs.h5")
    let text = try proposal(path).text
    #expect(text.contains(written))
    let error = failure { _ = try model(path, mapping: text.replacing(written, with: edited)) }
    #expect(error?.description.contains(message) == true, "\(error as Any)")
  }
}
