import Bytes
import GraphIR
import LayerCatalog
import ONNXFormat

/// Turns the nodes of an ONNX file into a graph.
///
/// What is known beforehand is computed at once: `Constant` nodes, and what files do with shapes. The
/// rest becomes operators of the catalogue, channels-first as ONNX has them, with the weights in
/// their canonical order.
struct ONNXImporter {
  /// The versions of ONNX' operators whose meaning is known.
  static let opsets = 7...28

  /// What the import gives.
  struct Result {
    let graph: Graph
    let decisions: [Provenance.Decision]
    /// How boxes are read, where the file chooses among them.
    let detector: DetectorDescription?
  }

  private var model: ONNXModel
  private let readTensor: ONNXNetwork.TensorReader

  /// - Parameter readTensor: Reads the elements of a tensor of the file.
  init(_ model: ONNXModel, readTensor: @escaping ONNXNetwork.TensorReader) {
    self.model = model
    self.readTensor = readTensor
  }

  /// Imports the graph.
  ///
  /// - Throws: ``WeighbridgeError/Code/unsupported`` with all operators that are not known, or at the
  ///   node that asks for what cannot be done; ``WeighbridgeError/Code/malformed``.
  mutating func run() throws(WeighbridgeError) -> Result {
    guard Self.opsets.contains(model.opset) else {
      throw WeighbridgeError(
        .unsupported,
        "uses the operators of ONNX' opset \(model.opset), and \(Self.opsets.lowerBound) to "
          + "\(Self.opsets.upperBound) can be read")
    }
    let choice = try ONNXBoxChoice(model.graph)
    if let choice { model.graph = choice.network }
    try checkOperators()
    var network = ONNXNetwork(
      opset: model.opset, names: Self.names(model.graph), readTensor: readTensor)
    try begin(&network)
    for (position, node) in model.graph.nodes.enumerated() {
      let source = Self.source(node)
      network = try Self.add(
        node, source, place: source.place(position), keepsNames: true, to: consume network)
    }
    let (graph, detector) = try graph(&network, choice)
    return Result(graph: graph, decisions: network.decisions, detector: detector)
  }

  /// Adds the weights and the inputs. An input that has a weight's name need not be given, and is
  /// what the weight says.
  private func begin(_ network: inout ONNXNetwork) throws(WeighbridgeError) {
    for tensor in model.graph.initializers {
      let elements = try locating({ $0.at(layer: "the weight \(tensor.name)") }) {
        () throws(WeighbridgeError) in try readTensor(tensor)
      }
      network.countStored(elements)
      try network.define(tensor.name, .constant(tensor.name, elements))
    }
    for feature in model.graph.inputs {
      if network.values[feature.name] != nil {
        // Before that version, every weight was among the inputs too.
        if model.irVersion >= 4 {
          network.decide(
            "", "the input \(feature.name) has a value of its own, and always has that")
        }
        continue
      }
      try network.addInput(feature.name, feature.type)
    }
  }

  /// The graph without nodes that no output needs.
  private func graph(
    _ network: inout ONNXNetwork, _ choice: ONNXBoxChoice?
  ) throws(WeighbridgeError) -> (Graph, DetectorDescription?) {
    var ports: [Port] = []
    for feature in model.graph.outputs {
      guard let value = network.values[feature.name] else {
        throw WeighbridgeError(.malformed, "nothing makes the output \(feature.name)")
      }
      ports.append(Port(name: feature.name, value: try network.output(feature.name, value)))
    }
    var detector: DetectorDescription?
    if let choice { (ports, detector) = try choice.add(ports.map(\.value), to: &network) }
    let all = try network.graph.finish(outputs: ports)
    var builder = GraphBuilder()
    let ids = try builder.add(all, for: ports.map(\.value)) { (port) throws(WeighbridgeError) in
      all[port.value].type
    }
    let graph = try builder.finish(
      outputs: ports.compactMap { port in
        ids[port.value.index].map { Port(name: port.name, value: $0) }
      })
    return (graph, detector)
  }

  /// Adds a node to a network.
  ///
  /// - Parameters:
  ///   - place: The node for messages; `nil` when the caller adds it.
  ///   - keepsNames: Whether the node's outputs have their names in the file.
  static func add(
    _ node: ONNXNode, _ source: SourceScope, place: String? = nil, keepsNames: Bool,
    to network: consuming ONNXNetwork
  ) throws(WeighbridgeError) -> ONNXNetwork {
    do throws(WeighbridgeError) {
      guard let build = ONNXNodes.builders[node.operation], node.domain.isEmpty else {
        throw WeighbridgeError(.unsupported, "the operator \(node.fullName) is not known")
      }
      if let name = node.outputs.first(where: { network.values[$0] != nil }) {
        throw WeighbridgeError(.malformed, "two values are called \(name)")
      }
      var layer = ONNXLayer(
        node, source: source, keepsNames: keepsNames, network: consume network)
      let outputs = try build(&layer)
      try layer.finish()
      for (name, value) in zip(node.outputs, outputs) where !name.isEmpty {
        try layer.network.define(name, value)
      }
      if let name = node.outputs.dropFirst(outputs.count).first(where: { !$0.isEmpty }) {
        throw WeighbridgeError(.unsupported, "its output \(name) is not known")
      }
      return layer.network
    } catch { throw place.map { error.at(layer: $0) } ?? error }
  }

  static func source(_ node: ONNXNode) -> SourceScope {
    let name = node.name.isEmpty ? node.outputs.first { !$0.isEmpty } : node.name
    return SourceScope(layer: name ?? node.operation, className: node.operation)
  }

  /// Refuses a graph with operators that are not known, and names them all.
  private func checkOperators() throws(WeighbridgeError) {
    var counts: [String: Int] = [:]
    var graphs = [model.graph]
    while let graph = graphs.popLast() {
      for node in graph.nodes {
        if ONNXNodes.builders[node.operation] == nil || !node.domain.isEmpty {
          counts[node.fullName, default: 0] += 1
        }
        for case (_, .graph(let body)) in node.attributes { graphs.append(body) }
      }
    }
    guard !counts.isEmpty else { return }
    let list = counts.sorted { $0.key < $1.key }.prefix(40).map { name, count in
      count == 1 ? name : "\(name) (\(count) times)"
    }
    throw WeighbridgeError(
      .unsupported,
      "uses \(counts.count == 1 ? "an operator" : "\(counts.count) operators") that cannot be "
        + "read: \(list.joined(separator: ", "))")
  }

  /// All names of values in a graph and the bodies in it.
  private static func names(_ graph: ONNXGraph) -> Set<String> {
    var names: Set<String> = []
    var graphs = [graph]
    while let graph = graphs.popLast() {
      names.formUnion(graph.inputs.map(\.name))
      names.formUnion(graph.initializers.map(\.name))
      for node in graph.nodes {
        names.formUnion(node.outputs)
        for case (_, .graph(let body)) in node.attributes { graphs.append(body) }
      }
    }
    return names
  }
}

extension ONNXNode {
  /// The operator with its domain, where that is not ONNX' own.
  fileprivate var fullName: String { domain.isEmpty ? operation : "\(domain).\(operation)" }
}

extension ONNXFeature {
  /// The type as the graph has it.
  var type: TensorType {
    TensorType(
      elementType,
      shape.map { extent in
        switch extent {
        case .fixed(let value): .fixed(value)
        case .named(let name): .symbolic(name)
        case .unknown: .unknown
        }
      })
  }
}
