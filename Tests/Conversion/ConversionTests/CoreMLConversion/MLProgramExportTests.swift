import Bytes
import ConversionCore
import CoreMLConversion
import CoreMLFormat
import FormatRegistry
import Foundation
import GraphIR
import LayerCatalog
import TestSupport
import Testing
import Weighbridge

/// Core ML packages. `Tests/Peers/mlprogram_peer.py` has coremltools read them.
@Suite struct MLProgramExportTests {
  private let classifier = Paths.sample("Models/sketch-classifier/sketch-classifier.h5")
  private let detector = Paths.sample("Models/shape-detector/shape-detector.h5")

  @Test("Every operator has a row, or is made of operators that have one")
  func table() { expectCompleteTable(MILOperators.kinds) }

  /// The program of a package.
  private func program(_ path: String) throws -> (model: CoreMLModel, block: MILBlock) {
    let bytes = [UInt8](
      try Files.read("\(path)/Data/com.apple.CoreML/model.mlmodel"))
    let model = try CoreMLReader.read(bytes.span.bytes)
    guard case .program(let program) = model.content else {
      throw WeighbridgeError(.mismatch, "is no ML Program")
    }
    return (model, program.functions[0].block)
  }

  @Test(
    "The specification and the operators are those of the deployment",
    arguments: [
      (CoreMLDeployment.ios15, 6), (.macos12, 6), (.ios16, 7), (.ios17, 8), (.macos14, 8),
      (.ios18, 9),
    ])
  func deployment(_ deployment: CoreMLDeployment, _ version: Int) throws {
    let folder = try TemporaryFolder()
    var options = ExportOptions()
    options.deployment = deployment
    try Model(contentsOf: classifier).export(to: folder.file("m.mlpackage"), options: options)
    let (model, _) = try program(folder.file("m.mlpackage"))
    #expect(model.specificationVersion == version)
    let opsets: [String]? =
      if case .program(let program) = model.content { program.functions.map(\.opset) } else { nil }
    #expect(opsets == ["CoreML\(version - 1)"])
  }

  @Test("The same model always gives the same bytes")
  func deterministic() throws {
    let folder = try TemporaryFolder()
    let files = ["Manifest.json", "Data/com.apple.CoreML/model.mlmodel"]
    for name in ["a", "b"] {
      try Model(contentsOf: classifier).export(to: folder.file("\(name).mlpackage"))
    }
    for file in files + ["Data/com.apple.CoreML/weights/weight.bin"] {
      let contents = try ["a", "b"].map { try Files.read(folder.file("\($0).mlpackage/\(file)")) }
      #expect(contents[0] == contents[1], "\(file)")
    }
    #expect(folder.names == ["a.mlpackage", "b.mlpackage"])
  }

  @Test("A package is replaced, and nothing else")
  func replacing() throws {
    let folder = try TemporaryFolder()
    let path = folder.file("m.mlpackage")
    let model = try Model(contentsOf: classifier)
    try model.export(to: path)
    try Files.write("old".utf8, to: "\(path)/Data/leftover")
    var kept = WriteOptions()
    kept.noClobber = true
    let refusal = failure { try model.export(to: path, writing: kept) }
    #expect(refusal?.code == .outputFailed && refusal?.reason == "exists already")
    try model.export(to: path + "/")
    #expect(Files.names(in: "\(path)/Data") == ["com.apple.CoreML"])
    for name in ["file.mlpackage", "folder.mlpackage"] {
      let other = folder.file(name)
      if name.hasPrefix("file") {
        try Files.write("mine".utf8, to: other)
      } else {
        try Files.makeFolder(other)
      }
      let error = failure { try model.export(to: other) }
      #expect(error?.code == .outputFailed, "\(error as Any)")
      #expect(error?.reason.contains("package") == true, "\(error as Any)")
    }
    #expect(folder.names == ["file.mlpackage", "folder.mlpackage", "m.mlpackage"])
  }

  @Test("--to coreml writes what the extension says")
  func extensions() throws {
    let folder = try TemporaryFolder()
    let model = try Model(contentsOf: classifier)
    try model.export(to: folder.file("m.mlpackage"), as: .coreml)
    try model.export(to: folder.file("m.mlmodel"), as: .coreml)
    #expect(try program(folder.file("m.mlpackage")).block.operations.count > 0)
    let network = [UInt8](try Files.read(folder.file("m.mlmodel")))
    #expect(try CoreMLReader.read(network.span.bytes).specificationVersion <= 5)
  }

