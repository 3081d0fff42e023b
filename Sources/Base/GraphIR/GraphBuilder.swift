package import Bytes

/// Builds a graph node by node, checking each reference and each shape as it goes.
package struct GraphBuilder {
  private var values: [Value] = []
  private var nodes: [Node] = []
  private var inputs: [Port] = []
  private var valueNames: UniqueNames
  private var nodeNames = UniqueNames()
  /// The names that only values which must have them get.
  private var reservedNames: Set<String>

  /// An empty graph.
  ///
  /// - Parameter names: Names that are kept for inputs, weights and outputs of nodes that must have
  ///   them: no other value is given one of them.
  package init(reserving names: [String] = []) {
    reservedNames = Set(names)
    valueNames = UniqueNames(names)
  }

  /// Adds an input of the model.
  ///
  /// - Parameter port: The name of the input; by default that of the value.
  /// - Throws: ``WeighbridgeError/Code/malformed`` when there already is a value of that name.
  package mutating func addInput(
    _ name: String, port: String? = nil, _ type: TensorType
  ) throws(WeighbridgeError) -> ValueID {
    let id = try addValue(Value(name: name, type: type))
    inputs.append(Port(name: port ?? name, value: id))
    return id
  }

  /// Adds a weight, in the canonical axis order of the operator that will use it.
  ///
  /// - Throws: ``WeighbridgeError/Code/malformed`` when there already is a value of that name.
  package mutating func addWeight(
    _ name: String, _ tensor: Tensor
  ) throws(WeighbridgeError) -> ValueID {
    try addValue(Value(name: name, type: tensor.type, constant: tensor))
  }

  /// Adds a weight that the source does not have, under an unused name.
  ///
  /// - Parameter name: The name; a number is appended when it is taken.
  package mutating func addConstant(
    _ tensor: Tensor, named name: String
  ) throws(WeighbridgeError) -> ValueID {
    values.append(Value(name: valueNames.unused(name), type: tensor.type, constant: tensor))
    return ValueID(values.count - 1)
  }

  /// Adds a node, and a value for each of its outputs.
  ///
  /// - Parameters:
  ///   - name: The node's name, by default that of its source; its first output has the same name,
  ///     the others `name:1`, ... A number is appended to a name that is taken.
  ///   - outputNames: The names of the outputs when they are known, as from a file; these must be
  ///     unused.
  ///   - quantization: How its data is quantized, if it computes with 8-bit integers or bfloat16.
  /// - Throws: ``WeighbridgeError/Code/malformed`` when the inputs do not fit; the caller adds the
  ///   layer.
  package mutating func addNode(
    _ operation: any Operator, named name: String? = nil, inputs: [ValueID], source: SourceScope,
    outputNames: [String]? = nil, quantization: InputQuantization? = nil
  ) throws(WeighbridgeError) -> [ValueID] {
    let types: [TensorType]
    do throws(ShapeError) {
      types = try operation.checkedOutputTypes(of: inputs.map { values[$0.index].type })
    } catch {
      throw .malformed(error.reason)
    }
    let nodeName = nodeNames.unused(name ?? source.nodeName)
    var outputs: [ValueID] = []
    for (position, type) in types.enumerated() {
      let defaultName = position == 0 ? nodeName : "\(nodeName):\(position)"
      let known = outputNames.map { $0.indices.contains(position) ? $0[position] : defaultName }
      if let known {
        outputs.append(try addValue(Value(name: known, type: type)))
      } else {
        values.append(Value(name: valueNames.unused(defaultName), type: type))
        outputs.append(ValueID(values.count - 1))
      }
    }
    nodes.append(
      Node(
        name: nodeName, operation: operation, inputs: inputs, outputs: outputs, source: source,
        quantization: quantization))
    return outputs
  }

  /// The type of a value added before.
  package func type(of id: ValueID) -> TensorType { values[id.index].type }

  /// The elements of a weight added before; `nil` for other values.
  package func constant(of id: ValueID) -> Tensor? { values[id.index].constant }

  /// The node that computes a value; `nil` for inputs and weights.
  package func node(computing value: ValueID) -> Node? { nodes.last { $0.outputs.contains(value) } }

  /// The nodes added after the one that computes a value.
  package func nodes(after value: ValueID) -> ArraySlice<Node> {
    let position = nodes.lastIndex { $0.outputs.contains(value) }
    return nodes[((position ?? -1) + 1)...]
  }

  /// Finishes the graph.
  ///
  /// - Throws: ``WeighbridgeError/Code/malformed`` when there is no output, two outputs have the
  ///   same name, or a weight is not used.
  package consuming func finish(outputs: [Port]) throws(WeighbridgeError) -> Graph {
    guard !outputs.isEmpty else { throw .malformed("the model has no output") }
    if let name = Self.firstDuplicate(outputs.map(\.name)) {
      throw .malformed("two outputs have the name \(name)")
    }
    let used = Set(nodes.flatMap(\.inputs))
    for (index, value) in values.enumerated()
    where value.constant != nil && !used.contains(ValueID(index)) {
      throw .malformed("the weight \(value.name) is not used by any layer")
    }
    return Graph(values: values, nodes: nodes, inputs: inputs, outputs: outputs)
  }

  private mutating func addValue(_ value: Value) throws(WeighbridgeError) -> ValueID {
    guard reservedNames.remove(value.name) != nil || valueNames.insert(value.name) else {
      throw .malformed("two tensors have the name \(value.name)")
    }
    values.append(value)
    return ValueID(values.count - 1)
  }

  static func firstDuplicate(_ names: [String]) -> String? {
    var seen: Set<String> = []
    return names.first { !seen.insert($0).inserted }
  }
}
