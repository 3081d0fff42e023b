import Bytes
import GraphIR
import ONNXFormat

/// What a file says of a model; see ``ONNXMetadata`` for the keys.
extension ONNXMetadata {
  /// The keys whose values only our own files have so.
  private static let ownKeys: Set<String> = ["model_version", "labels", "detector", "source"]

  private static func isOwn(key: String) -> Bool {
    ownKeys.contains(key) || ["image.", "Image."].contains { key.hasPrefix($0) }
  }

  /// Where the model came from before it became ONNX, or who wrote the file.
  static func provenance(_ model: ONNXModel) -> Provenance {
    var provenance = Provenance()
    let producer = model.producerName.isEmpty ? "onnx" : model.producerName
    (provenance.framework, provenance.frameworkVersion) = (producer, model.producerVersion)
    if isOwn(model), let source = model.metadata.first(where: { $0.key == "source" })?.value {
      let words = source.split(separator: " ", maxSplits: 1).map(String.init)
      provenance.framework = words.first ?? ""
      provenance.frameworkVersion = words.count > 1 ? words[1] : nil
    }
    if provenance.frameworkVersion?.isEmpty == true { provenance.frameworkVersion = nil }
    return provenance
  }

  private static func isOwn(_ model: ONNXModel) -> Bool { model.producerName == "weighbridge" }

  /// The description as far as it is plain text.
  static func description(_ model: ONNXModel, _ graph: Graph) -> ModelDescription {
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
    for (key, value) in model.metadata {
      switch key {
      case "model_author": description.author = value
      case "model_license": description.license = License(parsing: value)
      case _ where isOwn(model) && isOwn(key: key):
        if key == "model_version" { description.version = value }
      default:
        let own = isOwn(model) && key.hasPrefix("user.") ? String(key.dropFirst(5)) : key
        description.userDefined[own] = value
      }
    }
    return description
  }

  /// Adds what our own files say of labels, pictures and boxes.
  ///
  /// - Throws: ``WeighbridgeError/Code/malformed`` when it does not fit the graph.
  static func describe(
    _ content: inout ModelContent, _ model: ONNXModel
  ) throws(WeighbridgeError) {
    guard isOwn(model) else { return }
    try PortableMetadata.apply(model.metadata.map { (key: $0.key, value: $0.value) }, to: &content)
  }
}
