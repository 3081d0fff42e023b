package import Bytes
package import GraphIR

extension GraphBuilder {
  /// Adds the inputs of a graph, and those of its weights and nodes that some values need.
  ///
  /// - Parameters:
  ///   - graph: A graph whose names are still free here.
  ///   - needed: Values of the graph.
  ///   - inputType: The type that an input gets; the types behind follow from it.
  /// - Returns: For each value of the graph its number here; `nil` where it was left out.
  /// - Throws: ``WeighbridgeError/Code/malformed`` when a layer cannot take its inputs' new types.
  package mutating func add(
    _ graph: Graph, for needed: [ValueID],
    inputType: (Port) throws(WeighbridgeError) -> TensorType
  ) throws(WeighbridgeError) -> [ValueID?] {
    var numbers = [ValueID?](repeating: nil, count: graph.values.count)
    for port in graph.inputs {
      numbers[port.value.index] = try addInput(port.name, try inputType(port))
    }
    let (nodes, values) = graph.ancestors(of: needed)
    for (index, value) in graph.values.enumerated() where values.contains(ValueID(index)) {
      guard let tensor = value.constant else { continue }
      numbers[index] = try addWeight(value.name, tensor)
    }
    for position in nodes {
      let node = graph.nodes[position]
      do throws(WeighbridgeError) {
        let outputs = try addNode(
          node.operation, named: node.name, inputs: node.inputs.compactMap { numbers[$0.index] },
          source: node.source, outputNames: node.outputs.map { graph[$0].name })
        for (id, new) in zip(node.outputs, outputs) { numbers[id.index] = new }
      } catch { throw error.at(layer: node.source.place(position)) }
    }
    return numbers
  }
}

extension Graph {
  /// What values are computed from: the positions of nodes, rising, and the values that these read
  /// or make.
  fileprivate func ancestors(of needed: [ValueID]) -> (nodes: [Int], values: Set<ValueID>) {
    var (positions, values) = ([Int](), Set(needed))
    for (position, node) in nodes.enumerated().reversed()
    where node.outputs.contains(where: values.contains) {
      positions.append(position)
      values.formUnion(node.inputs)
      values.formUnion(node.outputs)
    }
    return (positions.reversed(), values)
  }
}
