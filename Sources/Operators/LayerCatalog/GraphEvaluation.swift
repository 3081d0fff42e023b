package import Bytes
package import GraphIR

extension Graph {
  /// Evaluates the graph with the reference kernels and returns its outputs, in order.
  ///
  /// - Parameter types: The types that the outputs are rounded to; `nil` for their own.
  package func evaluated(
    _ inputs: [Tensor], rounding types: [ElementType]? = nil, workers: Workers
  ) throws(WeighbridgeError) -> [Tensor] {
    var evaluation = GraphEvaluation(self, inputs, workers: workers)
    for position in nodes.indices { try evaluation.run(position) }
    return evaluation.outputs(types ?? outputs.map { self[$0.value].type.elementType })
  }
}

/// An evaluation of a graph. Consecutive nodes that compute element by element are evaluated
/// together, piece by piece, so that a value that only they read is never a whole tensor.
private struct GraphEvaluation {
  private let graph: Graph
  private let workers: Workers
  /// The tensors of the values that are still needed; they may be of another type with the same
  /// numbers.
  private var tensors: [Tensor?]
  /// For each value, the position of the node that reads it last.
  private var lastUses: [Int]
  /// The nodes to be evaluated together, and their shape.
  private var pending = PointwiseProgram()
  private var shape: [Int] = []
  /// The operands of these nodes.
  private var operands: [Tensor] = []

  init(_ graph: Graph, _ inputs: [Tensor], workers: Workers) {
    (self.graph, self.workers) = (graph, workers)
    tensors = graph.values.map(\.constant)
    for (port, tensor) in zip(graph.inputs, inputs) { tensors[port.value.index] = tensor }
    lastUses = [Int](repeating: -1, count: graph.values.count)
    for (position, node) in graph.nodes.enumerated() {
      for id in node.inputs { lastUses[id.index] = position }
    }
    for port in graph.outputs { lastUses[port.value.index] = graph.nodes.count }
  }

  /// Evaluates a node, or adds it to those that are pending.
  mutating func run(_ position: Int) throws(WeighbridgeError) {
    let node = graph.nodes[position]
    guard let operation = node.operation as? any CatalogOperator else {
      throw .unsupported("\(node.operation.kind) cannot run")
    }
    if let function = graph.pointwiseFunction(of: node),
      let shape = graph[node.outputs[0]].type.fixedShape
    {
      if shape != self.shape { finish(before: position) }
      self.shape = shape
      pending.append(node, function)
      operands += pending.operands[operands.count...].compactMap { tensors[$0.index] }
    } else {
      if node.inputs.contains(where: pending.computes) { finish(before: position) }
      let inputs = node.inputs.compactMap { id in
        tensors[id.index]?.converted(to: graph[id].type.elementType)
      }
      let outputs = try operation.evaluate(inputs, workers: workers)
      for (id, tensor) in zip(node.outputs, outputs) { tensors[id.index] = tensor }
    }
    for id in node.inputs where lastUses[id.index] == position { tensors[id.index] = nil }
  }

  /// Evaluates the pending nodes and keeps what is read from a position on.
  ///
  /// - Parameter types: The types that outputs of the graph are rounded to.
  private mutating func finish(before position: Int, _ types: [ValueID: ElementType] = [:]) {
    guard !pending.results.isEmpty else { return }
    let kept = pending.results.indices.filter { lastUses[pending.results[$0].index] >= position }
    let ids = kept.map { pending.results[$0] }
    let (pieces, program) = (Pieces(of: shape), pending)
    let operands = operands.map(pieces.operand)
    let results = pieces.tensors(
      ids.map { types[$0] ?? graph[$0].type.elementType }, workers: workers
    ) { index in
      let results = program(operands.map { pieces.elements(index, of: $0) })
      return kept.map { results[$0] }
    }
    for (id, tensor) in zip(ids, results) { tensors[id.index] = tensor }
    pending = PointwiseProgram()
    self.operands = []
  }

  /// Ends the evaluation and returns the outputs in given types.
  mutating func outputs(_ types: [ElementType]) -> [Tensor] {
    let outputs = graph.outputs.map(\.value)
    finish(
      before: graph.nodes.count,
      Dictionary(zip(outputs, types), uniquingKeysWith: { first, _ in first }))
    return zip(outputs, types).compactMap { tensors[$0.index]?.converted(to: $1) }
  }
}

extension Tensor {
  /// The same numbers, rounded to another element type.
  fileprivate func converted(to type: ElementType) -> Tensor {
    elementType == type ? self : Tensor(type, shape: shape, doubles)
  }
}
