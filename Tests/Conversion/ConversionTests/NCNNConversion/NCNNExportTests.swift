import Bytes
import ConversionCore
import FormatRegistry
import Foundation
import GraphIR
import LayerCatalog
import NCNNConversion
import NCNNFormat
import TestSupport
import Testing
import Weighbridge
import _CatalogTesting

/// Models written for ncnn. `make test-peers` shows that ncnn reads them and computes the same.
@Suite struct NCNNExportTests {
  private let detector = Paths.sample("Models/shape-detector/shape-detector.h5")

  /// The contents of `m.param` and `m.bin` in a folder.
  private func read(_ folder: TemporaryFolder) throws -> (file: NCNNFile, bytes: [UInt8]) {
    let model = try NCNNModel(Array(Files.read(folder.file("m.param"))))
    let bytes = Array(try Files.read(folder.file("m.bin")))
    let file = try ByteStore(bytes).withBytes { (bytes) throws(WeighbridgeError) in
      try NCNNFile(model, weights: bytes)
    }
    return (file, bytes)
  }

  @Test("Every operator has one row in the table or a decomposition")
  func table() { expectCompleteTable(NCNNOperators.kinds) }

  @Test("A detector's blobs keep its names, and its kernels are stored in ncnn's order")
  func weights() throws {
    let folder = try TemporaryFolder()
    let model = try Model(contentsOf: detector)
    let report = try model.export(to: folder.file("m.param"))
    #expect(report.files == [folder.file("m.param"), folder.file("m.bin")])
    let (file, bytes) = try read(folder)
    let layers = file.model.layers
    #expect(layers.first?.outputs == model.inputs.map(\.name))
    #expect(layers.last?.outputs == model.outputs.map(\.name))
    let kernels = layers.indices.filter { layers[$0].type == "Convolution" }
    let graph = try ModelReader.read(detector).content.graph
    let expected = graph.nodes.filter { $0.operation is Convolution }.compactMap {
      graph[$0.inputs[1]].constant
    }
    #expect(kernels.count == expected.count && !kernels.isEmpty)
    for (index, tensor) in zip(kernels, expected) {
      let range = file.weights[index][0].range
      #expect(Array(bytes[range]) == tensor.contiguousBytes())
    }
  }

  @Test(
    "A model that went through Core ML, whose arrays have no batch, has the layers it had before")
  func coreML() throws {
    var options = ExportOptions()
    options.withNMS = false
    let classifier = Paths.sample("Models/sketch-classifier/sketch-classifier.h5")
    for (source, middle) in [
      (detector, "m.cfg"), (detector, "m.mlmodel"), (classifier, "m.mlmodel"),
    ] {
      let folder = try TemporaryFolder()
      var model = try Model(contentsOf: source)
      if middle == "m.cfg" {
        try model.export(to: folder.file(middle), options: options)
        model = try Model(contentsOf: folder.file(middle))
      }
      try model.export(to: folder.file("m.param"), options: options)
      let layers = try read(folder).file.model.layers
      try model.export(to: folder.file("n.mlmodel"), options: options)
      try Model(contentsOf: folder.file("n.mlmodel")).export(
        to: folder.file("m.param"), options: options)
      let copies = try read(folder).file.model.layers
      #expect(copies.map(\.type) == layers.map(\.type), "\(source) by \(middle)")
      #expect(copies.map(\.parameters) == layers.map(\.parameters), "\(source) by \(middle)")
    }
  }

