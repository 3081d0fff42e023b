package import Bytes

extension Graph {
  /// Returns a graph of some of the nodes, with the values that they read from others as inputs.
  ///
  /// - Parameters:
  ///   - positions: The nodes' positions, ascending.
  ///   - types: The types of all values.
  /// - Returns: The graph, whose outputs are those of the last node, and the values of this graph
  ///   that correspond to its inputs, in their order.
  /// - Throws: ``WeighbridgeError/Code/malformed`` when the types do not fit the nodes.
  package func subgraph(
    _ positions: [Int], types: [TensorType]
  ) throws(WeighbridgeError) -> (graph: Graph, inputs: [ValueID]) {
    var builder = GraphBuilder()
    var (ids, inputs, outputs) = ([ValueID: ValueID](), [ValueID](), [ValueID]())
    for node in positions.map({ nodes[$0] }) {
      for id in node.inputs where ids[id] == nil {
        if let constant = self[id].constant {
          ids[id] = try builder.addWeight(self[id].name, constant)
        } else {
          ids[id] = try builder.addInput(self[id].name, types[id.index])
          inputs.append(id)
        }
      }
      outputs = try builder.addNode(
        node.operation, named: node.name, inputs: node.inputs.compactMap { ids[$0] },
        source: node.source, outputNames: node.outputs.map { self[$0].name },
        quantization: node.quantization)
      for (id, newID) in zip(node.outputs, outputs) { ids[id] = newID }
    }
    let ports = outputs.enumerated().map { Port(name: "\($0)", value: $1) }
    return (try builder.finish(outputs: ports), inputs)
  }
}
