import Foundation
import TestSupport
import Testing
import Weighbridge

/// A graph of TensorFlow's operators in `Samples/TensorFlow/graphs`, in every form that was recorded.
struct TensorFlowGraphCase: CustomTestStringConvertible, Sendable {
  /// The version of TensorFlow.
  let writer: String
  let name: String

  var testDescription: String { "\(writer)/\(name)" }
  var folder: String { Paths.sample("TensorFlow/graphs/\(writer)/\(name)") }
  var forms: [String] {
    ["saved_model", "graph.pb", "tfjs"].map { "\(folder)/\($0)" }.filter {
      Files.isFolder($0) || (try? Files.size($0)) != nil
    }
  }

  /// All cases, sorted.
  static let all: [TensorFlowGraphCase] = Files.names(in: Paths.sample("TensorFlow/graphs"))
    .filter { $0.first?.isNumber == true }.flatMap { writer in
      Files.names(in: Paths.sample("TensorFlow/graphs/\(writer)"))
        .map { TensorFlowGraphCase(writer: writer, name: $0) }
    }
}

/// SavedModels that Keras does not describe, frozen graphs and graph models of TensorFlow.js, against
/// what TensorFlow computed of them.
@Suite struct TensorFlowGraphTests {
  private static let images = Paths.sample("TensorFlow/graphs/2.15/images")

  @Test("There are samples of every form by several versions")
  func caseCount() {
    #expect(Set(TensorFlowGraphCase.all.map(\.writer)) == ["1.15", "2.15", "2.21", "2.3"])
    let forms = TensorFlowGraphCase.all.flatMap(\.forms)
    for ending in ["/saved_model", "/graph.pb", "/tfjs"] {
      #expect(forms.count { $0.hasSuffix(ending) } >= 2)
    }
  }

  @Test("Every form computes what TensorFlow did", arguments: TensorFlowGraphCase.all)
  func outputs(_ sample: TensorFlowGraphCase) throws {
    let inputs = try ArrayFile.read("\(sample.folder)/inputs.npz")
    let expected = try ArrayFile.read("\(sample.folder)/outputs.npz")
    #expect(!sample.forms.isEmpty)
    for path in sample.forms {
      let model = try Model(contentsOf: path)
      let outputs = try model.run(inputs).outputs
      #expect(outputs.count == expected.count, "\(path)")
      for distance in distances(actual: outputs, expected: expected) {
        #expect(distance.error <= 1e-5, "\(path): \(distance)")
      }
    }
  }

  @Test("The variables of a SavedModel and the constants of its other forms are the same weights")
  func weights() throws {
    let model = try Model(contentsOf: "\(Self.images)/saved_model")
    let differences = try model.differences(from: Model(contentsOf: "\(Self.images)/graph.pb"))
    #expect(differences.isEmpty, "\(differences.items)")
    #expect(differences.comparedNumbers > 0)
  }

  @Test("Unknown sizes that TensorFlow's optimizer numbered are unknown sizes")
  func numberedSizes() throws {
    let folder = try TemporaryFolder()
    let copy = folder.file("copy")
    try FileManager.default.copyItem(atPath: "\(Self.images)/tfjs", toPath: copy)
    let text = String(decoding: try Files.read("\(copy)/model.json"), as: UTF8.self)
    let changed = text.replacing("\"size\": \"-1\"", with: "\"size\": \"-3\"")
    try #require(changed != text)
    try Files.write(changed.utf8, to: "\(copy)/model.json")
    let outputs = try Model(contentsOf: copy).run(ArrayFile.read("\(Self.images)/inputs.npz"))
      .outputs
    let expected = try ArrayFile.read("\(Self.images)/outputs.npz")
    #expect(!expected.isEmpty)
    for distance in distances(actual: outputs, expected: expected) {
      #expect(distance.error <= 1e-5, "\(distance)")
    }
  }

