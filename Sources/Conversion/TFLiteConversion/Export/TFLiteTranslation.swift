import Bytes
import ConversionCore
import GraphIR
import LayerCatalog
import TFLiteFormat

/// A model as the contents of a TFLite file.
struct TFLiteTranslation {
  /// Everything but the elements of the weights.
  let model: TFLiteModel
  /// The weights in the order of the file, and the types in which they are stored.
  let weights: [TFLiteWeight]
  /// Descriptions of what the file lacks, or contains in another form.
  let losses: [String]

  init(_ content: ModelContent, options: TFLiteOptions) throws(WeighbridgeError) {
    let prepared = try PreparedModel(
      content, TFLiteExporter.passes(options), for: "TFLite", TFLiteOperators.table)
    let graph = prepared.graph
    let suppression =
      options.withNMS ?? false
      ? try content.description.detector.map { (detector) throws(WeighbridgeError) in
        try TFLiteSuppression(detector, usesCustomOperator: options.detectionPostprocess)
      } : nil
    let requestedNames =
      suppression == nil ? graph.outputs.map(\.name) : TFLiteSuppression.outputNames
    let replaced = Self.replacedTypes(graph)
    var builder = TFLiteBuilder(
      reserved: graph.inputs.map(\.name), replacedTypes: Set(replaced))
    let outputNames = requestedNames.map { builder.unusedName($0) }
    let inputs = graph.inputs.map { builder.addInput($0.name, graph[$0.value].type) }
    var results = try builder.emit(graph, inputs: inputs, groups: ExportGroups())
    if let suppression, results.count == 2 {
      results = try suppression.add(
        confidence: results[0], coordinates: results[1], to: &builder)
    }
    let fixed = Set(inputs.map(\.name))
    let newNames = try builder.newNames(for: results, outputNames, isFixed: fixed.contains) {
      (builder, value) throws(WeighbridgeError) in
      try builder.cast(value, to: value.type.elementType).name
    }
    var layout = TFLiteLayout(options.precision)
    layout.add(
      TFLiteSubgraph(
        "main", builder, inputs: inputs.map(\.name), outputs: outputNames, renaming: newNames))
    var description = TFLiteDescription(
      prepared.description, content.provenance, graph,
      returnsDetections: suppression != nil)
    description.rename(outputs: outputNames)
    var model = layout.model(
      inputs: graph.inputs.map(\.name), outputs: outputNames,
      description: content.description.name ?? "")
    model.entries = [try description.metadata.entry()] + description.entries
    model.files = description.files
    self.model = model
    weights = layout.weights
    let renamed = zip(requestedNames, outputNames).filter { $0 != $1 }
    var losses = renamed.map { (requested, name) -> String in
      "the output \(requested) is called \(name)"
    }
    losses += prepared.losses + description.losses
    losses += (suppression?.losses ?? []) + layout.widened.losses
    losses += replaced.map { (type) -> String in "\(type.rawValue) is computed in float32" }
    losses += Self.integerLosses(graph, layout)
    self.losses = losses + ["it runs in TFLite \(model.minimumRuntimeVersion) and later"]
  }

  /// The floating-point types of a model that TFLite's kernels do not compute with.
  private static func replacedTypes(_ graph: Graph) -> [ElementType] {
    let used = Set(graph.withSubgraphs.flatMap(\.values).map(\.type.elementType))
    return [.bfloat16, .float16, .float64].filter(used.contains)
  }

  /// How layers with 8-bit integers are computed, as a message.
  private static func integerLosses(_ graph: Graph, _ layout: TFLiteLayout) -> [String] {
    let count = graph.quantizedLayerCounts.integers
    let kernels = layout.graphs[0].operators.count {
      $0.code.builtin == .conv2D && layout.graphs[0].tensors[$0.inputs[0]].type == .int8
    }
    guard count > 0 else { return [] }
    return [
      "\(kernels) of \(count) layers with 8-bit integers are computed with them, and the others in "
        + "float32 with their inputs rounded"
    ]
  }
}
