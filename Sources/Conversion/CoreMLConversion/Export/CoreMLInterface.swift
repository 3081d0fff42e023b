import Bytes
import ConversionCore
import CoreMLFormat
import GraphIR
import LayerCatalog

/// The model around a network's layers: its inputs, outputs and kind.
struct CoreMLInterface {
  private let source: CoreMLExportSource
  private let network: CoreMLLayers
  private let kind: CoreMLKind
  /// The lowest specification version that has the features.
  let version: Int
  /// What the file stores in another form, as messages.
  let losses: [String]

  /// - Throws: ``WeighbridgeError/Code/mismatch`` when the model cannot be of the requested kind.
  init(
    _ source: CoreMLExportSource, _ network: CoreMLLayers, _ requestedKind: CoreMLKind?
  ) throws(WeighbridgeError) {
    self.source = source
    self.network = network
    kind = try source.kind(requestedKind)
    let dynamicInputs = source.graph.inputs.filter { source.type($0.value).fixedShape == nil }
    let hasDefaults = source.description.inputs.contains { ($0.defaultValue ?? 0) != 0 }
    version = hasDefaults ? 5 : !dynamicInputs.isEmpty || source.detector != nil ? 3 : 1
    losses = dynamicInputs.map { port in
      guard source.sizes.shapes(of: port.value) == nil else {
        return "\(port.name) accepts only the given sizes"
      }
      return
        "unknown sizes of \(port.name) are flexible; they default to \(CoreMLExportSource.defaultImageSide) for "
        + "the sides of images, else to 1"
    }
  }

  /// Returns the complete model.
  func model(version: Int, _ metadata: CoreMLMetadata) -> CoreMLModel {
    let layers = CoreMLNetwork(
      layers: network.layers, preprocessing: preprocessing,
      arrayMapping: network.axes == .exact ? .exact : .rank5,
      imageMapping: network.axes == .exact ? .rank4 : .rank5)
    var description = CoreMLDescription(
      inputs: inputs(version: version), outputs: outputs(version: version), metadata: metadata)
    let content: CoreMLContent
    switch kind {
    case .network: content = .neuralNetwork(layers)
    case .classifier:
      content = .neuralNetworkClassifier(layers, classes)
      description.predictedFeature = Self.label
      description.predictedProbabilities = network.outputNames[0]
    case .regressor:
      content = .neuralNetworkRegressor(layers)
      description.predictedFeature = network.outputNames[0]
    }
    return CoreMLModel(
      specificationVersion: version, description: description, content: content)
  }
}

extension CoreMLInterface {
  /// The name of the classifier's output with the most probable class.
  private static let label = "classLabel"

  private var classes: CoreMLClasses {
    CoreMLClasses(
      labels: .strings(source.description.labels), probabilities: network.outputNames[0])
  }

  private func inputs(version: Int) -> [CoreMLFeature] {
    source.graph.inputs.enumerated().map { position, port in
      let described = source.described(position, source.description.inputs)
      let image = described?.image.flatMap { source.image(port.value, $0) }
      var array = array(port.value, version: version)
      array.defaultValue = described?.defaultValue.flatMap { Self.defaultValue($0, array) }
      return CoreMLFeature(
        name: port.name, summary: described?.summary,
        type: image.map { .image($0) } ?? .multiArray(array),
        isOptional: image == nil && described?.defaultValue != nil)
    }
  }

  /// What an omitted array is filled with; `nil` for 0, which needs no record.
  private static func defaultValue(_ number: Double, _ array: CoreMLArray) -> CoreMLArray.Default? {
    if number == 0 { return nil }
    return array.element == .int32 ? .integer(Int(number)) : .float(number)
  }

  private func outputs(version: Int) -> [CoreMLFeature] {
    var features: [CoreMLFeature] = []
    for (position, port) in source.graph.outputs.enumerated() {
      let type: CoreMLFeatureType =
        switch kind {
        case .network: .multiArray(array(port.value, version: version))
        case .classifier: .dictionary(.string)
        case .regressor: .double
        }
      features.append(
        CoreMLFeature(
          name: network.outputNames[position],
          summary: source.described(position, source.description.outputs)?.summary, type: type))
    }
    guard kind == .classifier else { return features }
    return features + [
      CoreMLFeature(name: Self.label, summary: "The most likely class", type: .string)
    ]
  }

  /// Core ML allows float32 arrays as a model's inputs and outputs from version 4 on; before that,
  /// tools write float64.
  private func array(_ value: ValueID, version: Int) -> CoreMLArray {
    let type = source.type(value)
    let isExact = network.axes == .exact
    let shape = isExact ? type.shape : Array(type.shape.dropFirst())
    let hasUnknownSize = shape.contains { $0.value == nil }
    let isImage = shape.count == 3 && network.axes == .images
    let defaultSize =
      isImage ? CoreMLExportSource.defaultImageSide : CoreMLExportSource.defaultDimension
    let element: CoreMLArray.Element =
      version < 4 ? .double : type.elementType.isFloat ? .float32 : .int32
    if hasUnknownSize, let shapes = source.sizes.shapes(of: value) {
      let allShapes = shapes.map { isExact ? $0 : Array($0.dropFirst()) }
      return CoreMLArray(
        shape: allShapes[0], element: element,
        flexibility: allShapes.count > 1 ? .enumerated(allShapes) : nil)
    }
    return CoreMLArray(
      shape: shape.map { $0.value ?? defaultSize }, element: element,
      flexibility: hasUnknownSize ? .ranges(shape.map { CoreMLSizeRange($0) }) : nil)
  }

  /// How pixels are converted to input values.
  private var preprocessing: [CoreMLPreprocessing] {
    source.graph.inputs.enumerated().compactMap { position, port in
      guard let image = source.described(position, source.description.inputs)?.image,
        source.image(port.value, image) != nil
      else { return nil }
      let bias = image.bias
      let step: CoreMLPreprocessing.Step =
        switch image.colorOrder {
        case .rgb:
          .scaler(scale: image.scale, red: bias[0], green: bias[1], blue: bias[2], gray: 0)
        case .bgr:
          .scaler(scale: image.scale, red: bias[2], green: bias[1], blue: bias[0], gray: 0)
        case .gray: .scaler(scale: image.scale, red: 0, green: 0, blue: 0, gray: bias[0])
        }
      return CoreMLPreprocessing(feature: port.name, step: step)
    }
  }
}
