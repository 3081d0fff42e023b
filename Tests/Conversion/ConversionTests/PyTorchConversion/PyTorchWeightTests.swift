import Bytes
import ConversionCore
import FormatRegistry
import GraphIR
import LayerCatalog
import PyTorchConversion
import TestSupport
import Testing
import WBMConversion
import Weighbridge
import _CatalogTesting

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
    for name in ["sketch-classifier", "shape-detector"] {
      let decisions = try returned("Models/\(name)/\(name).h5")
      #expect(decisions.contains("the weights were found by their names"))
    }
  }

  private static let movedNames = [
    "Custom/Blocks/2.15.0/transformer.h5", "Keras/1.2.2-tensorflow/srelu.h5",
    "Keras/2.0.8-theano/local2d.h5", "Layers/conv_lstm/conv_lstm2d_masked.h5",
    "Layers/normalization/normalization_adapted.h5",
    "Models/number-types/mixed_bfloat16_mlp.k3.keras",
    "Models/number-types/mixed_float16_cnn.k2.h5", "Operations/keras2/cell_activations.h5",
    "Operations/keras3/attention_in_float64.h5", "Operations/keras3/reversible_embedding.h5",
    "Operations/keras3/trained_activations.keras",
  ]

  @Test(
    "Weights that a module has in parts, moved, rounded or twice go back bit for bit",
    arguments: movedNames)
  func movedWeights(_ name: String) throws {
    let decisions = try returned(name)
    #expect(
      decisions.contains { $0.hasPrefix("the weights were found as the exported module has them") })
  }

  /// Exports a sample, reads the weights back onto it and compares them. Returns the decisions.
  private func returned(_ name: String) throws -> [String] {
    let folder = try TemporaryFolder()
    var options = ReadOptions()
    options.architecture = Paths.sample(name)
    let model = try Model(contentsOf: Paths.sample(name))
    try model.export(to: folder.file("m.py"))
    let copy = try Model(contentsOf: folder.file("m.safetensors"), options: options)
    let weights = try copy.differences(from: model).items.filter { $0.kind == .weight }
    #expect(weights.isEmpty, "\(weights)")
    return copy.content.provenance.decisions.map(\.text)
  }

  @Test(
    "Numbers that training changed go to the weights they came from",
    arguments: [
      "Keras/2.0.8-theano/local2d.h5", "Layers/conv_lstm/conv_lstm2d_masked.h5",
      "Models/sketch-classifier/sketch-classifier.h5",
    ])
  func trainedWeights(_ name: String) throws {
    let folder = try TemporaryFolder()
    let options = try exportTrained(name, to: folder)
    try Model(contentsOf: folder.file("m.safetensors"), options: options)
      .export(to: folder.file("again.py"))
    let numbers = try Self.numbers(folder.file("again.safetensors")).numbers
    #expect(try !numbers.isEmpty && numbers == Self.numbers(folder.file("m.safetensors")).numbers)
  }

  @Test("A tensor that is computed from weights must be what the architecture's weights give")
  func computedTensor() throws {
    let folder = try TemporaryFolder()
    let options = try exportTrained("Layers/normalization/normalization_adapted.h5", to: folder)
    let error = failure {
      _ = try Model(contentsOf: folder.file("m.safetensors"), options: options)
    }
    #expect(error?.reason.contains("is computed from weights") == true, "\(error as Any)")
  }

  /// Exports a sample as `m.py` and changes all its weights a little. Returns the options to read them with.
  private func exportTrained(_ name: String, to folder: TemporaryFolder) throws -> ReadOptions {
    try Model(contentsOf: Paths.sample(name)).export(to: folder.file("m.py"))
    let (header, numbers) = try Self.numbers(folder.file("m.safetensors"))
    // The last bit of each number.
    let changed = numbers.enumerated().map { $0 % 4 == 0 ? $1 ^ 1 : $1 }
    try Files.write(header + changed, to: folder.file("m.safetensors"))
    var options = ReadOptions()
    options.architecture = Paths.sample(name)
    return options
  }

  /// The parts of a safetensors file.
  private static func numbers(_ path: String) throws -> (header: [UInt8], numbers: [UInt8]) {
    let bytes = try Files.read(path)
    let end = 8 + bytes[..<8].reversed().reduce(0) { $0 << 8 | Int($1) }
    return (Array(bytes[..<end]), Array(bytes[end...]))
  }

  @Test(
    "A module's weights go onto the ONNX file of the same network, which keeps its constants",
    arguments: [
      ("shape-detector/shape-detector.h5", ""), ("sketch-classifier/sketch-classifier.h5", ""),
      ("number-types/nested_float64.k3.keras", ""),
      ("number-types/uint8_picture.k3.keras", "; as in the architecture: constant_0"),
    ])
  func ontoONNX(_ name: String, kept: String) throws {
    let folder = try TemporaryFolder()
    let model = try Model(contentsOf: Paths.sample("Models/\(name)"))
    try model.export(to: folder.file("m.py"))
    try model.export(to: folder.file("m.onnx"))
    var options = ReadOptions()
    options.architecture = folder.file("m.onnx")
    let copy = try Model(contentsOf: folder.file("m.safetensors"), options: options)
    let original = try Model(contentsOf: folder.file("m.onnx"))
    #expect(try copy.differences(from: original).items.filter { $0.kind == .weight }.isEmpty)
    let decisions = copy.content.provenance.decisions.map(\.text)
    #expect(decisions.contains("the weights were found by their names\(kept)"), "\(decisions)")
  }

  @Test(
    "The weights of one layer come back from a module that has them in another form",
    arguments: ["multi_head_attention", "normalization_without_offset", "attention", "gru", "lstm"])
  func otherForms(_ name: String) throws {
    let folder = try TemporaryFolder()
    var builder = GraphBuilder()
    var value = try builder.addInput("x", TensorType(.float32, [2, 5, 4]))
    func random(_ shape: [Int], _ role: String) throws -> ValueID {
      let tensor = Tensor.random(.float32, shape: shape, in: -1...1, seed: UInt64(shape.count))
      return try builder.addWeight("layer/\(role)", tensor)
    }
    let recurrence = Recurrence(
      isReversed: false, returnsSequences: true, hasInitialStates: false, mask: .none)
    let operation: any Operator
    var inputs = [value]
    switch name {
    case "multi_head_attention":
      let labels = ["abc", "dec", "abde", "de"].compactMap(AxisLabels.init(rawValue:))
      operation = try EinsumDense(
        input: labels[0], kernel: labels[1], output: labels[2], bias: labels[3])
      inputs += [try random([2, 2, 4], "kernel"), try random([2, 2], "bias")]
    case "gru":
      operation = GRU(
        recurrence: recurrence, bias: .input, activation: .tanh, recurrentActivation: .sigmoid,
        resetsAfter: false)
      inputs += [
        try random([6, 4], "kernel"), try random([6, 2], "recurrent"), try random([6], "bias"),
      ]
    case "lstm":
      operation = LSTM(
        recurrence: recurrence, bias: .separate, activation: .sigmoid,
        recurrentActivation: .sigmoid)
      inputs += [
        try random([8, 4], "kernel"), try random([8, 2], "recurrent"), try random([2, 8], "bias"),
      ]
    case "normalization_without_offset":
      operation = LayerNormalization(axes: [2], epsilon: 1e-3, hasScale: true, hasCenter: false)
      inputs.append(try random([4], "gamma"))
    default:
      operation = Attention(
        score: .dot, hasScale: true, masking: .all, returnsAttentionWeights: false)
      inputs += [value, value, try random([], "scale")]
    }
    value = try builder.addNode(
      operation, inputs: inputs, source: SourceScope(layer: "layer", className: "Layer"))[0]
    let graph = try builder.finish(outputs: [Port(name: "y", value: value)])
    let content = ModelContent(
      graph: graph, description: ModelDescription(), provenance: Provenance())
    _ = try content.export(to: folder.file("m.py"), as: .pyTorch())
    _ = try WBMExporter.write(content, sources: [], to: folder.file("m.wbm"), replacing: true)
    let original = try Model(contentsOf: folder.file("m.wbm"))
    var options = ReadOptions()
    options.architecture = folder.file("m.wbm")
    let copy = try Model(contentsOf: folder.file("m.safetensors"), options: options)
    #expect(try copy.differences(from: original).items.filter { $0.kind == .weight }.isEmpty)
  }

  @Test("Where most names are known, an error says which weights and tensors remain")
  func remainingNames() throws {
    let folder = try TemporaryFolder()
    let original = Paths.sample("Models/sketch-classifier/sketch-classifier.h5")
    try Model(contentsOf: original).export(to: folder.file("m.py"))
    var bytes = try Files.read(folder.file("m.safetensors"))
    let (old, new) = (Array("conv2d_1.weight".utf8), Array("conv2d_9.kernel".utf8))
    let places = bytes.indices.filter { bytes[$0...].starts(with: old) }
    let place = try #require(places.first)
    bytes.replaceSubrange(place..<place + old.count, with: new)
    try Files.write(bytes, to: folder.file("m.safetensors"))
    var options = ReadOptions()
    options.architecture = original
    let error = failure {
      _ = try Model(contentsOf: folder.file("m.safetensors"), options: options)
    }
    #expect(error?.code == .mismatch)
    for remaining in [
      "has, by their names, no tensors for conv2d_1/kernel, which the architecture has",
      "conv2d_9.kernel, which the architecture does not have",
    ] {
      #expect(error?.reason.contains(remaining) == true, "\(error as Any)")
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
