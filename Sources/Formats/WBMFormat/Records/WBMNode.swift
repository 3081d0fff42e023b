/// One operator at work.
package struct WBMNode: Hashable, Sendable {
  /// The operator's kind, for example `convolution`.
  package var kind: String
  /// The version of the operator's attributes and meaning; the first is 1.
  package var version: Int
  /// The node's name, unique in its graph.
  package var name: String
  /// The values it reads, by their position in ``WBMGraph/values``.
  package var inputs: [Int]
  /// The values it computes, by their position in ``WBMGraph/values``.
  package var outputs: [Int]
  /// The operator's settings; no two have the same name.
  package var attributes: [WBMAttribute]
  /// Graphs that the operator runs.
  package var subgraphs: [WBMGraph]
  /// The place in the source model this node comes from, when it comes from one.
  package var scope: WBMScope?

  /// Makes a node.
  package init(
    kind: String, version: Int, name: String, inputs: [Int], outputs: [Int],
    attributes: [WBMAttribute] = [], subgraphs: [WBMGraph] = [], scope: WBMScope? = nil
  ) {
    self.kind = kind
    self.version = version
    self.name = name
    self.inputs = inputs
    self.outputs = outputs
    self.attributes = attributes
    self.subgraphs = subgraphs
    self.scope = scope
  }
}

/// A named setting of a node.
package struct WBMAttribute: Hashable, Sendable {
  /// The value of a setting.
  package enum Value: Hashable, Sendable {
    case integer(Int64)
    case real(Double)
    case boolean(Bool)
    case text(String)
    case integers([Int64])
    case reals([Double])
    case texts([String])
  }

  /// The setting's name.
  package var name: String
  /// The setting's value.
  package var value: Value

  /// Makes an attribute.
  package init(name: String, value: Value) {
    self.name = name
    self.value = value
  }
}

/// The place of a node in the source model.
package struct WBMScope: Hashable, Sendable {
  /// The layer's path through nested models: `outer/inner/layer`.
  package var layerPath: String
  /// The layer's class or section as the source names it, for example `Conv2D`.
  package var className: String
  /// Which call of a shared layer this is; the first is 0.
  package var call: Int
  /// What part of the layer the node is, for example `activation`; empty for the layer itself.
  package var role: String

  /// Makes a scope.
  package init(layerPath: String, className: String, call: Int = 0, role: String = "") {
    self.layerPath = layerPath
    self.className = className
    self.call = call
    self.role = role
  }
}
