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
    let source = try CoreMLExportSource(
      content, CoreMLExporter.passes(options), CoreMLOperators.table, withNMS: options.withNMS,
      sizes: options.sizes)
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
