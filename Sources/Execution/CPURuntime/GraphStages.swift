import Bytes
import GraphIR
import LayerCatalog

/// A graph with sizes that depend on elements, in parts for each of which memory can be planned: the nodes
/// whose sizes follow from those of the inputs; nodes whose outputs have sizes that depend on elements,
/// which run on their reference kernels, and those that run subgraphs; and the rest, whose sizes follow from those of the others or which
/// is divided again.
final class GraphStages: Sendable {
  /// What becomes of each node.
  enum Part: Hashable { case first, dependent, rest, constant }

  /// Nodes that are planned together.
  private struct Stage {
    let compiled: CompiledGraph
    /// The positions of the nodes in the whole graph.
    let positions: [Int]
    let inputs: [ValueID]
    let outputs: [ValueID]
  }

  /// What becomes of each node, by its position.
  let parts: [Part]
  private let graph: Graph
  private let workers: Workers
  private let memoryLimit: Int
  private let cancellation: Cancellation?
  private let first: Stage?
  private let rest: Stage?
  /// The subgraphs of the dependent nodes, by the node's position.
  private let subgraphs: [Int: [CompiledSubgraph]]

  /// The number of graphs in one another from which on nodes run one by one, so that the stack is large enough for
  /// any number of nodes whose sizes depend on each other's elements.
  private static let maximumLevel = 64

  /// Divides the nodes of a graph.
  ///
  /// - Parameters:
  ///   - types: The types of all values for inputs of known sizes.
  ///   - level: The number of graphs that it is a part of.
  static func parts(of graph: Graph, _ types: [TensorType], level: Int) -> [Part] {
    guard level < maximumLevel else {
      return graph.nodes.map { node in
        node.outputs.allSatisfy { graph[$0].constant != nil } ? .constant : .dependent
      }
    }
    var isAvailable = graph.values.map { $0.constant != nil }
    for port in graph.inputs { isAvailable[port.value.index] = true }
    return graph.nodes.map { node in
      if node.outputs.allSatisfy({ graph[$0].constant != nil }) { return .constant }
      guard node.inputs.allSatisfy({ isAvailable[$0.index] }) else { return .rest }
      guard node.outputs.allSatisfy({ types[$0.index].fixedShape != nil }),
        node.operation.subgraphs.isEmpty
      else { return .dependent }
      for id in node.outputs { isAvailable[id.index] = true }
      return .first
    }
  }

  init(
    _ graph: Graph, _ parts: [Part], _ options: CPURuntime.Options, level: Int
  ) throws(WeighbridgeError) {
    (self.graph, self.parts, workers) = (graph, parts, options.workers)
    memoryLimit = options.memoryLimit ?? CPURuntime.defaultMemoryLimit
    cancellation = options.cancellation
    first = try Self.stage(of: graph, parts, .first, options, level + 1)
    rest = try Self.stage(of: graph, parts, .rest, options, level + 1)
    var subgraphs: [Int: [CompiledSubgraph]] = [:]
    for position in parts.indices where parts[position] == .dependent {
      subgraphs[position] = try CompiledSubgraph.all(
        of: graph.nodes[position], in: graph, options, level + 1)
    }
    self.subgraphs = subgraphs
  }

  /// The nodes of a part, with the values that they read from others as inputs, and those that others
  /// read as outputs; `nil` if there are none.
  private static func stage(
    of graph: Graph, _ parts: [Part], _ part: Part, _ options: CPURuntime.Options,
    _ level: Int
  ) throws(WeighbridgeError) -> Stage? {
    let positions = parts.indices.filter { parts[$0] == part }
    guard !positions.isEmpty else { return nil }
    let nodes = positions.map { graph.nodes[$0] }
    let made = Set(nodes.flatMap(\.outputs))
    var copy = GraphCopy(graph)
    var inputs: [ValueID] = []
    for id in nodes.flatMap(\.inputs)
    where !made.contains(id) && graph[id].constant == nil && copy[id] == nil {
      try copy.addInput(Port(name: "\(inputs.count)", value: id))
      inputs.append(id)
    }
    for node in nodes { try copy.add(node) }
    let others = parts.indices.filter { parts[$0] != part }.flatMap { graph.nodes[$0].inputs }
    let read = Set(others + graph.outputs.map(\.value))
    let outputs = nodes.flatMap(\.outputs).filter(read.contains)
    let ports = outputs.enumerated().map { Port(name: "\($0)", value: $1) }
    return Stage(
      compiled: try CompiledGraph(copy.finish(outputs: ports), options, level: level),
      positions: positions,
      inputs: inputs, outputs: outputs)
  }

