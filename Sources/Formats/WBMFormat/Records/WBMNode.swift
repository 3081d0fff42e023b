/// An application of an operator.
package struct WBMNode: Hashable, Sendable {
  /// The operator's kind, for example `convolution`.
  package var kind: String
  /// The version of the operator's attributes and semantics; the first is 1.
  package var version: Int
  /// The node's name, unique in its graph.
  package var name: String
  /// The values it reads, by their index in ``WBMGraph/values``.
  package var inputs: [Int]
  /// The values it computes, by their index in ``WBMGraph/values``.
  package var outputs: [Int]
  /// The operator's attributes; the writer sorts them by name.
  package var attributes: [WBMAttribute] = []
  /// The graphs that the operator runs.
  package var subgraphs: [WBMGraph] = []
  /// The part of the source model that this node comes from, if any.
  package var scope: WBMScope?
}

/// A named attribute of a node.
package struct WBMAttribute: Hashable, Sendable {
  /// The value of an attribute.
  package enum Value: Hashable, Sendable {
    case integer(Int64)
    case real(Double)
    case boolean(Bool)
    case string(String)
    case integers([Int64])
    case reals([Double])
    case strings([String])
  }

  /// The attribute's name.
  package var name: String
  /// The attribute's value.
  package var value: Value

  /// Creates an attribute.
  package init(name: String, value: Value) {
    self.name = name
    self.value = value
  }
}

/// The part of the source model that a node comes from.
package struct WBMScope: Hashable, Sendable {
  /// The layer's path through nested models: `outer/inner/layer`.
  package var layerPath: String
  /// The layer's class or section as named in the source, for example `Conv2D`.
  package var className: String
  /// The index of the call of a shared layer; the first is 0.
  package var call: Int
  /// The part of the layer that the node is, for example `activation`; empty for the layer itself.
  package var role: String
}
