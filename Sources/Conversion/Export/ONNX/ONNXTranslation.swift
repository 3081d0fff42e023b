import Bytes
import GraphIR
import LayerCatalog
import ONNXFormat

/// A model as an ONNX file will have it.
struct ONNXTranslation {
  /// Everything but the elements of the weights.
  let model: ONNXModel
  /// The weights in the model's order.
  let weights: [ONNXWeight]
  /// What the file does not hold, or holds in another form, in words.
  let losses: [String]

  /// The operators that every runtime of today reads.
  static let standardOpset = 17

  /// The rules of the file format that belong to a version of the operators.
  private static let irVersions = [
    13: 7, 14: 7, 15: 8, 16: 8, 17: 8, 18: 8, 19: 9, 20: 9, 21: 10,
  ]

  /// - Throws: ``WeighbridgeError/Code/unsupported`` with every layer that ONNX has no form for;
  ///   ``WeighbridgeError/Code/mismatch`` for a version that cannot be written.
  init(_ content: ModelContent, options: ExportOptions) throws(WeighbridgeError) {
    let opset = options.opset ?? Self.standardOpset
    guard let irVersion = Self.irVersions[opset] else {
      throw WeighbridgeError(.mismatch, "opset \(opset), and 13 to 21 can be written")
    }
    let (turned, suppression) = try Self.prepared(content, options)
    let (graph, description) = (turned.graph, turned.describing(content.description))
    let names = graph.inputs.map(\.name)
    var draft = ONNXDraft(opset: opset, precision: options.precision, reserved: names)
    let wanted = suppression == nil ? graph.outputs.map(\.name) : ONNXSuppression.outputNames
    let outputNames = wanted.map { draft.unusedName($0) }
    let ports = try Self.translate(graph, description, outputNames, suppression, into: &draft)
    var ending = ONNXEnding(draft, inputs: Set(names))
    for (value, name) in zip(ports.results, outputNames) { ending.give(value, as: name) }
    let (nodes, kept) = ending.finish()
    weights = kept
    model = ONNXModel(
      irVersion: irVersion, opset: opset, producerName: "weighbridge",
      producerVersion: content.provenance.converter.replacing("weighbridge ", with: ""),
      summary: description.summary,
      metadata: ONNXMetadata.entries(
        description, content.provenance, omitting: suppression == nil ? [] : [.detector]),
      graph: ONNXGraph(
        name: description.name ?? "model", nodes: nodes, initializers: kept.map(\.head),
        inputs: ports.inputs, outputs: ports.outputs))
    losses =
      zip(wanted, outputNames).filter { $0 != $1 }.map { "the output \($0) is called \($1)" }
      + (suppression.map { $0.losses + DetectionDecoding.losses(content.description) } ?? [])
      + (content.references.isEmpty ? [] : ["the reference arrays are not in the file"])
  }

  /// The graph as it is translated, and what thins out its boxes where that is wanted.
  private static func prepared(
    _ content: ModelContent, _ options: ExportOptions
  ) throws(WeighbridgeError) -> (ChannelsFirst, ONNXSuppression?) {
    var graph = content.graph
    var suppression: ONNXSuppression?
    if options.suppressesBoxes ?? false {
      graph = try DetectionDecoding(graph, content.description).graph
      suppression = try content.description.detector.map { (detector) throws(WeighbridgeError) in
        try ONNXSuppression(detector)
      }
    }
    if options.foldsBatchNormalization { graph = try BatchNormalizationFolding(graph).graph }
    let turned = try ChannelsFirst(
      graph, turnsPorts: options.layout == .nchw, together: content.description.headNames,
      needs: ONNXOperators.needsChannelsFirst)
    return (turned, suppression)
  }

  /// What the file takes and gives, and what its outputs are called before they get their names.
  private struct Ports {
    var results: [String]
    var inputs: [ONNXFeature]
    var outputs: [ONNXFeature]
  }

  /// Adds what all nodes become, and what thins out boxes.
  private static func translate(
    _ graph: Graph, _ description: ModelDescription, _ outputNames: [String],
    _ suppression: ONNXSuppression?, into draft: inout ONNXDraft
  ) throws(WeighbridgeError) -> Ports {
    let values = try translate(graph, into: &draft)
    let results = graph.outputs.compactMap { values[$0.value.index]?.name }
    var ports = Ports(
      results: results,
      inputs: features(graph, graph.inputs, graph.inputs.map(\.name), description.inputs),
      outputs: features(graph, graph.outputs, outputNames, description.outputs))
    if let suppression, results.count == 2 {
      let boxes = suppression.add(confidence: results[0], coordinates: results[1], to: &draft)
      ports.results = boxes.outputs
      ports.inputs += boxes.thresholds
      ports.outputs = ONNXSuppression.outputs(outputNames)
    }
    return ports
  }

