package import Bytes

/// An acyclic graph: values, and the nodes that compute them.
package struct WBMGraph: Hashable, Sendable {
  /// All values; nodes and ports refer to them by position: the inputs, then the constants in the
  /// order in which nodes first read them, then the values that nodes compute.
  package var values: [WBMValue]
  /// The nodes in an executable order.
  package var nodes: [WBMNode] = []
  /// The graph's inputs, in order.
  package var inputs: [WBMPort] = []
  /// The graph's outputs, in order.
  package var outputs: [WBMPort] = []
}

/// A tensor of a graph: an input, a constant, or a value that a node computes.
package struct WBMValue: Hashable, Sendable {
  /// The value's name, unique in its graph.
  package var name: String
  /// The type of its elements.
  package var elementType: ElementType
  /// The size of each dimension, outermost first; empty for a scalar.
  package var dimensions: [WBMDimension]
  /// For a constant, its position in ``WBMHeader/tensors``.
  package var tensor: Int?
}

/// The size of a dimension.
package enum WBMDimension: Hashable, Sendable {
  /// A known size.
  case fixed(Int)
  /// A name; dimensions of one graph with the same name have the same size.
  case symbol(String)
  /// An unknown size.
  case unknown
}

/// An input or output of a graph.
package struct WBMPort: Hashable, Sendable {
  /// The name for users; unique among the inputs, and among the outputs.
  package var name: String
  /// The value, by its position in ``WBMGraph/values``.
  package var value: Int

  /// Makes a port.
  package init(name: String, value: Int) {
    self.name = name
    self.value = value
  }
}
