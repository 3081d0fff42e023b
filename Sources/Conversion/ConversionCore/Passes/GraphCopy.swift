package import Bytes
package import GraphIR

/// A copy of a graph that is being built, with some nodes changed or left out.
package struct GraphCopy {
  /// The copy so far.
  package var builder = GraphBuilder()
  private let original: Graph
  /// The copy of each value of the original; `nil` until there is one.
  private var copies: [ValueID?]

  /// Starts a copy with the inputs and the weights that are read.
  ///
  /// - Parameters:
  ///   - original: The graph.
  ///   - nodes: The positions of the nodes that will be added unchanged.
  ///   - outputs: The values that will be outputs; by default those of the original.
  ///   - inputType: The new type of an input; by default its own.
  /// - Throws: ``WeighbridgeError/Code/malformed`` for a graph that could not be built anew.
  package init(
    _ original: Graph, keeping nodes: some Sequence<Int>, outputs: [ValueID]? = nil,
    inputType: ((Port) throws(WeighbridgeError) -> TensorType)? = nil
  ) throws(WeighbridgeError) {
    self.original = original
    copies = [ValueID?](repeating: nil, count: original.values.count)
    for port in original.inputs {
      copies[port.value.index] = try builder.addInput(
        port.name, try inputType?(port) ?? original[port.value].type)
    }
    let read = Set(
      nodes.flatMap { original.nodes[$0].inputs } + (outputs ?? original.outputs.map(\.value)))
    for (index, value) in original.values.enumerated() where read.contains(ValueID(index)) {
      guard let tensor = value.constant else { continue }
      copies[index] = try builder.addWeight(value.name, tensor)
    }
  }

  /// Copies the inputs, and everything from which some values are computed.
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
    try self.init(original, keeping: positions, outputs: needed, inputType: inputType)
    for position in positions.reversed() {
      let node = original.nodes[position]
      do throws(WeighbridgeError) {
        try add(node)
      } catch { throw error.at(layer: node.source.place(position)) }
    }
  }

  /// The copy of a value of the original; `nil` until there is one.
  package subscript(_ id: ValueID) -> ValueID? {
    get { copies[id.index] }
    set { copies[id.index] = newValue }
  }

  /// Adds a node unchanged.
  ///
  /// - Throws: ``WeighbridgeError/Code/malformed`` when a value that it reads has no copy, or when
  ///   it cannot take its inputs' new types.
  package mutating func add(_ node: Node) throws(WeighbridgeError) {
    var inputs: [ValueID] = []
    for id in node.inputs { inputs.append(try requiredCopy(of: id)) }
    let outputs = try builder.addNode(
      node.operation, named: node.name, inputs: inputs, source: node.source,
      outputNames: node.outputs.map { original[$0].name }, quantization: node.quantization)
    for (id, new) in zip(node.outputs, outputs) { self[id] = new }
  }

  /// Returns the graph with the outputs of the original.
  ///
  /// - Throws: ``WeighbridgeError/Code/malformed`` when one of them has no copy.
  package consuming func finish() throws(WeighbridgeError) -> Graph {
    var ports: [Port] = []
    for port in original.outputs {
      ports.append(Port(name: port.name, value: try requiredCopy(of: port.value)))
    }
    return try builder.finish(outputs: ports)
  }

  /// Returns the copy of a value that must have one.
  private func requiredCopy(of id: ValueID) throws(WeighbridgeError) -> ValueID {
    guard let copy = copies[id.index] else {
      throw .malformed("\(original[id].name) is read, and no earlier layer computes it")
    }
    return copy
  }
}

extension Graph {
  /// The position of the node that produces each value.
  package var producers: [ValueID: Int] {
    var producers: [ValueID: Int] = [:]
    for (position, node) in nodes.enumerated() {
      for id in node.outputs { producers[id] = position }
    }
    return producers
  }

  /// How often each value is read by a node or is an output; unused values have no entry.
  package var useCounts: [ValueID: Int] {
    (nodes.flatMap(\.inputs) + outputs.map(\.value)).reduce(into: [:]) { $0[$1, default: 0] += 1 }
  }
}