  @Test("A network for images of Core ML, which has no batch, computes the same as blobs")
  func networkOfCoreML() throws {
    let folder = try TemporaryFolder()
    let sample = Paths.sample("CoreML/convolved")
    let model = try Model(contentsOf: "\(sample).mlmodel")
    let report = try model.export(to: folder.file("m.param"))
    let inputs = try ArrayFile.read("\(sample).inputs.npz")
    let outputs = try NCNNInterpreter(report.files).outputs(["x": try #require(inputs["x"])])
    let expected = try #require(try ArrayFile.read("\(sample).outputs.npz")["y"])
    let distance = Distance(actual: try #require(outputs["y"]), expected: expected)
    #expect(distance.error < 1e-5, "\(distance)")
  }

  @Test("Arrays of every rank that only add and remove a batch are blobs without one")
  func batchless() throws {
    let folder = try TemporaryFolder()
    for name in ["upsampled", "softmax_pictures"] {
      try Model(contentsOf: Paths.sample("CoreML/\(name).mlmodel")).export(
        to: folder.file("\(name).param"))
    }
    #expect(folder.names.count == 4)
  }

  @Test("With float16 the kernels take half the space, and other weights stay float32")
  func float16() throws {
    let folder = try TemporaryFolder()
    let model = try Model(contentsOf: detector)
    try model.export(to: folder.file("m.param"))
    let full = try read(folder)
    var options = ExportOptions()
    options.precision = .float16
    try model.export(to: folder.file("m.param"), options: options)
    let half = try read(folder)
    #expect(half.file.model == full.file.model)
    for (layer, weights) in zip(half.file.model.layers, half.file.weights) {
      let isKernel = layer.type == "Convolution"
      for (index, weight) in weights.enumerated() {
        #expect(weight.encoding == (isKernel && index == 0 ? .float16 : .float32))
      }
    }
    #expect(half.bytes.count < full.bytes.count * 55 / 100)
  }

  @Test("The same model gives the same bytes, whichever file it was read from")
  func determinism() throws {
    let folder = try TemporaryFolder()
    let model = try Model(contentsOf: detector)
    try model.export(to: folder.file("a.param"))
    try model.write(to: folder.file("m.wbm"))
    try Model(contentsOf: folder.file("m.wbm")).export(to: folder.file("b.param"))
    for name in ["param", "bin"] {
      #expect(try Files.read(folder.file("a.\(name)")) == Files.read(folder.file("b.\(name)")))
    }
  }

  @Test("A blob that several layers read, or that is an output too, is split")
  func splits() throws {
    let folder = try TemporaryFolder()
    var builder = GraphBuilder()
    let input = try builder.addInput("x y", TensorType(.float32, [.symbolic("batch"), 2]))
    let scope = SourceScope(layer: "layer", className: "Layer")
    let activated = try builder.addNode(
      ReLU(slope: 0, threshold: 0, maximum: nil), named: "r", inputs: [input], source: scope)
    let sum = try builder.addNode(
      Add(), named: "s", inputs: [activated[0], activated[0]], source: scope)
    let graph = try builder.finish(outputs: [
      Port(name: "bent", value: activated[0]), Port(name: "sum", value: sum[0]),
      Port(name: "same", value: input),
    ])
    let content = ModelContent(
      graph: graph, description: ModelDescription(), provenance: Provenance())
    let report = try content.export(
      to: folder.file("m.param"), as: .ncnn, options: ExportOptions())
    #expect(report.notes == ["x y is called x_y"])
    let layers = try read(folder).file.model.layers
    #expect(layers.map(\.type) == ["Input", "Split", "ReLU", "Split", "BinaryOp", "Split"])
    let blobs = Set(layers.flatMap(\.outputs))
    #expect(blobs.isSuperset(of: ["x_y", "bent", "sum", "same"]))
    #expect(blobs.subtracting(layers.flatMap(\.inputs)) == ["bent", "sum", "same"])
  }

  /// Returns the layers and the weights of an operator on x, `[batch, 2]`, after some functions, and
  /// constants; `Where` selects x where it is positive.
  private func written(
    _ operation: any CatalogOperator, _ constants: [Tensor],
    after functions: [UnaryMath.Function] = []
  ) throws -> (layers: [String], bytes: [UInt8]) {
    let folder = try TemporaryFolder()
    var builder = GraphBuilder()
    var inputs = [try builder.addInput("x", TensorType(.float32, [.symbolic("batch"), 2]))]
    for function in functions {
      inputs = try builder.addNode(
        UnaryMath(function), named: function.rawValue, inputs: inputs,
        source: SourceScope(layer: "layer", className: "Layer"))
    }
    for constant in constants { inputs.append(try builder.addConstant(constant, named: "c")) }
    if operation is Where {
      let zero = try builder.addConstant(Tensor(.float32, shape: [1, 2], [0, 0]), named: "zero")
      let isPositive = try builder.addNode(
        Comparison(.greater), named: "positive", inputs: [inputs[0], zero],
        source: SourceScope(layer: "layer", className: "Layer"))
      inputs.insert(isPositive[0], at: 0)
    }
    let outputs = try builder.addNode(
      operation, named: "y", inputs: inputs, source: SourceScope(layer: "layer", className: "Layer")
    )
    let graph = try builder.finish(outputs: [Port(name: "y", value: outputs[0])])
    let content = ModelContent(
      graph: graph, description: ModelDescription(), provenance: Provenance())
    _ = try content.export(
      to: folder.file("m.param"), as: .ncnn, options: ExportOptions())
    let (file, bytes) = try read(folder)
    return (file.model.layers.map(\.type).filter { !["Input", "Split"].contains($0) }, bytes)
  }

  @Test(
    "Powers are computed without ncnn's own, which is wrong for bases of 0 or less",
    arguments: [
      (1, []), (2, ["UnaryOp"]), (3, ["UnaryOp", "BinaryOp"]),
      (4, ["UnaryOp", "UnaryOp"]), (-2, ["UnaryOp", "UnaryOp"]), (0.5, ["UnaryOp"]),
      (-0.5, ["UnaryOp"]), (1.5, ["BinaryOp", "BinaryOp"]),
    ] as [(Double, [String])])
  func powers(_ exponent: Double, _ layers: [String]) throws {
    let constant = Tensor(.float32, shape: [1, 1], [exponent])
    #expect(try written(BinaryMath(.power), [constant]).layers == layers)
  }

  @Test("A power with several exponents is refused")
  func computedPowers() throws {
    let error = failure {
      _ = try written(BinaryMath(.power), [Tensor(.float32, shape: [1, 2], [2, 3])])
    }
    #expect(error?.code == .unsupported && error?.reason.contains("positive numbers only") == true)
  }

  @Test(
    "Numbers that can be NaN or infinite are neither chosen nor tested for equality",
    arguments: [
      [.squareRoot], [.logarithm], [.reciprocal], [.arcSine], [.square, .logarithm],
      [.square, .reciprocal, .sine], [.sine, .reciprocalSquareRoot],
    ] as [[UnaryMath.Function]])
  func nonFinite(_ functions: [UnaryMath.Function]) throws {
    let zeros = Tensor(.float32, shape: [1, 2], [0, 0])
    let refused: [any CatalogOperator] = [
      Where(), Cast(to: .bool), Comparison(.equal), Comparison(.notEqual),
      Comparison(.lessOrEqual), Comparison(.greaterOrEqual), HardShrink(threshold: 0.5),
    ]
    for operation in refused {
      let constants = operation is Cast || operation is HardShrink ? [] : [zeros]
      let error = failure { _ = try written(operation, constants, after: functions) }
      #expect(error?.code == .unsupported)
      #expect(error?.reason.contains("with finite ones only") == true)
    }
    let compared = try written(Comparison(.greater), [zeros], after: functions)
    #expect(compared.layers.last == "Threshold")
  }

  @Test(
    "Roots and quotients of numbers that are known to be positive are chosen",
    arguments: [[.square, .squareRoot], [.absolute, .squareRoot, .square], [.sine, .cosine]]
      as [[UnaryMath.Function]])
  func finite(_ functions: [UnaryMath.Function]) throws {
    let zeros = Tensor(.float32, shape: [1, 2], [0, 0])
    #expect(try written(Where(), [zeros], after: functions).layers.contains("Threshold"))
  }

  @Test("Infinities that a condition selects become finite, since 0 times them is NaN")
  func selectedInfinities() throws {
    let masked = Tensor(.float32, shape: [1, 2], [-.infinity, .infinity])
    let (layers, bytes) = try written(Where(), [masked])
    #expect(layers.contains("MemoryData"))
    let numbers = stride(from: 0, to: bytes.count - 3, by: 4).map { start in
      Float(
        bitPattern: bytes[start..<start + 4].reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) })
    }
    let largest = Float.greatestFiniteMagnitude
    #expect(numbers.contains(largest) && numbers.contains(-largest))
    #expect(numbers.allSatisfy { $0.isFinite })
  }

  @Test("A batch that cannot be dropped is refused, and nothing is written")
  func batch() throws {
    let folder = try TemporaryFolder()
    let examples: [(GraphIR.Dimension, any CatalogOperator)] = [
      (4, Tanh()), (.symbolic("batch"), Reduce(.sum, axes: [0], keepDims: true)),
    ]
    for (batch, operation) in examples {
      var builder = GraphBuilder()
      let input = try builder.addInput("x", TensorType(.float32, [batch, 3]))
      let output = try builder.addNode(
        operation, named: "y", inputs: [input],
        source: SourceScope(layer: "layer", className: "Layer"))
      let graph = try builder.finish(outputs: [Port(name: "y", value: output[0])])
      let content = ModelContent(
        graph: graph, description: ModelDescription(), provenance: Provenance())
      let error = failure {
        _ = try content.export(
          to: folder.file("m.param"), as: .ncnn, options: ExportOptions())
      }
      #expect(error?.code == .unsupported)
      let phrases = ["not one example along its first axis", "takes one example at a time"]
      #expect(
        phrases.contains { error?.reason.contains($0) == true }, "\(String(describing: error))")
    }
    #expect(folder.names.isEmpty)
  }