  @Test("A classifier ends with its labels, and is read with them")
  func labels() throws {
    let folder = try TemporaryFolder()
    var model = try Model(contentsOf: classifier)
    let count = try #require(model.outputs[0].type.shape.last?.value)
    let names = (0..<count).map { "class \($0)" }
    var edit = DescriptionEdit()
    edit.labels = names
    try model.describe(edit)
    try model.export(to: folder.file("m.mlpackage"))
    let (file, block) = try program(folder.file("m.mlpackage"))
    #expect(block.operations.last?.type == "classify")
    #expect(file.description.predictedFeature == "classLabel")
    #expect(block.outputs == file.description.outputs.map(\.name))
    let copy = try Model(contentsOf: folder.file("m.mlpackage"))
    #expect(copy.metadata.labels == names)
    #expect(copy.outputs.map(\.name) == model.outputs.map(\.name))
  }

  @Test("A detector is a pipeline with non-maximum suppression, and gives the same boxes")
  func pipeline() throws {
    let folder = try TemporaryFolder()
    var model = try Model(contentsOf: detector)
    try model.describe(ModelCase.shapeDetector)
    var options = ExportOptions()
    options.precision = .float32
    try model.export(to: folder.file("m.mlpackage"), options: options)
    let copy = try Model(contentsOf: folder.file("m.mlpackage"))
    #expect(copy.outputs.map(\.name) == ["confidence", "coordinates"])
    #expect(copy.metadata.labels == model.metadata.labels)
    try model.export(to: folder.file("m.mlmodel"))
    let older = try Model(contentsOf: folder.file("m.mlmodel"))
    let picture = try ArrayFile.read(Paths.sample("Models/shape-detector/input.npy"))[0].tensor
    let first = picture.slice(0..<1, along: 0).permuted([0, 3, 1, 2]).contiguous()
    let image = try #require(model.metadata.inputs[0].image)
    #expect(copy.metadata.inputs[0].image?.scale == image.scale)
    let boxes = try copy.run([NamedTensor(name: copy.inputs[0].name, tensor: first)]).outputs
    let expected = try older.run([
      NamedTensor(
        name: older.inputs[0].name, tensor: first.reshaped(Array(first.shape.dropFirst())))
    ]).outputs
    #expect(expected[0].tensor.shape[0] > 0)
    for (actual, wanted) in zip(boxes, expected) {
      #expect(actual.tensor.shape == wanted.tensor.shape)
      let distance = zip(actual.tensor.doubles, wanted.tensor.doubles).map { abs($0 - $1) }.max()
      #expect(distance ?? 1 <= 1e-4)
    }
  }

  @Test("An output that is an image has pixels from 0 to 255, and is read as one")
  func imageOutput() throws {
    let folder = try TemporaryFolder()
    var builder = GraphBuilder()
    let x = try builder.addInput("x", TensorType(.float32, [1, 3, 1, 2].map { .fixed($0) }))
    let y = try builder.addNode(
      Tanh(), inputs: [x], source: SourceScope(layer: "y", className: "Layer"))
    var content = ModelContent(
      graph: try builder.finish(outputs: [Port(name: "y", value: y[0])]),
      description: ModelDescription(
        inputs: [.init(name: "x")], outputs: [.init(name: "y")]), provenance: Provenance())
    var image = DescriptionEdit.Image(input: "y")
    (image.scale, image.bias) = (1 / 127.5, [-1, -1, -1])
    var edit = DescriptionEdit()
    edit.outputImages = [image]
    try content.apply(edit)
    let path = folder.file("m.mlpackage")
    var options = CoreMLPackageOptions()
    options.precision = .float32
    _ = try content.export(to: path, as: .mlpackage(options))
    guard case .image(let feature) = try program(path).model.description.outputs[0].type else {
      Issue.record("the output is no image")
      return
    }
    #expect(feature == CoreMLImage(size: .init(width: 2, height: 1), colorSpace: .rgb))
    let copy = try Model(contentsOf: path)
    let read = try #require(copy.metadata.outputs[0].image)
    #expect(read.scale == 1 && read.bias == [0, 0, 0] && read.colorOrder == .rgb)
    let input = Tensor(.float32, shape: [1, 3, 1, 2], [-9, 9, 0, 0.5, -0.5, 1])
    let pixels = try copy.run([NamedTensor(name: "x", tensor: input)]).outputs[0].tensor.doubles
    for (pixel, number) in zip(pixels, input.doubles) {
      #expect(abs(pixel - (tanh(number) + 1) * 127.5) < 1e-3)
    }
  }

