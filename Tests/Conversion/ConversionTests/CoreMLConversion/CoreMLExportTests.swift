import Bytes
import ConversionCore
import CoreMLConversion
import CoreMLFormat
import FormatRegistry
import Foundation
import GraphIR
import LayerCatalog
import ProtobufWire
import TestSupport
import Testing
import Weighbridge
import _CatalogTesting

/// Models written as Core ML. `make test-peers` shows that other tools read them.
@Suite struct CoreMLExportTests {
  private let detector = Paths.sample("Models/shape-detector/shape-detector.h5")

  /// Reads the model of a file.
  private func read(_ path: String) throws -> CoreMLModel {
    let bytes = [UInt8](try Files.read(path))
    return try CoreMLReader.read(bytes.span.bytes)
  }

  /// Returns the network of a model.
  private func network(_ model: CoreMLModel) throws -> CoreMLNetwork {
    switch model.content {
    case .neuralNetwork(let network), .neuralNetworkRegressor(let network): network
    case .neuralNetworkClassifier(let network, _): network
    default: try #require(nil, "no network")
    }
  }

  private func withoutSuppression() -> ExportOptions {
    var options = ExportOptions()
    options.withNMS = false
    return options
  }

  @Test("A model without inputs is refused, since no network of Core ML is without")
  func inputless() throws {
    let model = try Model(contentsOf: Paths.sample("ONNX/inputless.onnx"))
    let folder = try TemporaryFolder()
    let error = failure { _ = try model.export(to: folder.file("m.mlmodel"), as: .coreml) }
    #expect(error?.code == .unsupported)
    #expect(error?.reason.contains("takes no inputs") == true, "\(error as Any)")
    #expect(folder.names.isEmpty)
  }

  @Test("Every operator has one row in the table or a decomposition")
  func table() { expectCompleteTable(CoreMLOperators.kinds) }

  @Test(
    "Every example that the table marks as written is a well-formed network",
    arguments: ExportVariant.all.filter { $0.target == .coreml })
  func operators(_ variant: ExportVariant) throws {
    let table = try ExportTable.catalog.get()
    let written = ExportSubjects.examples.filter { !table.isRefused($0.title, in: variant) }
    #expect(!written.isEmpty)
    let folder = try TemporaryFolder()
    let path = folder.file("m.mlmodel")
    for (title, example) in written {
      _ = try example.content(openCount: variant.openCount).export(
        to: path, as: .coreml, options: variant.options)
      let model = try read(path)
      #expect(variant.version == nil || model.specificationVersion == variant.version)
      try #expect(isSound(try network(model), model.description), "\(title)")
    }
  }

  /// Whether every value is produced once, before it is read, and all outputs are produced.
  private func isSound(_ network: CoreMLNetwork, _ description: CoreMLDescription) throws -> Bool {
    var produced = Set(description.inputs.map(\.name))
    for layer in network.layers {
      guard layer.inputs.allSatisfy(produced.contains) else { return false }
      guard layer.outputs.allSatisfy({ produced.insert($0).inserted }) else { return false }
    }
    return Set(network.layers.map(\.name)).count == network.layers.count
      && description.outputs.allSatisfy { produced.contains($0.name) || $0.name == "classLabel" }
  }

  @Test("The same model and options give the same bytes, whichever file the model was read from")
  func determinism() throws {
    let folder = try TemporaryFolder()
    let model = try Model(contentsOf: detector)
    try model.export(to: folder.file("a.mlmodel"))
    try model.write(to: folder.file("m.wbm"))
    try Model(contentsOf: folder.file("m.wbm")).export(to: folder.file("b.mlmodel"))
    let bytes = try Files.read(folder.file("a.mlmodel"))
    #expect(try bytes == Files.read(folder.file("b.mlmodel")))
    #expect(bytes.firstRange(of: folder.path.utf8) == nil, "the folder's name is in the file")
  }

