import Bytes
import ConversionCore
import CoreMLFormat
import GraphIR
import LayerCatalog

/// A model as the contents of a Core ML file.
struct CoreMLTranslation {
  /// Everything but the elements of the weights.
  let model: CoreMLModel
  /// The weights; a placeholder's offset is an index into them.
  let weights: [CoreMLWeightData]
  /// What the file lacks or stores in another form, as messages.
  let losses: [String]

  /// - Throws: ``WeighbridgeError/Code/unsupported`` with every layer that Core ML cannot express;
  ///   ``WeighbridgeError/Code/mismatch`` for a version that cannot be written, or a kind that the
  ///   model cannot be.
  init(_ content: ModelContent, options: CoreMLOptions) throws(WeighbridgeError) {
    let requested = options.specVersion
    if let requested, !CoreMLVersions.writable.contains(requested) {
      throw .mismatch("specification version \(requested) is asked for, and 1 to 5 can be written")
    }
    guard !content.graph.inputs.isEmpty else {
      throw .unsupported("takes no inputs, and a network of Core ML takes at least one")
    }
    let source = try CoreMLExportSource(content, options: options)
    let network = try Self.network(source, options)
    let interface = try CoreMLInterface(source, network, options.kind)
    let version = max(network.version, interface.version, requested ?? 1)
    guard version == requested ?? version else {
      throw .unsupported(
        "the model needs specification version \(version), and version \(requested ?? version) is"
          + " asked for")
    }
    let metadata = CoreMLMetadata(
      source.description, content.provenance, returnsBoxes: source.detector != nil)
    weights = network.weights
    guard let detector = source.detector else {
      model = interface.model(version: version, metadata)
      losses = source.losses + interface.losses + network.widened.losses
      return
    }
    let detection = CoreMLDetection(detector, labels: source.description.labels)
    model = detection.pipeline(
      interface.model(version: version, CoreMLMetadata()), metadata: metadata)
    losses = source.losses + interface.losses + network.widened.losses + detection.losses
  }

  /// Returns the layers, with the axes of images where that is possible and allowed.
  private static func network(
    _ source: CoreMLExportSource, _ options: CoreMLOptions
  ) throws(WeighbridgeError) -> CoreMLLayers {
    let requested = options.specVersion
    if requested ?? 1 <= CoreMLVersions.lastWithImageAxes {
      do throws(WeighbridgeError) {
        let layers = try CoreMLLayers(source, axes: .images, options)
        if layers.version <= requested ?? CoreMLVersions.lastWithImageAxes { return layers }
      } catch {
        if requested != nil { throw error }
      }
    }
    return try CoreMLLayers(source, axes: .exact, options)
  }
}

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

  init(_ content: ModelContent, options: CoreMLOptions) throws(WeighbridgeError) {
    var (graph, description) = (
      try BatchOfOne(content.graph, ranks: 3...3).graph, content.description
    )
    detector = options.withNMS ?? true ? description.detector : nil
    if options.withNMS ?? (detector != nil) {
      graph = try Self.boxes(graph, description)
      description.outputs = []  // their summaries describe the heads
    }
    if options.foldBatchNorm { graph = try BatchNormalizationFolding(graph).graph }
    graph = try PixelBlocks(graph).graph  // Core ML has at most five axes
    let converted = try ChannelsFirst(
      graph, transposesPorts: true, outputGroup: description.headNames,
      needsLayout: CoreMLOperators.table.needsLayout)
    self.graph = converted.graph
    self.description = converted.adapting(description)
    let types = try SingleExample.types(converted.graph, for: "Core ML")
    self.types = types
    sizes = try CoreMLImageSizes(
      options.sizes, converted.graph, converted.graph.inputs.map { types[$0.value.index] })
    var losses = converted.losses
    if detector != nil { losses += DetectionDecoding.losses(content.description) }
    self.losses = losses
  }

  /// Returns the graph of a detector that returns boxes.
  private static func boxes(
    _ graph: Graph, _ description: ModelDescription
  ) throws(WeighbridgeError) -> Graph {
    do throws(WeighbridgeError) {
      let boxes = try DetectionDecoding(graph, description).graph
      let names = CoreMLDetection.rawOutputs
      return boxes.renamingPorts(
        inputs: boxes.inputs.map(\.name), outputs: [names.confidence, names.coordinates])
    } catch {
      throw WeighbridgeError(
        error.code, "\(error.reason) (\(APIName.withoutNMS) writes the heads as they are)",
        place: error.place)
    }
  }

  /// Returns the type of a value.
  func type(_ id: ValueID) -> TensorType { types[id.index] }
}
