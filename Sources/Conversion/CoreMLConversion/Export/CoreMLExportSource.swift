import Bytes
import ConversionCore
import CoreMLFormat
import GraphIR
import LayerCatalog

/// A model's graph prepared for translation: channels first, with a batch of one.
struct CoreMLExportSource {
  /// The graph.
  let graph: Graph
  /// The types of all values, by ``ValueID/index``.
  let types: [TensorType]
  /// The model's description.
  let description: ModelDescription
  /// The sizes that images may have.
  let sizes: CoreMLImageSizes
  /// The detector whose boxes the graph returns; `nil` where it returns no boxes.
  let detector: DetectorDescription?
  /// What the file stores in another form, as messages.
  let losses: [String]

  /// - Parameters:
  ///   - passes: The changes to the model.
  ///   - table: How operators are written.
  ///   - withNMS: Whether a detector returns boxes; by default it does.
  ///   - sizes: The sizes that images may have.
  init<Builder>(
    _ content: ModelContent, _ passes: [ExportPass], _ table: ExportTable<Builder>, withNMS: Bool?,
    sizes: [ImageSize]
  ) throws(WeighbridgeError) {
    guard !content.graph.inputs.isEmpty else {
      throw .unsupported("takes no inputs, and a model of Core ML takes at least one")
    }
    let prepared = try PreparedModel(content, passes, for: "Core ML", table)
    detector = withNMS ?? true ? content.description.detector : nil
    let graph = detector == nil ? prepared.graph : CoreMLDetection.naming(prepared.graph)
    self.sizes = try CoreMLImageSizes(
      sizes, graph, graph.inputs.map { prepared.types[$0.value.index] })
    self.graph = graph
    (types, description, losses) = (prepared.types, prepared.description, prepared.losses)
  }

  /// Returns the type of a value.
  func type(_ id: ValueID) -> TensorType { types[id.index] }
}

extension CoreMLExportSource {
  /// The default size of an axis of unknown size: for images, and for everything else.
  static let (defaultImageSide, defaultDimension) = (256, 1)

  /// What the model is.
  ///
  /// - Throws: ``WeighbridgeError/Code/mismatch`` when it cannot be of the requested kind.
  func kind(_ requestedKind: CoreMLKind?) throws(WeighbridgeError) -> CoreMLKind {
    let outputs = graph.outputs.map { type($0.value) }
    let labels = description.labels
    let isVector = outputs.count == 1 && outputs[0].shape.dropLast().allSatisfy { $0 == 1 }
    let hasProbabilities =
      detector == nil && isVector && !labels.isEmpty
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

  /// What the description says of a port.
  func described(
    _ position: Int, _ features: [ModelDescription.Feature]
  ) -> ModelDescription.Feature? {
    position < features.count ? features[position] : nil
  }

  /// Returns the type of an input that is an image; `nil` for arrays that cannot be images.
  ///
  /// - Parameter upperBound: The largest size of an axis of unknown size; by default there is none.
  func image(
    _ value: ValueID, _ image: ImageInput, upperBound: Int? = nil
  ) -> CoreMLImage? {
    let type = type(value)
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
    if let preferred = sizes.sizes.first {
      let all = sizes.sizes.map { CoreMLImage.Size(width: $0.width, height: $0.height) }
      return CoreMLImage(
        size: .init(width: preferred.width, height: preferred.height), colorSpace: color,
        flexibility: .enumerated(all))
    }
    let sides = type.shape[2...].map { $0.value ?? Self.defaultImageSide }
    let ranges = type.shape[2...].map { CoreMLSizeRange($0, upperBound: upperBound) }
    return CoreMLImage(
      size: .init(width: sides[1], height: sides[0]), colorSpace: color,
      flexibility: .range(width: ranges[1], height: ranges[0]))
  }
}

extension CoreMLSizeRange {
  /// The sizes that an axis may have.
  init(_ dimension: Dimension, upperBound: Int? = nil) {
    self.init(
      lowerBound: dimension.value ?? 1, upperBound: dimension.value ?? upperBound)
  }
}
