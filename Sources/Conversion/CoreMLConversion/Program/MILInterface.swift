import Bytes
import ConversionCore
import CoreMLFormat
import GraphIR
import LayerCatalog

/// The inputs and outputs of a program, and its kind.
struct MILInterface {
  private let source: CoreMLExportSource
  private let kind: CoreMLKind
  /// The names of the inputs and outputs as MIL allows them.
  let inputNames, outputNames: [String]
  /// What differs from the model, as messages.
  let losses: [String]

  /// The largest size of an axis of unknown size, which must have a limit.
  private static let largestSize = 4096
  /// The output of a classifier with the most probable class.
  private static let label = "classLabel"

  /// - Throws: ``WeighbridgeError/Code/mismatch`` for a kind that an ML Program cannot be.
  init(_ source: CoreMLExportSource, kind: CoreMLKind) throws(WeighbridgeError) {
    guard kind != .regressor else {
      throw .mismatch(
        "an ML Program is asked for as a regressor, and it can be a network or a classifier")
    }
    (self.source, self.kind) = (source, kind)
    var names = UniqueNames([Self.label])
    let ports = source.graph.inputs + source.graph.outputs
    let milNames = ports.map { names.unused($0.name.milName) }
    inputNames = Array(milNames[..<source.graph.inputs.count])
    outputNames = Array(milNames[source.graph.inputs.count...])
    let isFlexible = { (port: Port) in
      source.type(port.value).fixedShape == nil && source.sizes.shapes(of: port.value) == nil
    }
    losses =
      zip(ports, milNames).filter { $0.name != $1 }.map {
        "\($0.name) is called \($1), as Core ML allows letters, digits and underscores"
      }
      + source.graph.inputs.filter { source.type($0.value).rank == 0 }.map {
        "\($0.name) is an array of one element, as Core ML takes none without axes"
      }
      + source.graph.inputs.filter(isFlexible).map {
        "unknown sizes of \($0.name) are flexible up to \(Self.largestSize); they default to "
          + "\(CoreMLExportSource.defaultImageSide) for the sides of images, else to 1"
      }
  }
}

// What the program computes at its ends.
extension MILInterface {
  /// Declares the inputs, and prepares them for the layers: pixels are scaled.
  func addInputs(to builder: inout MILBuilder) throws(WeighbridgeError) -> [ExportOperand] {
    var values: [ExportOperand] = []
    for (position, port) in source.graph.inputs.enumerated() {
      let type = source.type(port.value)
      if let problem = builder.problem(of: type) {
        throw .unsupported("takes \(port.name) as \(type), and \(problem)")
      }
      let name = inputNames[position]
      let isFloat = type.elementType.isFloat
      var value = builder.addInput(
        name, type.rank == 0 ? type.with(shape: [1]) : type, as: isFloat ? .float32 : .int32)
      builder.scope.prefix = name
      if type.elementType == .bool { value = try builder.cast(value, to: .bool) }
      if type.rank == 0 { value = try builder.squeezed(value, [0]) }
      values.append(try scaled(value, position, port.value, &builder))
    }
    return values
  }

  /// Converts pixels to the values that the layers take.
  private func scaled(
    _ value: ExportOperand, _ position: Int, _ id: ValueID, _ builder: inout MILBuilder
  ) throws(WeighbridgeError) -> ExportOperand {
    guard let image = source.described(position, source.description.inputs)?.image,
      source.image(id, image) != nil
    else { return value }
    let count = image.colorOrder.componentCount
    let bias = image.bias
    return try builder.inFloat32 { (builder) throws(WeighbridgeError) in
      var result = value
      if image.scale != 1 {
        result = try builder.binary("mul", result, builder.number(image.scale, like: result))
      }
      guard bias.contains(where: { $0 != 0 }) else { return result }
      return try builder.binary(
        "add", result, .constant(Tensor(.float32, shape: [1, count, 1, 1], bias)))
    }
  }

  /// The image that an output is described as; `nil` for an array.
  private func image(ofOutput position: Int) -> (record: ImageInput, feature: CoreMLImage)? {
    guard kind != .classifier, source.detector == nil,
      let image = source.described(position, source.description.outputs)?.image,
      source.type(source.graph.outputs[position].value).elementType.isFloat, image.scale != 0,
      image.bias.count == image.colorOrder.componentCount,
      let feature = source.image(
        source.graph.outputs[position].value, image, upperBound: Self.largestSize)
    else { return nil }
    return (image, feature)
  }

  /// Converts what the layers give to pixels from 0 to 255, where an output is an image.
  func pixels(
    _ results: [ExportOperand], in builder: inout MILBuilder
  ) throws(WeighbridgeError) -> [ExportOperand] {
    var values: [ExportOperand] = []
    for (position, result) in results.enumerated() {
      guard let (image, _) = image(ofOutput: position) else {
        values.append(result)
        continue
      }
      builder.scope.prefix = outputNames[position]
      values.append(
        try builder.inFloat32 { (builder) throws(WeighbridgeError) in
          var value = result
          if image.bias.contains(where: { $0 != 0 }) {
            let negative = Tensor(
              .float32, shape: [1, image.bias.count, 1, 1], image.bias.map { -$0 })
            value = try builder.binary("add", value, .constant(negative))
          }
          guard image.scale != 1 else { return value }
          return try builder.binary("mul", value, builder.number(1 / image.scale, like: value))
        })
    }
    return values
  }

