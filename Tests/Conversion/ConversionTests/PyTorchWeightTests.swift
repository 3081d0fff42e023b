import Bytes
import ConversionCore
import GraphIR
import TestSupport
import Testing
import Weighbridge

/// State dictionaries that PyTorch wrote (`Samples/PyTorch/record.py`), read onto a network.
@Suite struct PyTorchWeightTests {
  private static let folder = "PyTorch"
  private static let files = [
    "checkpoint", "parallel", "sequence", "state_1.0", "state_1.6", "state_2", "views",
  ]
  private let network = Paths.sample("\(folder)/net.cfg")

  private func model(_ path: String, names: String? = nil) throws -> Model {
    var options = ReadOptions()
    options.architecture = network
    options.weightNames = names
    return try Model(contentsOf: path, options: options)
  }

  private func path(_ name: String) -> String { Paths.sample("\(Self.folder)/\(name).pth") }

  @Test("The weights of each version of PyTorch compute what PyTorch computes", arguments: files)
  func outputs(_ name: String) throws {
    let model = try model(path(name))
    let inputs = try ArrayFile.read(Paths.sample("\(Self.folder)/inputs.npz"))
    let outputs = try model.run(inputs).outputs
    let expected = try ArrayFile.read(Paths.sample("\(Self.folder)/outputs.npz"))
    #expect(outputs.count == 1 && expected.count == 1)
    let distance = Distance(actual: outputs[0].tensor, expected: expected[0].tensor)
    #expect(distance.error < 1e-6, "\(distance)")
  }

  @Test("All files are here")
  func complete() {
    let names = Files.names(in: Paths.sample(Self.folder)).filter { $0.hasSuffix(".pth") }
    #expect(names == Self.files.map { "\($0).pth" })
  }

  @Test("What was chosen of a checkpoint, and how weights were found, is said")
  func decisions() throws {
    func decisions(_ name: String) throws -> String {
      try model(path(name)).content.provenance.decisions.map(\.text).joined(separator: "\n")
    }
    #expect(try decisions("checkpoint").contains("the weights are those of model"))
    #expect(try decisions("parallel").contains("which DataParallel puts there"))
    #expect(try decisions("state_2").contains("by their order in the file"))
  }

  @Test("The file is known by its content, and shows its tensors")
  func inspection() throws {
    let inspection = try Inspection(of: Paths.sample("\(Self.folder)/named_otherwise.dat"))
    #expect(inspection.format == "pytorch")
    #expect(inspection.looseWeights.map(\.name) == ["weight", "bias"])
    #expect(inspection.looseWeights.map(\.type.fixedShape) == [[3, 2], [3]])
  }

  @Test("A module's own weights go back to the model by their names, bit for bit")
  func roundTrip() throws {
    let folder = try TemporaryFolder()
    for name in ["sketch-classifier", "shape-detector"] {
      let original = Paths.sample("Models/\(name)/\(name).h5")
      let model = try Model(contentsOf: original)
      try model.export(to: folder.file("m.py"))
      var options = ReadOptions()
      options.architecture = original
      let copy = try Model(contentsOf: folder.file("m.safetensors"), options: options)
      #expect(try copy.differences(from: model).items.filter { $0.kind == .weight }.isEmpty)
      let decisions = copy.content.provenance.decisions.map(\.text)
      #expect(decisions.contains("the weights were found by their names"))
    }
  }

  @Test("Given names are used, and those that do not fit are refused")
  func givenNames() throws {
    let folder = try TemporaryFolder()
    func error(_ text: String) throws -> WeighbridgeError? {
      try Files.write(Array(text.utf8), to: folder.file("names.json"))
      return failure { _ = try model(path("state_2"), names: folder.file("names.json")) }
    }
    #expect(try error(#"{"models.2.conv.bias": "2_convolutional/bias"}"#) == nil)
    for (text, message) in [
      (#"{"models.9": "2_convolutional/bias"}"#, "has no tensor models.9"),
      (#"{"models.2.conv.bias": "9_dense/bias"}"#, "is no weight of the architecture"),
      (#"{"models.2.conv.bias": 5}"#, "expected the name of a weight"), ("[]", "is no JSON object"),
    ] {
      #expect(try error(text)?.description.contains(message) == true, "\(text)")
    }
    var options = ReadOptions()
    options.weightNames = folder.file("names.json")
    #expect(failure { _ = try Model(contentsOf: network, options: options) }?.code == .mismatch)
  }

  @Test("Weights of another network say where the order ends, what is missing and what is left")
  func otherNetwork() throws {
    let folder = try TemporaryFolder()
    let text = String(decoding: try Files.read(network), as: UTF8.self)
    func error(_ old: String, _ new: String) throws -> WeighbridgeError? {
      try Files.write(Array(text.replacing(old, with: new).utf8), to: folder.file("other.cfg"))
      var options = ReadOptions()
      options.architecture = folder.file("other.cfg")
      return failure { _ = try Model(contentsOf: path("state_2"), options: options) }
    }
    let last = "[convolutional]\nfilters=5\nsize=1\nstride=1\npad=1\nactivation=linear\n"
    for (old, new, message) in [
      ("filters=4", "filters=6", "in the order of the architecture the weight"),
      (last, "", "which the architecture does not have"),
      (last, last + last.replacing("filters=5", with: "filters=7"), "has no tensors for"),
    ] {
      let error = try error(old, new)
      #expect(
        error?.code == .mismatch && error?.reason.contains(message) == true, "\(error as Any)")
    }
  }
}