  /// Adds what all nodes become.
  ///
  /// - Returns: For each value what it is called, where a node reads it or makes it.
  private static func translate(
    _ graph: Graph, into draft: inout ONNXDraft
  ) throws(WeighbridgeError) -> [ExportOperand?] {
    var operands = [ExportOperand?](repeating: nil, count: graph.values.count)
    for (index, value) in graph.values.enumerated() {
      guard let tensor = value.constant else { continue }
      operands[index] = ExportOperand(name: value.name, type: value.type, constant: tensor)
    }
    for port in graph.inputs {
      operands[port.value.index] = ExportOperand(
        name: port.name, type: graph[port.value].type, constant: nil)
    }
    var problems = ExportProblems()
    for node in graph.nodes {
      let inputs = node.inputs.compactMap { operands[$0.index] }
      do throws(WeighbridgeError) {
        if inputs.count < node.inputs.count { continue }  // behind a layer that is named already
        let outputs = try draft.apply(node.operation, named: node.name, inputs)
        for (id, name) in zip(node.outputs, outputs) {
          operands[id.index] = ExportOperand(name: name, type: graph[id].type, constant: nil)
        }
      } catch {
        problems.add("\(node.source.callName) (\(node.source.className))", error.reason)
      }
    }
    try problems.check("ONNX")
    return operands
  }

  private static func features(
    _ graph: Graph, _ ports: [Port], _ names: [String],
    _ descriptions: [ModelDescription.Feature]
  ) -> [ONNXFeature] {
    zip(ports, names).enumerated().map { position, pair in
      let type = graph[pair.0.value].type
      let description = position < descriptions.count ? descriptions[position] : nil
      return ONNXFeature(
        name: pair.1, elementType: type.elementType, shape: ONNXFeature.extents(type),
        summary: description?.summary, denotation: description?.image == nil ? nil : "IMAGE",
        axisDenotations: description?.image?.axisDenotations(rank: type.rank) ?? [])
    }
  }
}

extension ImageInput {
  /// What the axes of the input are, in ONNX' words.
  fileprivate func axisDenotations(rank: Int) -> [String] {
    guard let axes = layout.pictureAxes(rank: rank) else { return [] }
    return (0..<rank).map { axis in
      if axis == rank - 4 { return "DATA_BATCH" }
      return axis == axes.channels ? "DATA_CHANNEL" : "DATA_FEATURE"
    }
  }
}

/// The nodes of a file once all are there: named outputs, and nothing that no output needs.
struct ONNXEnding {
  private var nodes: [ONNXNode]
  private let weights: [ONNXWeight]
  /// Names that stay what they are: those of inputs and weights.
  private let fixed: Set<String>
  private var newNames: [String: String] = [:]
  private var outputs: [String] = []

  init(_ draft: ONNXDraft, inputs: Set<String>) {
    nodes = draft.casts + draft.nodes
    weights = draft.weights
    fixed = inputs.union(draft.weights.map(\.head.name))
  }

  /// Makes a value an output of that name.
  mutating func give(_ value: String, as name: String) {
    outputs.append(name)
    if !fixed.contains(value), newNames[value] == nil {
      newNames[value] = name
      return
    }
    let source = newNames[value] ?? value
    nodes.append(
      ONNXNode(
        name: name, operation: "Identity", inputs: [source], outputs: [name], attributes: []))
  }

  /// The nodes and weights that outputs need.
  func finish() -> ([ONNXNode], [ONNXWeight]) {
    var needed = Set(outputs)
    var kept: [ONNXNode] = []
    for node in nodes.reversed() {
      let node = renamed(node)
      guard node.outputs.contains(where: needed.contains) else { continue }
      needed.formUnion(node.readNames)
      kept.append(node)
    }
    return (kept.reversed(), weights.filter { needed.contains($0.head.name) })
  }

  private func renamed(_ node: ONNXNode) -> ONNXNode {
    var result = node
    result.inputs = node.inputs.map { newNames[$0] ?? $0 }
    result.outputs = node.outputs.map { newNames[$0] ?? $0 }
    result.attributes = node.attributes.map { name, value in
      guard case .graph(var body) = value else { return (name, value) }
      body.nodes = body.nodes.map(renamed)
      return (name, .graph(body))
    }
    return result
  }
}

extension ONNXNode {
  /// The values that it, or a body of it, reads.
  fileprivate var readNames: [String] {
    var names = inputs
    for case (_, .graph(let body)) in attributes { names += body.nodes.flatMap(\.readNames) }
    return names
  }
}