  @Test(
    "A gated recurrent unit that resets after the product is Core ML's own from iOS 18 on",
    arguments: [(CoreMLDeployment.ios17, false), (.ios18, true)])
  func resetAfter(_ deployment: CoreMLDeployment, _ isNative: Bool) throws {
    let folder = try TemporaryFolder()
    let sample = Paths.sample("MLProgram/gru_reset_after")
    var options = ExportOptions()
    (options.deployment, options.precision) = (deployment, .float32)
    let path = folder.file("m.mlpackage")
    try Model(contentsOf: "\(sample).mlpackage").export(to: path, options: options)
    let kinds = Set(try program(path).block.operations.map(\.type))
    #expect(kinds.contains("gru") == isNative && kinds.contains("sigmoid") == !isNative)
    let outputs = try Model(contentsOf: path).run(ArrayFile.read("\(sample).inputs.npz")).outputs
    let expected = try ArrayFile.read("\(sample).outputs.npz")
    #expect(outputs.count == expected.count)
    for distance in distances(actual: outputs, expected: expected) {
      #expect(distance.error <= 1e-5, "\(distance)")
    }
  }

  /// Exports the square of a vector, to which a number is added, and runs the copy.
  private func computed(
    adding number: Double, to input: Tensor, references: [ReferenceSet] = []
  ) throws -> (output: Tensor, notes: [String]) {
    let folder = try TemporaryFolder()
    var builder = GraphBuilder()
    let x = try builder.addInput("x", input.type)
    let weight = try builder.addWeight("w", Tensor(.float32, shape: [1, 1], [number]))
    let square = try builder.addNode(
      Multiply(), inputs: [x, x], source: SourceScope(layer: "square", className: "Layer"))
    let sum = try builder.addNode(
      Add(), inputs: [square[0], weight], source: SourceScope(layer: "sum", className: "Layer"))
    var content = ModelContent(
      graph: try builder.finish(outputs: [Port(name: "y", value: sum[0])]),
      description: ModelDescription(), provenance: Provenance())
    content.references = references
    let report = try content.export(to: folder.file("m.mlpackage"), as: .mlpackage())
    let copy = try Model(contentsOf: folder.file("m.mlpackage"))
    let outputs = try copy.run([NamedTensor(name: "x", tensor: input)]).outputs
    return (outputs[0].tensor, report.notes)
  }

  @Test("A layer with a number that float16 does not hold is computed in float32, which is said")
  func wideConstants() throws {
    let input = Tensor(.float32, shape: [1, 2], [1, 2])
    for number in [1e6, 1e-9] {
      let (output, notes) = try computed(adding: number, to: input)
      let expected = [1, 4].map { Double(Float($0) + Float(number)) }
      #expect(output.doubles == expected)
      let says = "sum is computed in float32, since numbers of it do not fit in float16"
      #expect(notes.contains(says) && !notes.contains { $0.hasPrefix("square is") }, "\(notes)")
    }
    let (_, notes) = try computed(adding: 1, to: input)
    #expect(!notes.contains { $0.contains("is computed in float32") }, "\(notes)")
  }

  @Test("So is one whose numbers are too large for float16 in the model's references")
  func wideReferences() throws {
    let input = Tensor(.float32, shape: [1, 2], [300, 2])
    let reference = ReferenceSet(
      author: "a test", inputs: [.init(name: "x", tensor: input)], outputs: [], layers: [],
      tolerance: Tolerance(absolute: 0, relative: 0), toleranceSource: .author)
    let (output, notes) = try computed(adding: 1, to: input, references: [reference])
    #expect(output.doubles == [90_001, 5])
    for layer in ["square", "sum"] {
      #expect(notes.contains { $0.hasPrefix("\(layer) is computed in float32") }, "\(notes)")
    }
  }

