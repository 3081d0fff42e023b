package import Bytes

/// A copy of a graph that is being built, with some nodes changed or left out.
///
/// A weight is copied when it is first read, so that only weights that are read are in the copy.
package struct GraphCopy {
  /// The copy so far.
  package var builder: GraphBuilder
  /// The graph that is copied.
  package let original: Graph
  /// The copy of each value of the original; `nil` until there is one.
  private var copies: [ValueID?]

  /// Starts an empty copy.
  package init(_ original: Graph) {
    self.original = original
    builder = GraphBuilder(reserving: original.values.map(\.name))
    copies = [ValueID?](repeating: nil, count: original.values.count)
  }

  /// Starts a copy with the inputs.
  ///
  /// - Parameters:
  ///   - original: The graph.
  ///   - type: The new type of an input; by default its own.
  /// - Throws: ``WeighbridgeError/Code/malformed`` for a graph that could not be built anew.
  package init(
    withInputsOf original: Graph,
    type: ((Port) throws(WeighbridgeError) -> TensorType)? = nil
  ) throws(WeighbridgeError) {
    self.init(original)
    for port in original.inputs { try addInput(port, try type?(port)) }
  }

  /// Copies the inputs, and everything from which some values are computed.
  ///
  /// - Parameters:
  ///   - original: The graph.
  ///   - needed: The values.
  ///   - inputType: The new type of an input; by default its own.
  /// - Throws: ``WeighbridgeError/Code/malformed`` when a layer cannot take its inputs' new types.
  package init(
    _ original: Graph, for needed: [ValueID],
    inputType: ((Port) throws(WeighbridgeError) -> TensorType)? = nil
  ) throws(WeighbridgeError) {
    try self.init(withInputsOf: original, type: inputType)
    for position in original.path(to: needed) {
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

  /// Makes a value an input of the copy.
  ///
  /// - Parameters:
  ///   - port: The value, and the name of the input.
  ///   - type: Its new type; by default its own.
  /// - Throws: ``WeighbridgeError/Code/malformed`` when there already is such an input.
  package mutating func addInput(
    _ port: Port, _ type: TensorType? = nil
  ) throws(WeighbridgeError) {
    let value = original[port.value]
    self[port.value] = try builder.addInput(value.name, port: port.name, type ?? value.type)
  }

  /// Adds a node unchanged. Outputs that are inputs of the copy are still read from there.
  ///
  /// - Throws: As ``addNode(like:_:_:)``.
  package mutating func add(_ node: Node) throws(WeighbridgeError) {
    try add(node, as: node.operation)
  }

  /// Adds a node with another operation.
  ///
  /// - Throws: As ``addNode(like:_:_:)``.
  package mutating func add(_ node: Node, as operation: any Operator) throws(WeighbridgeError) {
    var inputs: [ValueID] = []
    for id in node.inputs { inputs.append(try copy(of: id)) }
    let outputs = try addNode(like: node, operation, inputs)
    for (id, new) in zip(node.outputs, outputs) where self[id] == nil { self[id] = new }
  }

  /// Adds a node with another operation and other inputs, which are values of the copy.
  ///
  /// - Returns: Its outputs, which are not yet the copies of the original node's.
  /// - Throws: ``WeighbridgeError/Code/malformed`` when a value that it reads has no copy, or when
  ///   it cannot take its inputs' new types.
  package mutating func addNode(
    like node: Node, _ operation: any Operator, _ inputs: [ValueID]
  ) throws(WeighbridgeError) -> [ValueID] {
    let isGiven = node.outputs.contains { self[$0] != nil }
    return try builder.addNode(
      operation, named: node.name, inputs: inputs, source: node.source,
      outputNames: isGiven ? nil : node.outputs.map { original[$0].name },
      quantization: node.quantization)
  }

  /// Returns the copy of a value. A weight is copied if it has no copy yet.
  ///
  /// - Throws: ``WeighbridgeError/Code/malformed`` when there is none.
  package mutating func copy(of id: ValueID) throws(WeighbridgeError) -> ValueID {
    if let copy = copies[id.index] { return copy }
    guard let tensor = original[id].constant else {
      throw .malformed("\(original[id].name) is read, and no earlier layer computes it")
    }
    let copy = try builder.addWeight(original[id].name, tensor)
    copies[id.index] = copy
    return copy
  }

  /// Returns the graph.
  ///
  /// - Parameter outputs: Its outputs, values of the original; by default the original's.
  /// - Throws: ``WeighbridgeError/Code/malformed`` when one of them has no copy.
  package consuming func finish(outputs: [Port]? = nil) throws(WeighbridgeError) -> Graph {
    var ports: [Port] = []
    for port in outputs ?? original.outputs {
      ports.append(Port(name: port.name, value: try copy(of: port.value)))
    }
    return try builder.finish(outputs: ports)
  }
}