  /// A detector of darknet with two heads and random weights.
  private func detector(_ folder: TemporaryFolder, _ setting: String = "") throws -> Model {
    let heads = ["mask=0,1", "mask=2,3"].map { mask in
      "[convolutional]\nfilters=14\nsize=3\nstride=2\npad=1\nactivation=linear\n"
        + "[yolo]\n\(mask)\nanchors=1,2, 3,4, 5,6, 7,8.5\nclasses=2\nnum=4\n\(setting)\n"
    }
    let text =
      "[net]\nwidth=32\nheight=32\nchannels=3\n" + heads[0] + "[route]\nlayers=0\n" + heads[1]
    try Files.write(text.utf8, to: folder.file("net.cfg"))
    var options = ReadOptions()
    options.randomWeights = 0
    return try Model(contentsOf: folder.file("net.cfg"), options: options)
  }

  @Test("YOLO heads become ncnn's own layer, which reads them before their activation")
  func detections() throws {
    let folder = try TemporaryFolder()
    let model = try self.detector(folder)
    var options = ExportOptions()
    options.withNMS = true
    let report = try model.export(to: folder.file("m.param"), options: options)
    #expect(report.notes.contains { $0.contains("confidence") })
    let layers = try read(folder).file.model.layers
    let last = try #require(layers.last)
    #expect(last.type == "Yolov3DetectionOutput" && last.outputs == ["detections"])
    let detector = try #require(model.metadata.detector)
    let grid = try #require(detector.grid)
    #expect(last.inputs.count == grid.heads.count)
    #expect(last.integer(0) == detector.classCount)
    #expect(last.integer(1) == grid.heads[0].mask.count)
    #expect(
      last.parameters[4]
        == .floats(grid.anchors.flatMap { [Float($0.width), Float($0.height)] }))
    #expect(last.parameters[5] == .floats([0, 1, 2, 3]) && last.parameters[6] == .floats([2, 4]))
    #expect(!layers.contains { $0.type == "Sigmoid" })
    let producers = last.inputs.map { head in layers.first { $0.outputs.contains(head) }?.type }
    #expect(producers == ["Split", "Convolution"])
  }

  @Test(
    "Heads that ncnn's layer does not read are refused",
    arguments: ["scale_x_y=1.1", "new_coords=1"])
  func otherHeads(_ setting: String) throws {
    let folder = try TemporaryFolder()
    let model = try detector(folder, setting)
    var options = ExportOptions()
    options.withNMS = true
    let error = failure { try model.export(to: folder.file("m.param"), options: options) }
    #expect(error?.code == .unsupported)
    #expect(folder.names == ["net.cfg"])
  }

  @Test("An existing file is kept if it must not be replaced")
  func kept() throws {
    let folder = try TemporaryFolder()
    let model = try Model(contentsOf: detector)
    try Files.write("kept".utf8, to: folder.file("m.bin"))
    var writing = WriteOptions()
    writing.noClobber = true
    let error = failure { try model.export(to: folder.file("m.param"), writing: writing) }
    #expect(error?.code == .outputFailed)
    let same = failure { try model.export(to: folder.file("m.bin"), as: .ncnn) }
    #expect(same?.code == .outputFailed)
    let cancellation = Cancellation()
    cancellation.cancel()
    var cancelled = WriteOptions()
    cancelled.cancellation = cancellation
    let stopped = failure {
      try model.export(to: folder.file("n.param"), writing: cancelled)
    }
    #expect(stopped?.code == .cancelled)
    #expect(folder.names == ["m.bin"])
    #expect(try Files.read(folder.file("m.bin")) == Data("kept".utf8))
  }
}
