import Bytes
import ConversionCore
import GraphIR
import LayerCatalog
import ONNXFormat

/// A model as the contents of an ONNX file.
struct ONNXTranslation {
  /// Everything but the elements of the weights.
  let model: ONNXModel
  /// The weights in the model's order.
  let weights: [ONNXWeight]
  /// What the file lacks or stores in another form, as messages.
  let losses: [String]

  /// The opset that every current runtime reads.
  static let standardOpset = 17

  /// The IR version of each opset.
  private static let irVersions = [
    13: 7, 14: 7, 15: 8, 16: 8, 17: 8, 18: 8, 19: 9, 20: 9, 21: 10, 22: 10, 23: 11,
  ]

  /// - Throws: ``WeighbridgeError/Code/unsupported`` with every layer that ONNX cannot express;
  ///   ``WeighbridgeError/Code/mismatch`` for a version that cannot be written.
  init(_ content: ModelContent, options: ONNXOptions) throws(WeighbridgeError) {
    let opset = options.opset ?? Self.standardOpset
    guard let irVersion = Self.irVersions[opset] else {
      throw .mismatch("the opset \(opset) is asked for, and 13 to 23 can be written")
    }
    let detector = options.withNMS ?? false ? content.description.detector : nil
    let suppression = try detector.map { (detector) throws(WeighbridgeError) in
      try ONNXSuppression(detector)
    }
    let prepared = try PreparedModel(
      content, ONNXExporter.passes(options), for: "ONNX", ONNXOperators.table)
    let (graph, description) = (prepared.graph, prepared.description)
    let names = graph.inputs.map(\.name)
    var builder = ONNXGraphBuilder(opset: opset, precision: options.precision, reserved: names)
    let requestedNames =
      suppression == nil ? graph.outputs.map(\.name) : ONNXSuppression.outputNames
    let outputNames = requestedNames.map { builder.unusedName($0) }
    let ports = try Self.translate(graph, description, outputNames, suppression, into: &builder)
    let (nodes, neededWeights) = try Self.finished(
      &builder, ports.results, outputNames, inputs: names)
    weights = neededWeights
    model = ONNXModel(
      irVersion: irVersion, opset: opset, producerName: "weighbridge",
      producerVersion: content.provenance.converter.replacing("weighbridge ", with: ""),
      summary: description.summary,
      metadata: ONNXMetadata.entries(
        description, content.provenance, omitting: suppression == nil ? [] : [.detector]),
      graph: ONNXGraph(
        name: description.name ?? "model", nodes: nodes,
        initializers: neededWeights.map(\.initializer), inputs: ports.inputs,
        outputs: ports.outputs))
    losses =
      zip(requestedNames, outputNames).filter { $0 != $1 }
      .map { "the output \($0) is called \($1)" }
      + (suppression?.losses ?? []) + prepared.losses
      + builder.widened.losses
  }

  /// Returns the nodes and weights that the outputs need, with the outputs renamed.
  private static func finished(
    _ builder: inout ONNXGraphBuilder, _ results: [ExportOperand], _ names: [String],
    inputs: [String]
  ) throws(WeighbridgeError) -> ([ONNXNode], [ONNXWeight]) {
    let fixed = Set(inputs + builder.weights.map(\.initializer.name))
    let newNames = try builder.newNames(for: results, names, isFixed: fixed.contains) {
      (builder, value) in
      builder.add("Identity", [builder.input(value)])
    }
    let nodes = (builder.decodingNodes + builder.nodes).needed(for: names, renaming: newNames)
    let readNames = nodes.reduce(into: Set(names)) { $0.formUnion($1.reads) }
    return (nodes, builder.weights.filter { readNames.contains($0.initializer.name) })
  }

  /// The inputs and outputs of the file, and the results before they get the outputs' names.
  private struct Ports {
    var results: [ExportOperand]
    var inputs: [ONNXFeature]
    var outputs: [ONNXFeature]
  }

  /// Translates all nodes, and adds the suppression of boxes.
  private static func translate(
    _ graph: Graph, _ description: ModelDescription, _ outputNames: [String],
    _ suppression: ONNXSuppression?, into builder: inout ONNXGraphBuilder
  ) throws(WeighbridgeError) -> Ports {
    let inputs = graph.inputs.map { builder.value($0.name, graph[$0.value].type) }
    let results = try builder.emit(graph, inputs: inputs, groups: ExportGroups())
    var ports = Ports(
      results: results,
      inputs: features(graph, graph.inputs, graph.inputs.map(\.name), description.inputs),
      outputs: features(graph, graph.outputs, outputNames, description.outputs))
    if let suppression, results.count == 2 {
      let boxes = suppression.add(
        confidence: results[0].name, coordinates: results[1].name, to: &builder)
      ports.results = boxes.outputs.map {
        ExportOperand(name: $0, type: results[0].type, constant: nil)
      }
      ports.inputs += boxes.thresholds
      ports.outputs = ONNXSuppression.outputs(outputNames)
    }
    return ports
  }

  private static func features(
    _ graph: Graph, _ ports: [Port], _ names: [String],
    _ descriptions: [ModelDescription.Feature]
  ) -> [ONNXFeature] {
    zip(ports, names).enumerated().map { position, pair in
      let type = graph[pair.0.value].type
      let description = position < descriptions.count ? descriptions[position] : nil
      return ONNXFeature(
        name: pair.1, elementType: type.elementType, shape: ONNXFeature.dimensions(type),
        summary: description?.summary, denotation: description?.image == nil ? nil : "IMAGE",
        axisDenotations: description?.image?.axisDenotations(rank: type.rank) ?? [])
    }
  }
}

extension ImageInput {
  /// Returns the meaning of the input's axes, in ONNX's terms.
  fileprivate func axisDenotations(rank: Int) -> [String] {
    guard let axes = layout.imageAxes(rank: rank) else { return [] }
    return (0..<rank).map { axis in
      if axis == rank - 4 { return "DATA_BATCH" }
      return axis == axes.channels ? "DATA_CHANNEL" : "DATA_FEATURE"
    }
  }
}

extension ONNXNode: ExportNode {
  func renaming(_ names: [String: String]) -> ONNXNode {
    var result = self
    result.inputs = inputs.map { names[$0] ?? $0 }
    result.outputs = outputs.map { names[$0] ?? $0 }
    result.attributes = attributes.map { name, value in
      guard case .graph(var body) = value else { return (name, value) }
      body.nodes = body.nodes.map { $0.renaming(names) }
      return (name, .graph(body))
    }
    return result
  }
}
