/// The identifier of a value in its graph.
package struct ValueID: Hashable, Sendable {
  /// The index in ``Graph/values``.
  package let index: Int
  /// Creates an identifier from an index.
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

  /// Creates a value.
  package init(name: String, type: TensorType, constant: Tensor? = nil) {
    self.name = name
    self.type = type
    self.constant = constant
  }
}

/// The layer of the source that a node came from.
package struct SourceScope: Hashable, Sendable {
  /// The layer's name with those of the enclosing models: `outer/inner/layer`.
  package var layer: String
  /// The layer's class in the source, for example `Conv2D`.
  package var className: String
  /// The index of the call of a layer that is used several times; the first is 0.
  package var call: Int
  /// The purpose of this node when the layer became several nodes, for example `activation`.
  package var role: String

  /// Creates a scope.
  package init(layer: String, className: String, call: Int = 0, role: String = "") {
    self.layer = layer
    self.className = className
    self.call = call
    self.role = role
  }

  /// The layer's name with `:1`, `:2` for later calls, as in the results of layers of a run.
  package var callName: String { call == 0 ? layer : "\(layer):\(call)" }

  /// The name of the layer's node.
  package var nodeName: String { role.isEmpty ? callName : "\(callName)/\(role)" }

  /// The same layer with another role.
  package func withRole(_ role: String) -> SourceScope {
    SourceScope(layer: layer, className: className, call: call, role: role)
  }

  /// The layer as it is named in messages, with its node's position: `#3 conv2d_1 (Conv2D)`.
  package func place(_ position: Int) -> String { "#\(position) \(callName) (\(className))" }
}

/// One operation on values.
package struct Node: Sendable {
  /// The name; unique in its graph.
  package let name: String
  /// The operation.
  package let operation: any Operator
  /// The values it reads, one for each slot of the operator.
  package let inputs: [ValueID]
  /// The values it computes.
  package let outputs: [ValueID]
  /// The layer it came from.
  package let source: SourceScope
  /// The quantization of its data, if it is computed with 8-bit integers or bfloat16.
  package var quantization: InputQuantization?

  /// Creates a node.
  package init(
    name: String, operation: any Operator, inputs: [ValueID], outputs: [ValueID],
    source: SourceScope, quantization: InputQuantization? = nil
  ) {
    self.quantization = quantization
    self.name = name
    self.operation = operation
    self.inputs = inputs
    self.outputs = outputs
    self.source = source
  }
}

/// A named input or output of a model. Two ports may refer to the same value.
package struct Port: Hashable, Sendable {
  /// The name; unique among the inputs and among the outputs.
  package var name: String
  /// The value it refers to.
  package let value: ValueID

  /// Creates a port.
  package init(name: String, value: ValueID) {
    self.name = name
    self.value = value
  }
}

/// A model's computation: values, and nodes in an executable order.
///
/// Built by ``GraphBuilder``, which checks every reference and every shape.
package struct Graph: Sendable {
  /// All values; a ``ValueID`` is an index into them.
  package let values: [Value]
  /// The nodes; each reads only inputs, weights and the results of earlier nodes.
  package let nodes: [Node]
  /// The model's inputs.
  package let inputs: [Port]
  /// The model's outputs.
  package let outputs: [Port]

  init(values: [Value], nodes: [Node], inputs: [Port], outputs: [Port]) {
    self.values = values
    self.nodes = nodes
    self.inputs = inputs
    self.outputs = outputs
  }

  /// The value with an identifier.
  package subscript(id: ValueID) -> Value { values[id.index] }

  /// The same graph with other port names, in the same order.
  package func renamingPorts(inputs inputNames: [String], outputs outputNames: [String]) -> Graph {
    precondition(inputNames.count == inputs.count && outputNames.count == outputs.count)
    return Graph(
      values: values, nodes: nodes,
      inputs: zip(inputs, inputNames).map { Port(name: $1, value: $0.value) },
      outputs: zip(outputs, outputNames).map { Port(name: $1, value: $0.value) })
  }

  /// The weights, in the order of the values.
  package var weights: [(name: String, tensor: Tensor)] {
    values.compactMap { value in value.constant.map { (value.name, $0) } }
  }

  /// The number of elements of all weights.
  package var parameterCount: Int { weights.reduce(0) { $0 + $1.tensor.count } }

  /// For each source layer, the position of the node that computes its outputs, which is the last
  /// of several, and the layer's name as in the results of layers of a run.
  package var layerNodes: [Int: String] {
    var lastPositions: [SourceKey: Int] = [:]
    for (position, node) in nodes.enumerated() {
      lastPositions[SourceKey(node.source)] = position
    }
    return Dictionary(
      lastPositions.values.map { ($0, nodes[$0].source.callName) },
      uniquingKeysWith: { first, _ in first })
  }

  private struct SourceKey: Hashable {
    let layer: String
    let call: Int
    init(_ source: SourceScope) { (layer, call) = (source.layer, source.call) }
  }
}
