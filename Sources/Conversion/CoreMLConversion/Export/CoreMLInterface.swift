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

  /// The default size of an axis of unknown size: for images, and for everything else.
  private static let (defaultImageSide, defaultDimension) = (256, 1)

  /// - Throws: ``WeighbridgeError/Code/mismatch`` when the model cannot be of the requested kind.
  init(
    _ source: CoreMLExportSource, _ network: CoreMLLayers, _ requestedKind: CoreMLKind?
  ) throws(WeighbridgeError) {
    self.source = source
    self.network = network
    kind = try Self.kind(source, requestedKind)
    let dynamicInputs = source.graph.inputs.filter { source.type($0.value).fixedShape == nil }
    let hasDefaults = source.description.inputs.contains { ($0.defaultValue ?? 0) != 0 }
    version = hasDefaults ? 5 : !dynamicInputs.isEmpty || source.detector != nil ? 3 : 1
    losses = dynamicInputs.map { port in
      guard source.sizes.shapes(of: port.value) == nil else {
        return "\(port.name) accepts only the given sizes"
      }
      return
        "unknown sizes of \(port.name) are flexible; they default to \(Self.defaultImageSide) for "
        + "the sides of images, else to 1"
    }
  }

  private static func kind(
    _ source: CoreMLExportSource, _ requestedKind: CoreMLKind?
  ) throws(WeighbridgeError) -> CoreMLKind {
    let outputs = source.graph.outputs.map { source.type($0.value) }
    let labels = source.description.labels
    let isVector = outputs.count == 1 && outputs[0].shape.dropLast().allSatisfy { $0 == 1 }
    let hasProbabilities =
      source.detector == nil && isVector && !labels.isEmpty
      && outputs[0].shape.last == .fixed(labels.count)
    switch requestedKind {
    case .classifier where !hasProbabilities:
      throw .mismatch(
        "a classifier gives one vector of probabilities, a label for each; this model has"
          + " \(labels.count.counted("label")) and gives \(outputs)")
    case .regressor where !isVector || outputs[0].shape.last != 1:
      throw .mismatch("a regressor gives one number, and this gives \(outputs)")
    default: return requestedKind ?? (hasProbabilities ? .classifier : .network)
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
      let described = feature(position, source.description.inputs)
      let image = described?.image.flatMap { self.image(port.value, $0) }
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
          summary: feature(position, source.description.outputs)?.summary, type: type))
    }
    guard kind == .classifier else { return features }
    return features + [
      CoreMLFeature(name: Self.label, summary: "The most likely class", type: .string)
    ]
  }

  private func feature(
    _ position: Int, _ features: [ModelDescription.Feature]
  ) -> ModelDescription.Feature? {
    position < features.count ? features[position] : nil
  }

  /// Returns the type of an input that is an image; `nil` for arrays that cannot be images.
  private func image(_ value: ValueID, _ image: ImageInput) -> CoreMLImage? {
    let type = source.type(value)
    guard type.rank == 4, type.shape[0] == 1,
      type.shape[1] == .fixed(image.colorOrder.componentCount)
    else { return nil }
    let color: CoreMLImage.ColorSpace =
      switch image.colorOrder {
      case .rgb: .rgb
      case .bgr: .bgr
      case .gray: .grayscale
      }
    guard type.fixedShape == nil else {
      let sides = type.shape[2...].compactMap(\.value)
      return CoreMLImage(size: .init(width: sides[1], height: sides[0]), colorSpace: color)
    }
    if let preferred = source.sizes.sizes.first {
      let sizes = source.sizes.sizes.map { CoreMLImage.Size(width: $0.width, height: $0.height) }
      return CoreMLImage(
        size: .init(width: preferred.width, height: preferred.height), colorSpace: color,
        flexibility: .enumerated(sizes))
    }
    let sides = type.shape[2...].map { $0.value ?? Self.defaultImageSide }
    let ranges = type.shape[2...].map(Self.range)
    return CoreMLImage(
      size: .init(width: sides[1], height: sides[0]), colorSpace: color,
      flexibility: .range(width: ranges[1], height: ranges[0]))
  }

  /// Core ML allows float32 arrays as a model's inputs and outputs from version 4 on; before that,
  /// tools write float64.
  private func array(_ value: ValueID, version: Int) -> CoreMLArray {
    let type = source.type(value)
    let isExact = network.axes == .exact
    let shape = isExact ? type.shape : Array(type.shape.dropFirst())
    let hasUnknownSize = shape.contains { $0.value == nil }
    let isImage = shape.count == 3 && network.axes == .images
    let defaultSize = isImage ? Self.defaultImageSide : Self.defaultDimension
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
      flexibility: hasUnknownSize ? .ranges(shape.map(Self.range)) : nil)
  }

  private static func range(_ dimension: Dimension) -> CoreMLSizeRange {
    CoreMLSizeRange(lowerBound: dimension.value ?? 1, upperBound: dimension.value)
  }

  /// How pixels are converted to input values.
  private var preprocessing: [CoreMLPreprocessing] {
    source.graph.inputs.enumerated().compactMap { position, port in
      guard let image = feature(position, source.description.inputs)?.image,
        self.image(port.value, image) != nil
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
