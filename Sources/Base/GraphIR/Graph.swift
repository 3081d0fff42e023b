/// The number of a value in its graph.
package struct ValueID: Hashable, Sendable {
  /// The position in ``Graph/values``.
  package let index: Int
  /// A value's number.
  package init(_ index: Int) { self.index = index }
}

/// A tensor of a graph: an input, a weight, or what a node computes.
package struct Value: Sendable {
  /// The name; unique in its graph.
  package let name: String
  /// The element type and the axes, some of which may be unknown until the model runs.
  package let type: TensorType
  /// The elements, when this is a weight.
  package let constant: Tensor?

  /// Makes a value.
  package init(name: String, type: TensorType, constant: Tensor? = nil) {
    self.name = name
    self.type = type
    self.constant = constant
  }
}

/// Which layer of the source a node came from.
package struct SourceScope: Hashable, Sendable {
  /// The layer's name with the nested models around it: `outer/inner/layer`.
  package var layer: String
  /// The layer's class in the source, for example `Conv2D`.
  package var className: String
  /// Which call of a layer that is used several times; the first is 0.
  package var call: Int
  /// What this node is for its layer when the layer became several, for example `activation`.
  package var role: String

  /// Makes a scope.
  package init(layer: String, className: String, call: Int = 0, role: String = "") {
    self.layer = layer
    self.className = className
    self.call = call
    self.role = role
  }

  /// The layer's name with `:1`, `:2` for later calls, as results of `--layers` carry it.
  package var callName: String { call == 0 ? layer : "\(layer):\(call)" }

  /// What a node of the layer is called.
  package var nodeName: String { role.isEmpty ? callName : "\(callName)/\(role)" }

  /// The same for a node that is something else for its layer.
  package func role(_ role: String) -> SourceScope {
    SourceScope(layer: layer, className: className, call: call, role: role)
  }

  /// The layer for messages, with its node's position: `#3 conv2d_1 (Conv2D)`.
  package func place(_ position: Int) -> String { "#\(position) \(callName) (\(className))" }
}

/// One operation on values.
package struct Node: Sendable {
  /// The name; unique in its graph.
  package let name: String
  /// What is computed.
  package let operation: any Operator
  /// The values it reads, one for each slot of the operator.
  package let inputs: [ValueID]
  /// The values it makes.
  package let outputs: [ValueID]
  /// Where it came from.
  package let source: SourceScope

  /// Makes a node.
  package init(
    name: String, operation: any Operator, inputs: [ValueID], outputs: [ValueID],
    source: SourceScope
  ) {
    self.name = name
    self.operation = operation
    self.inputs = inputs
    self.outputs = outputs
    self.source = source
  }
}

/// A named input or output of a model. Two ports may show the same value.
package struct Port: Hashable, Sendable {
  /// The name; unique among the inputs and among the outputs.
  package var name: String
  /// The value behind it.
  package let value: ValueID

  /// Makes a port.
  package init(name: String, value: ValueID) {
    self.name = name
    self.value = value
  }
}

/// A model's computation: values, and nodes in an order in which they can be computed.
///
/// Made by ``GraphBuilder``, which checks every reference and every shape.
package struct Graph: Sendable {
  /// All values; a ``ValueID`` is a position here.
  package let values: [Value]
  /// The nodes; each reads only inputs, weights and what earlier nodes made.
  package let nodes: [Node]
  /// What the model takes.
  package let inputs: [Port]
  /// What the model gives.
  package let outputs: [Port]

  init(values: [Value], nodes: [Node], inputs: [Port], outputs: [Port]) {
    self.values = values
    self.nodes = nodes
    self.inputs = inputs
    self.outputs = outputs
  }

  /// The value behind a number.
  package subscript(id: ValueID) -> Value { values[id.index] }

  /// The same graph with other port names, in the same order.
  package func renamingPorts(inputs inputNames: [String], outputs outputNames: [String]) -> Graph {
    precondition(inputNames.count == inputs.count && outputNames.count == outputs.count)
    return Graph(
      values: values, nodes: nodes,
      inputs: zip(inputs, inputNames).map { Port(name: $1, value: $0.value) },
      outputs: zip(outputs, outputNames).map { Port(name: $1, value: $0.value) })
  }

  /// The weights: values with elements, in their order.
  package var weights: [(name: String, tensor: Tensor)] {
    values.compactMap { value in value.constant.map { (value.name, $0) } }
  }

  /// The number of all weights' elements.
  package var parameterCount: Int { weights.reduce(0) { $0 + $1.tensor.count } }

  /// The nodes whose outputs are a source layer's, by position, with the layer's name as results
  /// of `--layers` carry it. A layer that became several nodes ends with its last one.
  package var layerNodes: [Int: String] {
    var last: [SourceKey: Int] = [:]
    for (position, node) in nodes.enumerated() { last[SourceKey(node.source)] = position }
    return Dictionary(
      last.values.map { ($0, nodes[$0].source.callName) }, uniquingKeysWith: { first, _ in first })
  }

  private struct SourceKey: Hashable {
    let layer: String
    let call: Int
    init(_ source: SourceScope) { (layer, call) = (source.layer, source.call) }
  }
}
