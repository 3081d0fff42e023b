import Bytes
import ConversionCore
import GraphIR
import LayerCatalog
import ONNXFormat

/// What a file says of a model; see ``ONNXMetadata`` for the keys.
extension ONNXMetadata {
  /// Who wrote the file.
  static func provenance(_ model: ONNXModel) -> Provenance {
    var provenance = Provenance()
    provenance.framework = model.producerName.isEmpty ? "onnx" : model.producerName
    provenance.frameworkVersion = model.producerVersion.isEmpty ? nil : model.producerVersion
    return provenance
  }

  private static func isOwn(_ model: ONNXModel) -> Bool { model.producerName == "weighbridge" }

  /// What stands in places of ONNX' own.
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

  /// Describes a model as the file does. Of a file of others only the keys that ONNX has are
  /// understood; the rest are kept as they are.
  ///
  /// - Parameter detector: How boxes are read, where the file chooses among them.
  /// - Throws: ``WeighbridgeError/Code/malformed`` when what our own files say does not fit the graph.
  static func describe(
    _ content: inout ModelContent, _ model: ONNXModel, detector: DetectorDescription?
  ) throws(WeighbridgeError) {
    content.description = description(model, content.graph)
    content.description.detector = detector
    let entries = model.metadata.map { (key: $0.key, value: $0.value) }
    if isOwn(model) {
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