  @Test("Cubic resizing as TensorFlow 1 had it, and enlargement by other sizes, are refused")
  func resizing() throws {
    for (name, phrase) in [
      ("old_cubic.pb", "half_pixel_centers only"),
      ("other_size.pb", "known only when the model runs"),
    ] {
      let path = Paths.sample("Hostile/tensorflow/\(name)")
      let error = try #require(failure { _ = try Model(contentsOf: path) })
      #expect(error.has(.unsupported, phrase), "\(error)")
    }
  }

  @Test(
    "Variables that the graph does not restore are those of the objects that functions take",
    arguments: ["2.15/images", "2.21/keras", "2.3/images"])
  func captures(_ name: String) throws {
    let folder = try TemporaryFolder()
    let (sample, copy) = (Paths.sample("TensorFlow/graphs/\(name)"), folder.file("copy"))
    try FileManager.default.copyItem(atPath: "\(sample)/saved_model", toPath: copy)
    var bytes = Array(try Files.read("\(copy)/saved_model.pb"))
    // What restores the variables is no operation of the graph any more.
    let restoring = [0x1A, 25] + Array("StatefulPartitionedCall_".utf8)
    let start = try #require(bytes.indices.first { bytes[$0...].starts(with: restoring) })
    bytes[start + 2] = UInt8(ascii: "X")
    try Files.write(bytes, to: "\(copy)/saved_model.pb")
    let outputs = try Model(contentsOf: copy).run(ArrayFile.read("\(sample)/inputs.npz")).outputs
    let expected = try ArrayFile.read("\(sample)/outputs.npz")
    #expect(!expected.isEmpty && outputs.count == expected.count)
    for distance in distances(actual: outputs, expected: expected) {
      #expect(distance.error <= 1e-5, "\(distance)")
    }
  }

  @Test("The provenance has every file that was read")
  func provenance() throws {
    let folder = try TemporaryFolder()
    try Model(contentsOf: "\(Self.images)/saved_model").write(to: folder.file("a.wbm"))
    let sources = try Model(contentsOf: folder.file("a.wbm")).content.provenance.sources
    #expect(
      sources.map(\.fileName) == [
        "saved_model.pb", "variables.index", "variables.data-00000-of-00001",
      ])
  }

  @Test("Loops are refused with all that is in them, and the variables are shown")
  func unsupported() throws {
    let path = Paths.sample("Hostile/tensorflow/loop")
    let error = try #require(failure { _ = try Model(contentsOf: path) })
    #expect(error.has(.unsupported, "operators that cannot be read"), "\(error)")
    for kind in ["TensorListStack", "While"] {
      #expect(error.reason.contains(kind), "\(error)")
    }
    let inspection = try Inspection(of: path)
    #expect(inspection.format == "tensorflow savedmodel")
    #expect(inspection.weightByteCount > 0)
  }

  @Test(
    "Graphs that run forever, in circles or change variables are refused",
    arguments: [
      ("recursion.pb", WeighbridgeError.Code.limitExceeded, "functions within functions"),
      ("cycle.pb", .malformed, "form a cycle"),
      ("old_loop.pb", .unsupported, "Enter, Exit, Merge, NextIteration"),
      ("own_argument.pb", .malformed, "their own arguments"),
      ("missing_node.pb", .malformed, "which no operation gives"),
      ("assign.pb", .unsupported, "changes variables"),
      ("training.pb", .unsupported, "as in training"),
      ("large_constant.pb", .malformed, "too large"),
      ("short_constant.pb", .malformed, "bytes of elements"),
    ])
  func hostile(_ sample: (name: String, code: WeighbridgeError.Code, phrase: String)) throws {
    let path = Paths.sample("Hostile/tensorflow/\(sample.name)")
    let error = try #require(failure { _ = try Model(contentsOf: path) })
    #expect(error.has(sample.code, sample.phrase), "\(error)")
  }
}
