import Foundation
import GraphIR
import TestSupport
import Testing
import Weighbridge

/// The faults that were found, in the table of `Samples/README.md`: each has a sample and a test.
@Suite struct FindingTests {
  /// A row of the table.
  private struct Row {
    let faults, samples, tests: [String]
  }

  private static func rows() throws -> [Row] {
    let text = String(decoding: try Files.read(Paths.sample("README.md")), as: UTF8.self)
    return text.split(separator: "\n").filter { $0.hasPrefix("| ") }.dropFirst().map { line in
      let cells = line.split(separator: "|").map { cell in
        cell.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
      }
      return Row(faults: cells[0], samples: cells[1], tests: cells[2])
    }
  }

  @Test("Each sample and each test of the table exists")
  func table() throws {
    let rows = try Self.rows()
    #expect(rows.count >= 35)
    let sources = FileManager.default.enumerator(atPath: "\(Paths.project)/Tests")
    let names = Set(
      (sources?.compactMap { $0 as? String } ?? []).map { ($0 as NSString).lastPathComponent })
    for row in rows {
      #expect(!row.faults.isEmpty && !row.samples.isEmpty && !row.tests.isEmpty)
      for sample in row.samples { _ = try Files.read(Paths.sample(sample)) }
      for test in row.tests { #expect(names.contains("\(test).swift"), "\(test)") }
    }
  }

  /// The folders of forms of ONNX that were not read, which were no faults.
  private static let forms: Set = [
    "onnx-attention23", "onnx-groupnorm18", "onnx-lstm-peepholes", "onnx-ops-missing",
    "onnx-opset6", "onnx-split-open",
  ]

  @Test(
    "The table has each fault of the reference files",
    .enabled(if: !models.isEmpty, "\(Fixtures.skipReason)"))
  func complete() throws {
    let faults = try Self.rows().flatMap(\.faults)
    #expect(Set(faults).count == faults.count)
    #expect(Set(faults) == Set(Fixtures.folders(in: "findings")).subtracting(Self.forms))
  }

  /// The folders with a model, by their paths in `findings`.
  private static let models: [String] = Fixtures.folders(in: "findings").flatMap { fault in
    let inner = Fixtures.folders(in: "findings/\(fault)")
    return inner.isEmpty ? [fault] : inner.map { "\(fault)/\($0)" }
  }

  /// Models that do not say what they compute, and what is said of them.
  private static let unsaid = [
    "lambda-proposals/closure": "uses eps, whose value the file does not have",
    "rnn-constant-state/17173-const-initial-state": "a constant as initial_state",
    "shared-layer-keras-3.2/19326-shared-submodels-k320": "Keras 3.2.0 and 3.2.1 write",
    "shared-layer-keras-3.2/shared-layer-k320": "Keras 3.2.0 and 3.2.1 write",
    "shared-layer-keras-3.2/siamese-shared-k320-h5": "Keras 3.2.0 and 3.2.1 write",
  ]

  /// Models of which something is taken to be meant, and a part of the decision that says so.
  private static let stated = [
    "darknet-unknown-keys": "learning_rate_poly_power=4",
    "upsampling-interpolation-not-stored/7085-upsampling-tf": "is taken to be nearest",
  ]

  @Test(
    "What is taken to be meant is stated, and an error if the reading is strict",
    .enabled(if: !models.isEmpty, "\(Fixtures.skipReason)"), arguments: stated.keys.sorted())
  func decided(_ name: String) throws {
    let (path, text) = (try Self.file(name), try #require(Self.stated[name]))
    var options = ReadOptions()
    options.randomWeights = path.hasSuffix(".cfg") ? 1 : nil
    let decisions = try Model(contentsOf: path, options: options).provenance.decisions
    #expect(decisions.contains { $0.text.contains(text) }, "\(decisions)")
    options.strict = true
    let error = failure { _ = try Model(contentsOf: path, options: options) }
    #expect(error?.reason.contains(text) == true, "\(error as Any)")
  }

  /// The file of a model, without those of its weights or architecture.
  private static func file(_ name: String) throws -> String {
    let folder = Fixtures.file("findings/\(name)")
    let file = Files.names(in: folder).first {
      $0.hasPrefix("model.") && !$0.hasSuffix(".json") && !$0.hasSuffix(".weights")
    }
    return "\(folder)/\(try #require(file))"
  }

  @Test(
    "What no model says is refused",
    .enabled(if: !models.isEmpty, "\(Fixtures.skipReason)"),
    arguments: unsaid.keys.sorted())
  func refused(_ name: String) throws {
    let path = try Self.file(name)
    let error = failure { _ = try Model(contentsOf: path) }
    #expect(error?.reason.contains(Self.unsaid[name] ?? "-") == true, "\(error as Any)")
  }

  @Test(
    "A model on which a fault was found computes what its framework computed, with both engines",
    .enabled(if: !models.isEmpty, "\(Fixtures.skipReason)"),
    arguments: models.filter { unsaid[$0] == nil && stated[$0] == nil }, Engine.ofInstructionSet)
  func right(_ name: String, _ engine: Engine) throws {
    let path = try Self.file(name)
    let folder = try TemporaryFolder()
    var options = ReadOptions()
    if name.hasPrefix("lambda-proposals/") {
      let error = try #require(failure { _ = try Model(contentsOf: path) })
      let start = try #require(error.reason.range(of: "{\n")).lowerBound
      try Files.write(error.reason[start...].utf8, to: folder.file("custom.json"))
      options.customLayers = folder.file("custom.json")
    }
    let model = try Model(contentsOf: path, options: options)
    var run = RunOptions()
    run.engine = engine
    let inputs = try ArrayFile.read(Fixtures.file("findings/\(name)/inputs.npz"))
    let expected = try ArrayFile.read(Fixtures.file("findings/\(name)/outputs.npz"))
    let outputs = try model.run(inputs, options: run).outputs
    #expect(outputs.map(\.tensor.elementType) == expected.map(\.tensor.elementType))
    let isHalf = expected.contains { $0.tensor.elementType == .float16 }
    let tolerance = isHalf ? 2e-3 : 1e-5
    for distance in distances(actual: outputs, expected: expected) {
      #expect(distance.isWithin(absolute: tolerance, relative: tolerance), "\(distance)")
    }
  }
}