  /// Gives the results the names and the types of the outputs: float32, or integers.
  ///
  /// - Returns: The new names of values.
  func nameOutputs(
    _ results: [ExportOperand], in builder: inout MILBuilder
  ) throws(WeighbridgeError) -> [String: String] {
    builder.floatType = .float32
    let ends = results.map { (name: $0.name, isEnd: isEnd($0, builder)) }
    let fixed = Set(ends.filter { !$0.isEnd }.map(\.name)).union(inputNames)
    return try builder.newNames(for: results, outputNames, isFixed: fixed.contains) {
      (builder, value) throws(WeighbridgeError) in
      // A value of another type of floating-point numbers is cast as an input of this.
      value.type.elementType == .bool
        ? try builder.cast(value, to: .int32).name
        : try builder.add("identity", ["x": .value(value)], as: value.type).name
    }
  }

  private func isEnd(_ value: ExportOperand, _ builder: MILBuilder) -> Bool {
    let type = builder.types[value.name]?.elementType
    return type == .float32 || type == .int32
  }

  /// What a classifier computes after the probabilities, and the names of the program's outputs.
  var classification: (operations: [MILOperation], outputs: [String]) {
    guard kind == .classifier else { return ([], outputNames) }
    let labels = source.description.labels.map { MILValue.string($0) }
    let probabilities = Self.label + "_probabilities"
    let classes = MILValue(.list(.string, count: labels.count), .list(labels))
    let operation = MILOperation(
      "classify",
      inputs: [
        .init("probabilities", [.name(outputNames[0])]), .init("classes", [.value(classes)]),
      ],
      outputs: [
        MILNamedType(Self.label, .string),
        MILNamedType(
          probabilities, .dictionary(key: .string, value: .tensor(.float64, shape: []))),
      ], attributes: [.init("name", .string(Self.label))])
    return ([operation], [Self.label, probabilities])
  }
}

// The description of the inputs and outputs.
extension MILInterface {
  /// The model's names of inputs and outputs that are others in the file, by the latter.
  var ownNames: [String: String] {
    let (inputs, outputs) = (source.graph.inputs, source.graph.outputs)
    var names = Array(zip(inputNames, inputs.map(\.name)))
    if kind == .classifier {
      names.append((classification.outputs[1], outputs[0].name))
    } else if source.detector == nil {
      names += zip(outputNames, outputs.map(\.name))
    }
    return Dictionary(names.filter { $0 != $1 }) { first, _ in first }
  }

  var description: CoreMLDescription {
    var description = CoreMLDescription(inputs: inputs, outputs: outputs)
    if kind == .classifier {
      description.predictedFeature = Self.label
      description.predictedProbabilities = classification.outputs[1]
    }
    return description
  }

  private var inputs: [CoreMLFeature] {
    source.graph.inputs.enumerated().map { position, port in
      let described = source.described(position, source.description.inputs)
      let image = described?.image.flatMap {
        source.image(port.value, $0, upperBound: Self.largestSize)
      }
      var array = array(port.value)
      if source.type(port.value).rank == 0 { array.shape = [1] }
      return CoreMLFeature(
        name: inputNames[position], summary: described?.summary,
        type: image.map { .image($0) } ?? .multiArray(array))
    }
  }

  private var outputs: [CoreMLFeature] {
    if kind == .classifier {
      let summary = source.described(0, source.description.outputs)?.summary
      return [
        CoreMLFeature(name: Self.label, summary: "The most likely class", type: .string),
        CoreMLFeature(
          name: classification.outputs[1], summary: summary, type: .dictionary(.string)),
      ]
    }
    return source.graph.outputs.enumerated().map { position, port in
      if let (_, image) = image(ofOutput: position) {
        return CoreMLFeature(
          name: outputNames[position],
          summary: source.described(position, source.description.outputs)?.summary,
          type: .image(image))
      }
      var array = array(port.value)
      // The sizes of an output follow from those of the inputs.
      if array.flexibility != nil { (array.shape, array.flexibility) = ([], nil) }
      return CoreMLFeature(
        name: outputNames[position],
        summary: source.described(position, source.description.outputs)?.summary,
        type: .multiArray(array))
    }
  }

  private func array(_ value: ValueID) -> CoreMLArray {
    let type = source.type(value)
    let element: CoreMLArray.Element = type.elementType.isFloat ? .float32 : .int32
    if let shape = type.fixedShape { return CoreMLArray(shape: shape, element: element) }
    if let shapes = source.sizes.shapes(of: value) {
      return CoreMLArray(
        shape: shapes[0], element: element,
        flexibility: shapes.count > 1 ? .enumerated(shapes) : nil)
    }
    let defaultSize =
      type.rank == 4 ? CoreMLExportSource.defaultImageSide : CoreMLExportSource.defaultDimension
    return CoreMLArray(
      shape: type.shape.map { $0.value ?? defaultSize }, element: element,
      flexibility: .ranges(
        type.shape.map { CoreMLSizeRange($0, upperBound: Self.largestSize) }))
  }
}
