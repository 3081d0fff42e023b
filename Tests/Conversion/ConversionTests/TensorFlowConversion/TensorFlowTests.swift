import Foundation
import TestSupport
import Testing
import Weighbridge

/// A model of `Samples/TensorFlow`, in every form in which TensorFlow wrote it.
struct TensorFlowCase: CustomTestStringConvertible, Sendable {
  /// The version of TensorFlow.
  let writer: String
  let name: String

  var testDescription: String { "\(writer)/\(name)" }
  var folder: String { Paths.sample("TensorFlow/\(writer)/\(name)") }
  var hasSavedModel: Bool { Files.isFolder("\(folder)/saved_model") }

  /// The files of each form, and what is needed to read them.
  var forms: [(path: String, options: ReadOptions)] {
    var options = ReadOptions()
    options.architecture = "\(folder)/architecture.json"
    let whole = hasSavedModel ? [("\(folder)/saved_model", ReadOptions())] : []
    return whole + [("\(folder)/weights.index", options)]
  }

  /// Those whose operators can all be read.
  static let graphs = all.filter {
    $0.hasSavedModel && ["sequential_cnn", "shared_layer"].contains($0.name)
  }

  /// All cases, sorted.
  static let all: [TensorFlowCase] = Files.names(in: Paths.sample("TensorFlow"))
    .filter { $0.first?.isNumber == true }.flatMap { writer in
      Files.names(in: Paths.sample("TensorFlow/\(writer)"))
        .filter { Files.isFolder(Paths.sample("TensorFlow/\(writer)/\($0)")) }
        .map { TensorFlowCase(writer: writer, name: $0) }
    }
}

/// SavedModels and checkpoints that Keras wrote, against what TensorFlow computed of them.
@Suite struct TensorFlowTests {
  private static let sequential = Paths.sample("TensorFlow/2.15/sequential_cnn")

  @Test("There are samples of both ways to describe a model, by the first and the last version too")
  func caseCount() {
    let writers = Set(TensorFlowCase.all.filter(\.hasSavedModel).map(\.writer))
    #expect(writers == ["2.0", "2.3", "2.6", "2.8", "2.12", "2.15", "2.18"])
    #expect(TensorFlowCase.all.count >= 36)
  }

  @Test(
    "Every form computes what TensorFlow did, and is the .h5 file's model",
    arguments: TensorFlowCase.all)
  func outputs(_ sample: TensorFlowCase) throws {
    let inputs = try ArrayFile.read("\(sample.folder)/inputs.npz")
    let expected = try ArrayFile.read("\(sample.folder)/outputs.npz")
    let h5 = try Model(contentsOf: "\(sample.folder)/model.h5")
    #expect(!sample.forms.isEmpty)
    for (path, options) in sample.forms {
      let model = try Model(contentsOf: path, options: options)
      for distance in distances(actual: try model.run(inputs).outputs, expected: expected) {
        #expect(distance.error <= 1e-5, "\(path): \(distance)")
      }
      let differences = try model.differences(from: h5)
      #expect(differences.isEmpty, "\(path): \(differences.items)")
      #expect(differences.comparedNumbers > 0)
    }
  }

  @Test("What a lookup layer learned is read from its table")
  func tables() throws {
    let folder = Paths.sample("TensorFlow/tables")
    let model = try Model(contentsOf: "\(folder)/saved_model")
    let outputs = try model.run(ArrayFile.read("\(folder)/inputs.npz")).outputs
    let expected = try ArrayFile.read("\(folder)/outputs.npz")
    #expect(outputs.count == 3)
    for distance in distances(actual: outputs, expected: expected) {
      #expect(distance.error == 0, "\(distance)")
    }
  }

  @Test("A SavedModel is read by its folder, with and without a slash, and by its file")
  func paths() throws {
    let folder = "\(Self.sequential)/saved_model"
    for path in [folder, "\(folder)/", "\(folder)/saved_model.pb"] {
      #expect(try Model(contentsOf: path).content.description.name == "sequential")
    }
  }

  @Test("The provenance has every file that was read, with its digest")
  func provenance() throws {
    let folder = try TemporaryFolder()
    var options = ReadOptions()
    options.architecture = "\(Self.sequential)/architecture.json"
    let files = [
      (
        "\(Self.sequential)/saved_model", ReadOptions(),
        [
          "saved_model.pb", "keras_metadata.pb", "variables.index", "variables.data-00000-of-00001",
        ]
      ),
      (
        "\(Self.sequential)/weights", options,
        ["weights.index", "weights.data-00000-of-00001", "architecture.json"]
      ),
    ]
    for (path, options, names) in files {
      try Model(contentsOf: path, options: options).write(to: folder.file("a.wbm"))
      let sources = try Model(contentsOf: folder.file("a.wbm")).content.provenance.sources
      #expect(sources.map(\.fileName) == names)
      #expect(Set(sources.map(\.sha256)).count == names.count)
      var verification = VerifyOptions()
      verification.against = path
      verification.againstOptions = options
      let report = try Model(contentsOf: folder.file("a.wbm")).verify(verification)
      #expect(report.passed, "\(report.results)")
    }
  }

  @Test("What is inspected is shown without the architecture too")
  func inspection() throws {
    let saved = try Inspection(of: "\(Self.sequential)/saved_model")
    #expect(saved.format == "keras savedmodel")
    let weights = try Inspection(of: "\(Self.sequential)/weights.index")
    #expect(weights.format == "keras checkpoint")
    #expect(saved.weightByteCount > 0)
  }

