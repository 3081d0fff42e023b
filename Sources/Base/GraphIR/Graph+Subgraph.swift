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
    var copy = GraphCopy(self)
    var inputs: [ValueID] = []
    for node in positions.map({ nodes[$0] }) {
      for id in node.inputs where copy[id] == nil && self[id].constant == nil {
        try copy.addInput(Port(name: self[id].name, value: id), types[id.index])
        inputs.append(id)
      }
      try copy.add(node)
    }
    let outputs = positions.last.map { nodes[$0].outputs } ?? []
    let ports = outputs.enumerated().map { Port(name: "\($0)", value: $1) }
    return (try copy.finish(outputs: ports), inputs)
  }
}
