import Foundation
import JSON
import TestSupport
import Testing
import Weighbridge

/// Lambda layers with one function each, as people write them (`single.py` of `Samples/Custom`).
@Suite struct SingleLambdaTests {
  /// A recorded model, and the layers of it for which nothing is proposed.
  struct Recording: Sendable, CustomTestStringConvertible {
    let name: String
    let count: Int
    let unproposed: Set<String>
    var testDescription: String { name }

    static let all = [
      Recording(name: "2.15.0/single_pairs.h5", count: 15, unproposed: ["sampled"]),
      Recording(name: "2.15.0/single_images_1.h5", count: 20, unproposed: []),
      Recording(name: "2.15.0/single_images_2.h5", count: 20, unproposed: []),
      Recording(
        name: "2.15.0/single_images_3.h5", count: 13,
        unproposed: ["cooled", "by_format", "by_another", "by_parts", "mapped"]),
      Recording(name: "3.15.1/single_pairs.keras", count: 5, unproposed: []),
      Recording(name: "3.15.1/single_images_1.keras", count: 12, unproposed: ["cooled"]),
    ]
  }

  @Test("Of 68 functions of Keras 2.15, 62 get a proposal, and of 17 of Keras 3.15, 16")
  func share() {
    let (old, new) = (
      Recording.all.filter { $0.name.hasPrefix("2.") },
      Recording.all.filter { $0.name.hasPrefix("3.") }
    )
    #expect(old.map(\.count).reduce(0, +) == 68)
    #expect(old.map(\.unproposed.count).reduce(0, +) == 6)
    #expect(new.map(\.count).reduce(0, +) == 17)
    #expect(new.map(\.unproposed.count).reduce(0, +) == 1)
  }

  @Test("No proposal computes something else than the function", arguments: Recording.all)
  func proposals(_ recording: Recording) throws {
    let path = Paths.sample("Custom/Lambda/\(recording.name)")
    let error = try #require(failure { _ = try Model(contentsOf: path) })
    let start = try #require(error.reason.range(of: "{\n")).lowerBound
    let text = String(error.reason[start...])
    let layers = try #require(
      try JSONValue(parsing: Array(text.utf8)).object?["layers"]?.object)
    let template = JSONValue.object(["class_name": "...", "config": .object([:])])
    #expect(layers.keys.count == recording.count)
    #expect(Set(layers.keys.filter { layers[$0] == template }) == recording.unproposed)

    // The rest of the model runs with some layer in place of those.
    let isPair = recording.name.contains("pairs")
    let mapping = text.replacing("\"...\"", with: isPair ? "\"Add\"" : "\"Identity\"")
    let folder = try TemporaryFolder()
    try Files.write(mapping.utf8, to: folder.file("custom.json"))
    var options = ReadOptions()
    options.customLayers = folder.file("custom.json")
    let model = try Model(contentsOf: path, options: options)
    let base = path.replacing(/\.(h5|keras)$/, with: "")
    let expected = try ArrayFile.read("\(base).outputs.npz").filter {
      !recording.unproposed.contains($0.name)
    }
    #expect(expected.count == recording.count - recording.unproposed.count)
    let outputs = try model.run(ArrayFile.read("\(base).inputs.npz")).outputs
    for wanted in expected {
      let made = try #require(outputs[wanted.name], "\(wanted.name)")
      #expect(made.type == wanted.tensor.type, "\(wanted.name)")
      let distance = Distance(actual: made, expected: wanted.tensor)
      #expect(
        distance.isWithin(absolute: 1e-5, relative: 1e-5), "\(wanted.name): \(distance)")
    }
  }
}