  /// Copies a sample's SavedModel, and gives the copy.
  private func copy(in folder: TemporaryFolder) throws -> String {
    let copy = folder.file("copy")
    try FileManager.default.copyItem(atPath: "\(Self.sequential)/saved_model", toPath: copy)
    return copy
  }

  @Test(
    "A part of a SavedModel that is missing is named, with what it is",
    arguments: [
      ("keras_metadata.pb", "which says what layers the model has"),
      ("variables/variables.index", "which lists the weights"),
      ("variables/variables.data-00000-of-00001", "number 1 of 1 files"),
    ])
  func missing(_ part: (name: String, phrase: String)) throws {
    let folder = try TemporaryFolder()
    let path = try copy(in: folder)
    try FileManager.default.removeItem(atPath: "\(path)/\(part.name)")
    let error = try #require(failure { _ = try Model(contentsOf: path) })
    #expect(error.has(.missing, part.phrase), "\(error)")
    #expect(error.place.file == "\(path)/\(part.name)")
  }

  @Test("A damaged tensor is named, and weights of another model are refused")
  func damaged() throws {
    let folder = try TemporaryFolder()
    let path = try copy(in: folder)
    let shard = "\(path)/variables/variables.data-00000-of-00001"
    var bytes = Array(try Files.read(shard))
    bytes[20] ^= 1
    try Files.write(bytes, to: shard)
    let error = failure { _ = try Model(contentsOf: path) }
    #expect(error?.has(.damaged, "VARIABLE_VALUE: is damaged") == true, "\(error as Any)")
    var options = ReadOptions()
    options.architecture = Paths.sample("TensorFlow/2.15/shared_layer/architecture.json")
    let other = failure {
      _ = try Model(contentsOf: "\(Self.sequential)/weights.index", options: options)
    }
    #expect(other?.has(.mismatch, "is of a model with") == true, "\(other as Any)")
  }

  @Test(
    "The operators of a SavedModel give the same as its layers",
    arguments: TensorFlowCase.graphs)
  func operators(_ sample: TensorFlowCase) throws {
    let folder = try TemporaryFolder()
    let path = folder.file("copy")
    try FileManager.default.copyItem(atPath: "\(sample.folder)/saved_model", toPath: path)
    var bytes = Array(try Files.read("\(path)/saved_model.pb"))
    let name = Array("_tf_keras_".utf8)
    // Without the description by Keras, the operators are read.
    for start in bytes.indices where bytes[start...].starts(with: name) {
      bytes[start + 1] = UInt8(ascii: "x")
    }
    try Files.write(bytes, to: "\(path)/saved_model.pb")
    let model = try Model(contentsOf: path)
    let inputs = try ArrayFile.read("\(sample.folder)/inputs.npz")
    let expected = try ArrayFile.read("\(sample.folder)/outputs.npz")
    for distance in distances(actual: try model.run(inputs).outputs, expected: expected) {
      #expect(distance.error <= 1e-5, "\(distance)")
    }
  }

  @Test("A SavedModel without a signature, and an index without its tensors, are refused")
  func hostile() throws {
    let module = Paths.sample("Hostile/tensorflow/unsigned")
    let error = failure { _ = try Model(contentsOf: module) }
    #expect(error?.has(.unsupported, "has no signature") == true, "\(error as Any)")
    let alone = failure {
      _ = try Model(contentsOf: Paths.sample("Hostile/tensorflow/alone.index"))
    }
    #expect(alone?.has(.missing, "alone.data-00000-of-00001") == true, "\(alone as Any)")
  }

  @Test("Files beside the weights say what they are, and what to give")
  func others() throws {
    let folder = try TemporaryFolder()
    try Files.write(
      Array("model_checkpoint_path: \"weights\"\n".utf8), to: folder.file("checkpoint"))
    // The graph of a checkpoint of TensorFlow 1 begins with the operators that it uses.
    try Files.write([0x0A, 0x02, 0x0A, 0x00], to: folder.file("model.ckpt.meta"))
    let samples = [
      (folder.file("checkpoint"), "weights.index"),
      (folder.file("model.ckpt.meta"), "model.ckpt.index"),
      ("\(Self.sequential)/weights.data-00000-of-00001", "\(Self.sequential)/weights.index"),
      ("\(Self.sequential)/saved_model/keras_metadata.pb", "is a part of a SavedModel"),
      (
        Paths.sample("TensorFlowJS/sharded/group1-shard2of3.bin"),
        Paths.sample("TensorFlowJS/sharded/model.json")
      ),
    ]
    for (path, phrase) in samples {
      let error = try #require(failure { _ = try Model(contentsOf: path) })
      #expect(error.has(.unsupported, phrase), "\(error)")
    }
  }

  @Test("A model of TensorFlow.js is not an architecture for other weights")
  func webArchitecture() throws {
    var options = ReadOptions()
    options.architecture = Paths.sample("TensorFlowJS/nested/model.json")
    let error = failure {
      _ = try Model(contentsOf: "\(Self.sequential)/weights.index", options: options)
    }
    #expect(error?.has(.unsupported, "is a model of TensorFlow.js") == true, "\(error as Any)")
    #expect(error?.place.file == options.architecture)
  }
}