  /// Computes the graph's outputs; see ``CompiledGraph/run(_:observe:)``.
  func run(
    _ inputs: [Tensor], observe: (NodeResult) throws(WeighbridgeError) -> Void
  ) throws(WeighbridgeError) -> [Tensor] {
    var values: [ValueID: Tensor] = [:]
    for (port, tensor) in zip(graph.inputs, inputs) { values[port.value] = tensor }
    try run(first, &values, observe)
    for position in parts.indices where parts[position] == .dependent {
      if let stop = Cancellation.either(cancellation, .ofTask), stop.isCancelled {
        throw .cancelled("cancelled")
      }
      try evaluate(position, &values, observe)
    }
    try run(rest, &values, observe)
    return graph.outputs.compactMap { port in
      (graph[port.value].constant ?? values[port.value])?.contiguous()
    }
  }

  private func run(
    _ stage: Stage?, _ values: inout [ValueID: Tensor],
    _ observe: (NodeResult) throws(WeighbridgeError) -> Void
  ) throws(WeighbridgeError) {
    guard let stage else { return }
    let inputs = stage.inputs.compactMap { values[$0] }
    let outputs = try stage.compiled.run(inputs) { (result) throws(WeighbridgeError) in
      let computed = ComputedNode(
        stage.positions[result.position], fused: result.fused.map { stage.positions[$0] },
        of: graph, kernel: result.kernel)
      try observe(NodeResult(computed, nanoseconds: result.nanoseconds) { result.outputs })
    }
    for (id, tensor) in zip(stage.outputs, outputs) { values[id] = tensor }
  }

  /// Runs the reference kernel of a node, or its subgraphs.
  private func evaluate(
    _ position: Int, _ values: inout [ValueID: Tensor],
    _ observe: (NodeResult) throws(WeighbridgeError) -> Void
  ) throws(WeighbridgeError) {
    let node = graph.nodes[position]
    let start = ContinuousClock.now
    let inputs = node.inputs.compactMap { graph[$0].constant ?? values[$0] }
    let outputs = try locating({ $0.at(layer: node.source.place(position)) }) {
      () throws(WeighbridgeError) in
      guard let operation = node.operation as? any CatalogOperator else {
        throw .unsupported("\(node.operation.kind) cannot run")
      }
      // Where nodes run one by one, sizes are known only now.
      do throws(ShapeError) {
        _ = try operation.checkedOutputTypes(of: inputs.map(\.type))
      } catch { throw .mismatch(error.reason) }
      guard let operation = operation as? any SubgraphOperator,
        let subgraphs = subgraphs[position]
      else {
        return try operation.evaluate(inputs, quantization: node.quantization, workers: workers)
      }
      return try operation.evaluate(inputs, memoryLimit: memoryLimit) {
        (subgraph, inputs) throws(WeighbridgeError) in try subgraphs[subgraph].run(inputs)
      }
    }
    for (id, tensor) in zip(node.outputs, outputs) {
      guard tensor.byteCount <= memoryLimit else {
        throw WeighbridgeError(
          .limitExceeded,
          "its output \(tensor.type) takes more memory than the limit of \(memoryLimit) bytes "
            + "(\(APIName.memoryLimit))"
        ).at(layer: node.source.place(position))
      }
      values[id] = tensor
    }
    let computed = ComputedNode(
      position, of: graph,
      kernel: node.operation.subgraphs.isEmpty ? .reference : .own("subgraphs"))
    try observe(NodeResult(computed, nanoseconds: start.nanosecondsSince) { outputs })
  }
}

/// A subgraph of a node, compiled with the weights that the node passes to it.
private struct CompiledSubgraph {
  private let compiled: CompiledGraph
  /// The positions of the inputs that are no weights.
  private let inputs: [Int]

  /// The subgraphs of a node; none if its operator has none.
  static func all(
    of node: Node, in graph: Graph, _ options: CPURuntime.Options, _ level: Int
  ) throws(WeighbridgeError) -> [CompiledSubgraph] {
    guard let operation = node.operation as? any SubgraphOperator else { return [] }
    var weights: [Int: Tensor] = [:]
    // Input n of the node is input n - 1 of its subgraphs.
    for position in node.inputs.indices.suffix(operation.capturedCount) {
      weights[position - 1] = graph[node.inputs[position]].constant
    }
    return try operation.subgraphs.map { (subgraph) throws(WeighbridgeError) in
      CompiledSubgraph(
        compiled: try CompiledGraph(subgraph.graph.binding(weights), options, level: level),
        inputs: subgraph.graph.inputs.indices.filter { weights[$0] == nil })
    }
  }

  private init(compiled: CompiledGraph, inputs: [Int]) {
    (self.compiled, self.inputs) = (compiled, inputs)
  }

  /// Computes the outputs.
  ///
  /// - Parameter tensors: One for each input, the weights included.
  func run(_ tensors: [Tensor]) throws(WeighbridgeError) -> [Tensor] {
    try compiled.run(inputs.map { tensors[$0] })
  }
}