  @Test("The layers, the image and the description of a detector are in the file")
  func detectorNetwork() throws {
    let folder = try TemporaryFolder()
    var model = try Model(contentsOf: detector)
    var edit = ModelCase.shapeDetector
    edit.version = "1.2"
    try model.describe(edit)
    let report = try model.export(to: folder.file("m.mlmodel"), options: withoutSuppression())
    #expect(report.notes.contains { $0.contains("channels first") })
    let file = try read(folder.file("m.mlmodel"))
    #expect(file.specificationVersion == 1)
    let input = try #require(file.description.inputs.first)
    guard case .image(let image) = input.type else {
      Issue.record("\(input) is not an image")
      return
    }
    #expect(image.colorSpace == .rgb && image.flexibility == nil)
    let output = try #require(file.description.outputs.first)
    guard case .multiArray(let array) = output.type else {
      Issue.record("\(output) is not an array")
      return
    }
    #expect(array.shape.count == 3 && array.element == .double)
    let metadata = file.description.metadata
    #expect(metadata.version == "1.2" && metadata.author != nil)
    #expect(metadata.userDefined["classes"]?.hasPrefix("ellipse,") == true)
    #expect(metadata.userDefined["detector"]?.contains(#""anchors":[2.85,"#) == true)
    let network = try network(file)
    #expect(network.preprocessing.count == 1)
    #expect(
      Set(network.layers.map(\.kind)).isSubset(of: [
        "activation", "batchnorm", "convolution", "pooling",
      ]))
  }

  @Test("A detector becomes a pipeline of its network and non-maximum suppression")
  func pipeline() throws {
    let folder = try TemporaryFolder()
    var model = try Model(contentsOf: detector)
    try model.describe(ModelCase.shapeDetector)
    try model.export(to: folder.file("m.mlmodel"))
    let file = try read(folder.file("m.mlmodel"))
    guard case .pipeline(let pipeline) = file.content, pipeline.models.count == 2,
      case .nonMaximumSuppression(let suppression) = pipeline.models[1].content
    else {
      Issue.record("\(file.content) is no such pipeline")
      return
    }
    let thresholds = ["iouThreshold", "confidenceThreshold"]
    let network = pipeline.models[0].description
    #expect(network.outputs.map(\.name) == ["raw_confidence", "raw_coordinates"])
    #expect(
      pipeline.models[1].description.inputs.map(\.name) == network.outputs.map(\.name) + thresholds)
    #expect(file.description.inputs.map(\.name) == network.inputs.map(\.name) + thresholds)
    #expect(file.description.inputs.map(\.isOptional) == [false, true, true])
    #expect(file.description.outputs.map(\.name) == ["confidence", "coordinates"])
    #expect(suppression.method == .init(isPerClass: true))
    #expect(suppression.labels == .strings(model.metadata.labels))
    #expect((0...1).contains(suppression.iouThreshold) && suppression.confidenceThreshold > 0)
    #expect(
      file.description.metadata.userDefined["com.apple.coreml.model.preview.type"]
        == "objectDetector")
  }

  @Test("Options choose the version and the number type of weights")
  func options() throws {
    let folder = try TemporaryFolder()
    let model = try Model(contentsOf: detector)
    try model.export(to: folder.file("a.mlmodel"), options: withoutSuppression())
    var options = withoutSuppression()
    options.precision = .float16
    try model.export(to: folder.file("b.mlmodel"), options: options)
    #expect(try read(folder.file("b.mlmodel")).specificationVersion == 2)
    let sizes = [
      try Files.size(folder.file("a.mlmodel")), try Files.size(folder.file("b.mlmodel")),
    ]
    #expect(sizes[1] < sizes[0] * 6 / 10)
    options.specVersion = 1
    let version = failure { _ = try model.export(to: folder.file("n.mlmodel"), options: options) }
    #expect(version?.code == .unsupported)
    options.specVersion = 5
    try model.export(to: folder.file("c.mlmodel"), options: options)
    let latest = try read(folder.file("c.mlmodel"))
    #expect(try latest.specificationVersion == 5 && network(latest).arrayMapping == .exact)
    options.specVersion = 6
    let error = failure { _ = try model.export(to: folder.file("n.mlmodel"), options: options) }
    #expect(error?.code == .mismatch)
    options = withoutSuppression()
    options.kind = .classifier
    let kind = failure { _ = try model.export(to: folder.file("n.mlmodel"), options: options) }
    #expect(kind?.code == .mismatch)
    #expect(folder.names == ["a.mlmodel", "b.mlmodel", "c.mlmodel"])
  }

  @Test("What a single constant index selects has no axis of size 1 in its place")
  func scalarIndex() throws {
    let folder = try TemporaryFolder()
    var builder = GraphBuilder()
    let input = try builder.addInput("x", TensorType(.float32, [.symbolic("batch"), 3, 4]))
    let index = try builder.addConstant(Tensor(.int64, shape: [], [-1]), named: "index")
    let scope = SourceScope(layer: "layer", className: "Layer")
    let gathered = try builder.addNode(
      Gather(axis: 1), named: "last", inputs: [input, index], source: scope)
    let sum = try builder.addNode(
      Reduce(.sum, axes: [1], keepDims: false), named: "sum", inputs: gathered, source: scope)
    let graph = try builder.finish(outputs: [Port(name: "y", value: sum[0])])
    let content = ModelContent(
      graph: graph, description: ModelDescription(), provenance: Provenance())
    let path = folder.file("m.mlmodel")
    _ = try content.export(to: path, as: .coreml, options: ExportOptions())
    let copy = try Model(contentsOf: path)
    let numbers = Tensor(.float32, shape: [1, 3, 4], (0..<12).map(Double.init))
    let output = try copy.run([NamedTensor(name: "x", tensor: numbers)]).outputs[0].tensor
    #expect(output.doubles == [8 + 9 + 10 + 11])
  }

  @Test(
    "An integer that float32 does not have is refused where there are floating-point numbers only",
    arguments: [ExportFormat.coreml, .ncnn], [9_007_199_254_740_993, 16_777_217, 16_777_216])
  func wideConstant(_ format: ExportFormat, _ number: Int64) throws {
    let folder = try TemporaryFolder()
    var builder = GraphBuilder()
    let input = try builder.addInput("x", TensorType(.int64, [1, 3]))
    let constant = try builder.addConstant(
      Tensor(wrapping: .int64, shape: [1, 1], [number]), named: "bound")
    let scope = SourceScope(layer: "larger", className: "Maximum")
    let outputs = try builder.addNode(
      Maximum(), named: "larger", inputs: [input, constant], source: scope)
    let graph = try builder.finish(outputs: [Port(name: "y", value: outputs[0])])
    let content = ModelContent(
      graph: graph, description: ModelDescription(), provenance: Provenance())
    let write = {
      try content.export(
        to: folder.file(format == .coreml ? "m.mlmodel" : "m.param"), as: format,
        options: ExportOptions())
    }
    guard number > 1 << 24 else {
      let note = "x takes whole numbers that are exact up to 2^24 only, as float32"
      #expect(try write().notes.contains(note))
      return
    }
    let error = #expect(throws: WeighbridgeError.self) { try write() }
    #expect(error?.code == .unsupported)
    #expect(error?.reason.contains("takes the constant \(number), and") == true)
  }

  /// Returns a model of one layer, with an input of a type.
  private func content(
    _ operation: any CatalogOperator, _ type: TensorType
  ) throws -> ModelContent {
    var builder = GraphBuilder()
    let input = try builder.addInput("x", type)
    let outputs = try builder.addNode(
      operation, named: "layer", inputs: [input],
      source: SourceScope(layer: "layer", className: "Layer"))
    let graph = try builder.finish(outputs: [Port(name: "y", value: outputs[0])])
    return ModelContent(
      graph: graph,
      description: ModelDescription(inputs: [.init(name: "x")], outputs: [.init(name: "y")]),
      provenance: Provenance())
  }

  @Test("A vector of probabilities with labels is a classifier's")
  func classifier() throws {
    let folder = try TemporaryFolder()
    var content = try content(Softmax(axes: [1]), TensorType(.float32, [.symbolic("batch"), 3]))
    content.description.labels = ["a", "b", "c"]
    let path = folder.file("m.mlmodel")
    _ = try content.export(to: path, as: .coreml, options: ExportOptions())
    let model = try read(path)
    guard case .neuralNetworkClassifier(let network, let classes) = model.content else {
      Issue.record("\(model.content) is not a classifier")
      return
    }
    #expect(classes.labels == .strings(["a", "b", "c"]) && classes.probabilities == "y")
    #expect(network.layers.map(\.kind) == ["softmax"])
    #expect(model.description.predictedFeature == "classLabel")
    #expect(model.description.predictedProbabilities == "y")
    #expect(model.description.outputs.map(\.type) == [.dictionary(.string), .string])
    #expect(
      model.description.inputs[0].type == .multiArray(CoreMLArray(shape: [3], element: .double)))
    #expect(model.specificationVersion == 1)
  }

  @Test("Open sizes become ranges")
  func flexible() throws {
    let folder = try TemporaryFolder()
    let type = TensorType(.float32, [.unknown, 3, .symbolic("height"), .unknown])
    let content = try content(Tanh(), type)
    let path = folder.file("m.mlmodel")
    _ = try content.export(to: path, as: .coreml, options: ExportOptions())
    let model = try read(path)
    guard case .multiArray(let array) = model.description.inputs[0].type else {
      Issue.record("no array")
      return
    }
    #expect(array.shape == [3, 256, 256])
    let open = CoreMLSizeRange(lowerBound: 1, upperBound: nil)
    #expect(
      array.flexibility
        == .ranges([CoreMLSizeRange(lowerBound: 3, upperBound: 3), open, open]))
    #expect(model.specificationVersion == 3)
  }

  @Test(
    "Listed image sizes are the only ones allowed, the first is the default, and outputs follow")
  func sizes() throws {
    let folder = try TemporaryFolder()
    let window = Window(size: [2, 2], strides: [2, 2], dilation: [1, 1], padding: .valid)
    let type = TensorType(.float32, [.unknown, 3, .symbolic("height"), .unknown])
    var content = try content(MaxPooling(window: window, layout: .channelsFirst), type)
    let path = folder.file("m.mlmodel")
    var options = ExportOptions()
    options.sizes = [
      .init(width: 8, height: 6), .init(width: 4, height: 4), .init(width: 8, height: 6),
    ]
    let report = try content.export(to: path, as: .coreml, options: options)
    #expect(report.notes.contains { $0.contains("only the given sizes") })
    var description = try read(path).description
    for (feature, shapes) in [
      (description.inputs[0], [[3, 6, 8], [3, 4, 4]]),
      (description.outputs[0], [[3, 3, 4], [3, 2, 2]]),
    ] {
      let array = CoreMLArray(shape: shapes[0], element: .double, flexibility: .enumerated(shapes))
      #expect(feature.type == .multiArray(array))
    }
    content.description.inputs[0].image = ImageInput(
      colorOrder: .rgb, scale: 1, bias: [0, 0, 0], resize: nil, layout: .channelsFirst)
    _ = try content.export(to: path, as: .coreml, options: options)
    description = try read(path).description
    let sizes = [CoreMLImage.Size(width: 8, height: 6), .init(width: 4, height: 4)]
    #expect(
      description.inputs[0].type
        == .image(CoreMLImage(size: sizes[0], colorSpace: .rgb, flexibility: .enumerated(sizes))))
    let copy = try Model(contentsOf: path)
    #expect(copy.inputs[0].type.shape == [3, .unknown, .unknown])
  }

  @Test("Sizes that do not fit are refused, and nothing is written")
  func wrongSizes() throws {
    let folder = try TemporaryFolder()
    var options = withoutSuppression()
    options.sizes = [.init(width: 64, height: 64)]
    let fixedSize = failure {
      try Model(contentsOf: detector).export(to: folder.file("m.mlmodel"), options: options)
    }
    #expect(fixedSize?.code == .mismatch)
    #expect(fixedSize?.reason.contains("no input takes images of an unknown size") == true)
    let window = Window(size: [3, 3], strides: [1, 1], dilation: [1, 1], padding: .valid)
    let type = TensorType(.float32, [.unknown, 3, .unknown, .unknown])
    let content = try content(MaxPooling(window: window, layout: .channelsFirst), type)
    options.sizes = [.init(width: 64, height: 2)]
    let tooSmall = failure {
      _ = try content.export(
        to: folder.file("m.mlmodel"), as: .coreml, options: options)
    }
    #expect(tooSmall?.code == .mismatch && tooSmall?.reason.contains("no images of 64x2") == true)
    #expect(folder.names.isEmpty)
  }

  @Test("An opaque layer becomes a custom layer")
  func custom() throws {
    let folder = try TemporaryFolder()
    var builder = GraphBuilder()
    let input = try builder.addInput("x", TensorType(.float32, [1, 2]))
    let weight = try builder.addWeight("w", Tensor(.float32, shape: [2], [0.5, 1]))
    let opaque = Opaque(
      className: "Warp", settings: #"{"amount": 3, "fast": true, "name": "a", "size": [1, 2]}"#,
      inputCount: 1, weightNames: ["w"],
      outputs: [.init(elementType: .float32, dimensions: [nil, 2])])
    let outputs = try builder.addNode(
      opaque, named: "warp_1", inputs: [input, weight],
      source: SourceScope(layer: "warp_1", className: "Warp"))
    let graph = try builder.finish(outputs: [Port(name: "y", value: outputs[0])])
    let content = ModelContent(
      graph: graph, description: ModelDescription(), provenance: Provenance())
    let path = folder.file("m.mlmodel")
    _ = try content.export(to: path, as: .coreml, options: ExportOptions())
    let model = try read(path)
    #expect(model.specificationVersion == 2)
    let layer = try #require(try network(model).layers.first)
    #expect(layer.kind == "custom" && layer.name == "warp_1" && layer.inputs == ["x"])
    #expect(layer.settings.string("className") == "Warp")
    #expect(layer.settings.string("description") == "Warp warp_1")
    #expect(layer.settings.records("weights").count == 1)
    let parameters = layer.settings.records("parameters")
    #expect(parameters.map { $0.string("key") } == ["amount", "fast", "name", "size"])
    #expect(parameters[0].record("value")?.integer("longValue") == 3)
    #expect(parameters[3].record("value")?.string("stringValue") == "[1,2]")
  }

  @Test("A layer that the format cannot express is named, and nothing is written")
  func refused() throws {
    let folder = try TemporaryFolder()
    let content = try content(Hashing(buckets: 3, masked: []), TensorType(.int64, [1, 2]))
    let error = failure {
      _ = try content.export(
        to: folder.file("m.mlmodel"), as: .coreml, options: ExportOptions())
    }
    #expect(error?.code == .unsupported)
    #expect(error?.reason.contains("layer (Layer): takes strings, and Core ML's networks") == true)
    #expect(folder.names.isEmpty)
  }

  @Test("An existing file is kept if it must not be replaced or if the export is cancelled")
  func kept() throws {
    let folder = try TemporaryFolder()
    let model = try Model(contentsOf: detector)
    try Files.write("kept".utf8, to: folder.file("m.mlmodel"))
    var writing = WriteOptions()
    writing.noClobber = true
    let error = failure {
      _ = try model.export(
        to: folder.file("m.mlmodel"), options: withoutSuppression(), writing: writing)
    }
    #expect(error?.code == .outputFailed)
    let cancellation = Cancellation()
    cancellation.cancel()
    var cancelled = WriteOptions()
    cancelled.cancellation = cancellation
    let stopped = failure {
      _ = try model.export(
        to: folder.file("m.mlmodel"), options: withoutSuppression(), writing: cancelled)
    }
    #expect(stopped?.code == .cancelled)
    #expect(try Files.read(folder.file("m.mlmodel")) == Data("kept".utf8))
  }

  @Test("The description comes back: labels, detector, image and the author's own")
  func descriptionReadBack() throws {
    let folder = try TemporaryFolder()
    var model = try Model(contentsOf: detector)
    try model.describe(ModelCase.shapeDetector)
    try model.export(to: folder.file("m.mlmodel"), options: withoutSuppression())
    let copy = try Model(contentsOf: folder.file("m.mlmodel"))
    #expect(copy.metadata.labels == model.metadata.labels)
    #expect(copy.metadata.detector?.grid?.anchors == model.metadata.detector?.grid?.anchors)
    #expect(copy.metadata.author == model.metadata.author)
    #expect(abs((copy.metadata.inputs[0].image?.scale ?? 0) - 1.0 / 255) < 1e-9)
    #expect(copy.provenance.framework == "keras")
    try model.export(to: folder.file("boxes.mlmodel"))
    let boxes = try Model(contentsOf: folder.file("boxes.mlmodel"))
    #expect(boxes.outputs.map(\.name) == ["confidence", "coordinates"])
    #expect(boxes.metadata.detector?.kind == .boxes)
    #expect(boxes.metadata.labels == model.metadata.labels)
  }

  @Test("An option that does not apply to the target is refused")
  func meaninglessOptions() throws {
    let folder = try TemporaryFolder()
    let model = try Model(contentsOf: detector)
    var options = ExportOptions()
    options.precision = .float16
    for target in [ExportFormat.keras, .npz, .safetensors, .darknet] {
      let error = failure { try model.export(to: folder.file("m"), as: target, options: options) }
      #expect(error?.code == .mismatch)
    }
    options = ExportOptions()
    options.darknet = .pjreddie
    for target in ExportFormat.allCases where target != .darknet {
      let error = failure { try model.export(to: folder.file("m"), as: target, options: options) }
      #expect(error?.reason.contains("`ExportOptions.darknet` does not apply") == true, "\(target)")
    }
    #expect(folder.names.isEmpty)
  }
}
