import Foundation
import TestSupport
import Testing
import Weighbridge

/// Layers of somebody's own that have layers of Keras inside.
@Suite struct LayersOfLayersTests {
  private func sample(_ name: String) -> String { Paths.sample("Custom/Blocks/\(name)") }

  private func read(_ name: String, mapping: String?, keeps: Bool = false) throws -> Model {
    let folder = try TemporaryFolder()
    var options = ReadOptions()
    options.keepUnknown = keeps
    if let mapping {
      try Files.write(mapping.utf8, to: folder.file("custom.json"))
      options.customLayers = folder.file("custom.json")
    }
    return try Model(contentsOf: sample(name), options: options)
  }

  private func expectGolden(_ name: String, mapping: String?) throws {
    let base = sample(name).replacing(/\.(h5|keras)$/, with: "")
    let outputs = try read(name, mapping: mapping).run(ArrayFile.read("\(base).inputs.npz")).outputs
    let wanted = try ArrayFile.read("\(base).outputs.npz")
    for distance in distances(actual: outputs, expected: wanted) {
      #expect(distance.isWithin(absolute: 1e-5, relative: 1e-5), "\(name): \(distance)")
    }
  }

  @Test(
    "keras.io's transformer computes what its own code computed",
    arguments: [
      "2.15.0/transformer.h5", "2.15.0/transformer.keras", "2.15.0/first_version.h5",
      "2.15.0/first_version.keras", "3.15.0/transformer.h5", "3.15.0/transformer.keras",
    ])
  func transformer(name: String) throws {
    try expectGolden(name, mapping: nil)
    let decisions = try read(name, mapping: nil).provenance.decisions
    #expect(
      decisions.contains { $0.layer == "block" && $0.text.contains("keras.io's TransformerBlock") })
  }

  @Test(
    "A transformer without settings gets a mapping proposed from its weights",
    arguments: ["h5", "keras"])
  func bareTransformer(container: String) throws {
    let error = try #require(failure { _ = try read("2.15.0/bare.\(container)", mapping: nil) })
    let start = try #require(error.reason.range(of: "{\n"))
    try expectGolden("2.15.0/bare.\(container)", mapping: String(error.reason[start.lowerBound...]))
    // Nothing in the file says how many heads the first version has.
    let first = "2.15.0/bare_first_version.\(container)"
    let other = try #require(failure { _ = try read(first, mapping: nil) })
    #expect(other.reason.contains("write how many heads it has"))
    let template = try #require(other.reason.range(of: "{\n")).lowerBound
    try expectGolden(
      first, mapping: other.reason[template...].replacingOccurrences(of: "\"...\"", with: "2"))
  }

  /// The steps of `Mixer`, with the paths of the newer layout.
  private let mixer = #"""
    {"classes": {"Mixer": {"steps": [
      {"name": "scores", "class_name": "Dense", "inputs": ["input"], "sublayer": "scorer",
       "config": {"units": "$settings.units", "activation": "tanh"}},
      {"name": "dense", "class_name": "Dense", "inputs": ["input"], "sublayer": "*/dense",
       "config": {"units": "$settings.units"}},
      {"name": "lstm", "class_name": "LSTM", "sublayer": "body/layers/lstm",
       "config": {"units": "$settings.units", "activation": "tanh", "recurrent_activation": "sigmoid",
                  "return_sequences": true}},
      {"name": "product", "class_name": "Multiply", "inputs": ["scores", "lstm"]},
      {"class_name": "Add", "inputs": ["product", "$weights.vars/0"]}]}}}
    """#

  @Test(
    "A mapping names sub-layers by their paths",
    arguments: ["2.15.0/mixer.keras", "3.15.0/mixer.keras"])
  func sublayers(name: String) throws { try expectGolden(name, mapping: mixer) }

  @Test("A wrapper is mapped to the layer among its settings", arguments: ["2.15.0", "3.15.0"])
  func wrapper(version: String) throws {
    let mapping = #"{"classes": {"QuantizeAnnotate": {"layer": "$settings.layer"}}}"#
    for container in ["h5", "keras"] {
      let name = "\(version)/wrapped.\(container)"
      let error = try #require(failure { _ = try read(name, mapping: nil) })
      let start = try #require(error.reason.range(of: "{\n"))
      #expect(error.reason.contains(#""layer": "$settings.layer""#))
      try expectGolden(name, mapping: mapping)
      try expectGolden(name, mapping: String(error.reason[start.lowerBound...]))
    }
  }

  @Test("The error lists the weights of sub-layers by their paths")
  func message() throws {
    let error = try #require(failure { _ = try read("3.15.0/mixer.keras", mapping: nil) })
    #expect(
      error.reason.contains(
        "weights vars/0 [4], body/layers/dense/vars/0 [4, 4], body/layers/dense/vars/1 [4], "
          + "body/layers/lstm/cell/vars/0 [4, 16], body/layers/lstm/cell/vars/1 [4, 16], "
          + "body/layers/lstm/cell/vars/2 [16], scorer/vars/0 [4, 4], scorer/vars/1 [4]"))
    #expect(error.reason.contains(#""sublayer": "body/layers/lstm""#))
  }

  @Test(
    "A sub-layer that is not there, or weights that no step takes, are errors",
    arguments: [
      (
        #""scorer""#, #""scorrer""#,
        "no sub-layer is called scorrer; those with weights that no step took are body"
      ),
      (#""*/dense""#, #""*""#, "the step does not take all weights of body: left are"),
      (#""$weights.vars/0""#, #""dense""#, "a surplus weight of shape [4]"),
      (
        #""units": "$settings.units", "activation": "tanh", "rec"#,
        #""units": 3, "activation": "tanh", "rec"#, "has the shape [4, 16]"
      ),
    ])
  func wrong(old: String, new: String, message: String) throws {
    let error = failure {
      _ = try read("3.15.0/mixer.keras", mapping: mixer.replacing(old, with: new))
    }
    #expect(error?.description.contains(message) == true, "\(error as Any)")
  }

  @Test(
    "A kept layer keeps its sub-layers' weights under their paths",
    arguments: ["2.15.0/mixer.keras", "3.15.0/mixer.keras"])
  func kept(name: String) throws {
    let mapping = #"{"layers": {"mixer": {"keep": true, "output_shapes": [[null, 3, 4]]}}}"#
    let folder = try TemporaryFolder()
    try read(name, mapping: mapping).write(to: folder.file("kept.wbm"))
    let stored = try Model(contentsOf: folder.file("kept.wbm"))
    #expect(try stored.verify().passed)
    let names = stored.content.graph.weights.map(\.name)
    #expect(names.contains("mixer/body/layers/lstm/cell/vars/1"), "\(names)")
    #expect(names.contains("mixer/scorer/vars/0"))
    let plain = failure { _ = try read("2.15.0/mixer.keras", mapping: nil, keeps: true) }
    #expect(
      plain?.reason.contains(#"{"layers":{"mixer":{"keep":true,"output_shapes":[[null,3,4]]}}}"#)
        == true)
  }
}