  /// The types of the operations of a kind that a graph of one input becomes, and what is said.
  private func types(
    of operation: String, in build: (inout GraphBuilder, ValueID) throws -> ValueID
  ) throws -> (types: [MILType], notes: [String]) {
    let folder = try TemporaryFolder()
    var builder = GraphBuilder()
    let x = try builder.addInput("x", TensorType(.float32, [1, 4]))
    let y = try build(&builder, x)
    let content = ModelContent(
      graph: try builder.finish(outputs: [Port(name: "y", value: y)]),
      description: ModelDescription(), provenance: Provenance())
    let report = try content.export(to: folder.file("m.mlpackage"), as: .mlpackage())
    let operations = try program(folder.file("m.mlpackage")).block.operations
    let found = operations.filter { $0.type == operation }.flatMap(\.outputs).map(\.type)
    return (found, report.notes)
  }

  private func add(
    _ operation: any CatalogOperator, _ inputs: [ValueID], _ layer: String,
    to builder: inout GraphBuilder
  ) throws -> ValueID {
    try builder.addNode(
      operation, inputs: inputs, source: SourceScope(layer: layer, className: "Layer"))[0]
  }

  @Test("What jumps is computed in float32 with all that it is computed of, up to a product")
  func jumps() throws {
    let (products, notes) = try types(of: "linear") { builder, x in
      let weight = try builder.addWeight("w", Tensor(.float32, shape: [1, 4], [1, 2, 3, 4]))
      let product = try add(Dense(hasBias: false), [x, weight], "product", to: &builder)
      let tanh = try add(Tanh(), [product], "tanh", to: &builder)
      return try add(UnaryMath(.floor), [tanh], "floor", to: &builder)
    }
    #expect(products == [.tensor(.float16, shape: [1, 1])])
    for layer in ["tanh", "floor"] {
      #expect(notes.contains { $0.hasPrefix("\(layer) is computed in float32") }, "\(notes)")
    }
    #expect(!notes.contains { $0.hasPrefix("product is computed in float32") }, "\(notes)")
  }

  @Test("A product whose sign is taken is computed in float32")
  func signs() throws {
    let (products, _) = try types(of: "linear") { builder, x in
      let weight = try builder.addWeight("w", Tensor(.float32, shape: [1, 4], [1, 2, 3, 4]))
      let product = try add(Dense(hasBias: false), [x, weight], "product", to: &builder)
      return try add(Binarization(), [product], "sign", to: &builder)
    }
    #expect(products == [.tensor(.float32, shape: [1, 1])])
  }

  @Test("An index is never a number of float16, and what it takes may be")
  func indices() throws {
    let build = { (builder: inout GraphBuilder, x: ValueID) throws -> ValueID in
      let table = try builder.addWeight(
        "table", Tensor(.float32, shape: [4096, 1], [Double](repeating: 1, count: 4096)))
      let index = try add(Rescaling(scale: [1024], offset: [1]), [x], "scaled", to: &builder)
      return try add(Embedding(), [index, table], "rows", to: &builder)
    }
    #expect(try types(of: "gather", in: build).types == [.tensor(.float16, shape: [1, 4, 1])])
    #expect(try types(of: "mul", in: build).types == [.tensor(.float32, shape: [1, 4])])
  }

  @Test("Names that a program cannot have are kept beside it, and are back when it is read")
  func names() throws {
    let folder = try TemporaryFolder()
    var model = try Model(contentsOf: detector)
    try model.describe(ModelCase.shapeDetector)
    var edit = DescriptionEdit()
    edit.inputNames = [.init(old: nil, new: "the image:0")]
    edit.outputNames = [.init(old: nil, new: "2_boxes")]
    try model.describe(edit)
    var options = ExportOptions()
    options.withNMS = false
    let report = try model.export(to: folder.file("m.mlpackage"), options: options)
    #expect(report.notes.contains { $0.hasPrefix("2_boxes is called var_2_boxes") })
    let (file, block) = try program(folder.file("m.mlpackage"))
    #expect(file.description.inputs.map(\.name) == ["the_image_0"])
    #expect(file.description.outputs.map(\.name) == ["var_2_boxes"])
    #expect(block.outputs == ["var_2_boxes"])
    let copy = try Model(contentsOf: folder.file("m.mlpackage"))
    #expect(copy.inputs.map(\.name) == ["the image:0"])
    #expect(copy.outputs.map(\.name) == ["2_boxes"])
    #expect(copy.metadata.detector?.outputs == ["2_boxes"])
    #expect(copy.metadata.inputs[0].image?.scale == model.metadata.inputs[0].image?.scale)
    #expect(copy.metadata.userDefined == model.metadata.userDefined)
    #expect(copy.provenance.decisions.contains { $0.layer == "the_image_0" })
  }
}
