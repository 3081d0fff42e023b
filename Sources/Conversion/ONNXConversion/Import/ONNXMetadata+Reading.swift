import Bytes
import ConversionCore
import GraphIR
import LayerCatalog
import ONNXFormat

/// Reading a model's metadata; see ``ONNXMetadata`` for the keys.
extension ONNXMetadata {
  /// Returns the program that wrote the file.
  static func provenance(_ model: ONNXModel) -> Provenance {
    var provenance = Provenance()
    provenance.framework = model.producerName.isEmpty ? "onnx" : model.producerName
    provenance.frameworkVersion = model.producerVersion.isEmpty ? nil : model.producerVersion
    return provenance
  }

  private static func isFromWeighbridge(_ model: ONNXModel) -> Bool {
    model.producerName == "weighbridge"
  }

  /// Returns the description in ONNX's own fields.
  private static func description(_ model: ONNXModel, _ graph: Graph) -> ModelDescription {
    let summaries = Dictionary(
      (model.graph.inputs + model.graph.outputs).map { ($0.name, $0.summary) },
      uniquingKeysWith: { first, _ in first })
    func feature(_ port: Port) -> ModelDescription.Feature {
      var feature = ModelDescription.Feature(name: port.name)
      feature.summary = summaries[port.name] ?? nil
      return feature
    }
    var description = ModelDescription(
      inputs: graph.inputs.map(feature), outputs: graph.outputs.map(feature))
    description.name = ["", "model"].contains(model.graph.name) ? nil : model.graph.name
    description.summary = model.summary
    return description
  }

  /// Describes a model with the file's metadata. In files written by other programs, only ONNX's
  /// own keys are interpreted; the rest are kept as they are.
  ///
  /// - Parameter detector: The detector, where the file performs non-maximum suppression.
  /// - Throws: ``WeighbridgeError/Code/malformed`` when the metadata of a file written by this
  ///   package does not fit the graph.
  static func describe(
    _ content: inout ModelContent, _ model: ONNXModel, detector: DetectorDescription?
  ) throws(WeighbridgeError) {
    content.description = description(model, content.graph)
    content.description.detector = detector
    let entries = model.metadata.map { (key: $0.key, value: $0.value) }
    if isFromWeighbridge(model) {
      try DescriptionEntries.apply(entries, .onnx, to: &content)
      return
    }
    for (key, value) in entries {
      switch MetadataScheme.onnx.field(of: key) {
      case .author: content.description.author = value
      case .license: content.description.license = License(parsing: value)
      default: content.description.userDefined[key] = value
      }
    }
  }
}
