package import Bytes
package import GraphIR

/// A graph while it is built anew with some of its nodes changed or left out.
package struct GraphCopy {
  /// What is there already.
  package var builder = GraphBuilder()
  private let original: Graph
  private var numbers: [ValueID?]

  /// Begins with the inputs, and the weights that are read.
  ///
  /// - Parameters:
  ///   - original: The graph.
  ///   - nodes: The positions of the nodes that will be added as they are.
  ///   - given: The values that will be outputs; those of the original when not said.
  ///   - inputType: The type that an input gets; its own when not said.
  /// - Throws: ``WeighbridgeError/Code/malformed`` for a graph that could not be built anew.
  package init(
    _ original: Graph, keeping nodes: some Sequence<Int>, giving given: [ValueID]? = nil,
    inputType: ((Port) throws(WeighbridgeError) -> TensorType)? = nil
  ) throws(WeighbridgeError) {
    self.original = original
    numbers = [ValueID?](repeating: nil, count: original.values.count)
    for port in original.inputs {
      numbers[port.value.index] = try builder.addInput(
        port.name, try inputType?(port) ?? original[port.value].type)
    }
    let read = Set(
      nodes.flatMap { original.nodes[$0].inputs } + (given ?? original.outputs.map(\.value)))
    for (index, value) in original.values.enumerated() where read.contains(ValueID(index)) {
      guard let tensor = value.constant else { continue }
      numbers[index] = try builder.addWeight(value.name, tensor)
    }
  }

  /// Copies the inputs, and of all else what some values are computed from.
  ///
  /// - Throws: ``WeighbridgeError/Code/malformed`` when a layer cannot take its inputs' new types.
  package init(
    _ original: Graph, for needed: [ValueID],
    inputType: ((Port) throws(WeighbridgeError) -> TensorType)? = nil
  ) throws(WeighbridgeError) {
    var (positions, values) = ([Int](), Set(needed))
    for (position, node) in original.nodes.enumerated().reversed()
    where node.outputs.contains(where: values.contains) {
      positions.append(position)
      values.formUnion(node.inputs)
    }
    try self.init(original, keeping: positions, giving: needed, inputType: inputType)
    for position in positions.reversed() {
      let node = original.nodes[position]
      do throws(WeighbridgeError) {
        try add(node)
      } catch { throw error.at(layer: node.source.place(position)) }
    }
  }

  /// What stands for a value of the original; `nil` as long as nothing does.
  package subscript(_ id: ValueID) -> ValueID? {
    get { numbers[id.index] }
    set { numbers[id.index] = newValue }
  }

  /// Adds a node as it is.
  package mutating func add(_ node: Node) throws(WeighbridgeError) {
    let outputs = try builder.addNode(
      node.operation, named: node.name, inputs: node.inputs.compactMap { self[$0] },
      source: node.source, outputNames: node.outputs.map { original[$0].name })
    for (id, new) in zip(node.outputs, outputs) { self[id] = new }
  }

  /// The graph with the outputs of the original.
  package consuming func finish() throws(WeighbridgeError) -> Graph {
    let ports = original.outputs.compactMap { port in
      numbers[port.value.index].map { Port(name: port.name, value: $0) }
    }
    return try builder.finish(outputs: ports)
  }
}

extension Graph {
  /// The position of the node that makes each value.
  package var makers: [ValueID: Int] {
    var makers: [ValueID: Int] = [:]
    for (position, node) in nodes.enumerated() {
      for id in node.outputs { makers[id] = position }
    }
    return makers
  }

  /// How often each value is read by nodes or given as an output; none for those that never are.
  package var useCounts: [ValueID: Int] {
    (nodes.flatMap(\.inputs) + outputs.map(\.value)).reduce(into: [:]) { $0[$1, default: 0] += 1 }
  }
}
