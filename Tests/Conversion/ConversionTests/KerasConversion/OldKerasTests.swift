import TestSupport
import Testing
import Weighbridge

/// One model by an old version of Keras, with inputs and what that version computed.
struct OldKerasCase: CustomTestStringConvertible, Sendable {
  /// The folder: version and backend.
  let writer: String
  let name: String

  var testDescription: String { "\(writer)/\(name)" }

  /// Whether the architecture stands in a file of its own.
  var hasArchitecture: Bool {
    Files.names(in: Paths.sample("Keras/\(writer)")).contains("\(name).json")
  }

  func path(_ suffix: String) -> String { Paths.sample("Keras/\(writer)/\(name).\(suffix)") }

  /// All cases, sorted.
  static let all: [OldKerasCase] = Files.names(in: Paths.sample("Keras"))
    .filter { $0.contains("-") }
    .flatMap { writer in
      Files.names(in: Paths.sample("Keras/\(writer)")).filter { $0.hasSuffix(".h5") }.map {
        OldKerasCase(writer: writer, name: String($0.dropLast(3)))
      }
    }
}

/// What models of Keras 1, and of Keras 2 on all its backends, compute, against what their writers computed.
@Suite struct OldKerasTests {
  @Test("There are at least 150 recorded models")
  func caseCount() { #expect(OldKerasCase.all.count >= 150) }

  /// Models that are refused, and a part of the reason.
  private static let refused = [
    "2.2.4-cntk/average3d_same": "strides=[2, 3, 2] with padding=same, which CNTK pads by",
    "2.2.4-cntk/conv_lstm": "gives the cell's state in place of its output",
    "2.2.4-cntk/depthwise2d_even": "which CNTK computes wrongly in groups",
    "2.2.4-cntk/gru_lstm": "gives the cell's state in place of its output",
  ]

  @Test(
    "A model whose writer computed something else because of a bug or a peculiarity is refused",
    arguments: refused.keys.sorted())
  func refusal(_ name: String) throws {
    let error = failure { _ = try Model(contentsOf: Paths.sample("Keras/\(name).h5")) }
    #expect(error?.code == .unsupported)
    #expect(error?.reason.contains(Self.refused[name] ?? "") == true, "\(error as Any)")
  }

  @Test("Equal names whose flags are not in the file are told apart by numbers, which is said")
  func equalNames() throws {
    let model = try Model(contentsOf: Paths.sample("Keras/2.2.4-tensorflow/nested_equal_names.h5"))
    let decisions = model.content.provenance.decisions.map(\.text)
    #expect(decisions.contains { $0.hasPrefix("Several layers in it have the same name") })
    var options = ReadOptions()
    options.strict = true
    let error = failure {
      _ = try Model(
        contentsOf: Paths.sample("Keras/2.2.4-tensorflow/nested_equal_names.h5"), options: options)
    }
    #expect(error?.code == .unsupported)
    #expect(error?.reason.contains("have the same name") == true, "\(error as Any)")
  }

  @Test(
    "Weights whose names have other numbers than their architecture go by the order of the numbers",
    arguments: [
      ("overlapping", false), ("overlapping_frozen", true), ("frozen", true),
    ])
  func renumbered(name: String, isPresumed: Bool) throws {
    var options = ReadOptions()
    options.architecture = Paths.sample("Keras/2.2.4-tensorflow/weights_apart_\(name).json")
    let weights = Paths.sample("Keras/2.2.4-tensorflow/weights_apart_\(name).h5")
    let texts = try Model(contentsOf: weights, options: options).content.provenance.decisions.map(
      \.text)
    #expect(texts.contains { $0.contains("are taken in ascending order") } == isPresumed)
    options.strict = true
    let error = failure { _ = try Model(contentsOf: weights, options: options) }
    #expect((error != nil) == isPresumed, "\(error as Any)")
  }

  @Test(
    "Weights are refused if neither their names nor shapes nor a stored order say whose they are",
    arguments: ["overlapping", "overlapping_frozen", "frozen"])
  func renamed(name: String) throws {
    let folder = try TemporaryFolder()
    var text = String(
      decoding: try Files.read(Paths.sample("Keras/2.2.4-tensorflow/weights_apart_\(name).json")),
      as: UTF8.self)
    for (number, other) in ["first", "second", "third"].enumerated() {
      #expect(text.contains("\"dense_\(number + 1)\""))
      text.replace("\"dense_\(number + 1)\"", with: "\"\(other)\"")
    }
    try Files.write(text.utf8, to: folder.file("renamed.json"))
    var options = ReadOptions()
    options.architecture = folder.file("renamed.json")
    let error = failure {
      _ = try Model(
        contentsOf: Paths.sample("Keras/2.2.4-tensorflow/weights_apart_\(name).h5"),
        options: options)
    }
    #expect(error?.code == .malformed)
    #expect(
      error?.reason.contains("depends on what in it was frozen when they were saved") == true,
      "\(error as Any)")
  }

  @Test(
    "A model of an old Keras computes what that Keras computed",
    arguments: OldKerasCase.all.filter { refused[$0.testDescription] == nil })
  func agrees(_ sample: OldKerasCase) throws {
    var options = ReadOptions()
    if sample.hasArchitecture { options.architecture = sample.path("json") }
    // Where there are no weights, nothing in a file of Keras 1 says the backend.
    if sample.writer.hasSuffix("theano") { options.kerasBackend = "theano" }
    let model = try Model(contentsOf: sample.path("h5"), options: options)
    let inputs = try ArrayFile.read(sample.path("inputs.npz"))
    let wanted = try ArrayFile.read(sample.path("outputs.npz"))
    let outputs = try model.run(inputs).outputs
    #expect(outputs.count == wanted.count)
    // Theano widens some products.
    if !sample.writer.hasSuffix("theano") {
      #expect(outputs.map(\.tensor.elementType) == wanted.map(\.tensor.elementType))
    }
    let isNarrow = wanted.contains { $0.tensor.elementType == .float16 }
    let tolerance = isNarrow ? 1e-3 : 1e-5  // a unit in the last place
    for distance in distances(actual: outputs, expected: wanted) {
      #expect(distance.isWithin(absolute: tolerance, relative: tolerance), "\(distance)")
    }
  }
}
