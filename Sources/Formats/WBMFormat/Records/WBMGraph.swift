package import Bytes

/// A graph without cycles: values, and the nodes that compute them.
package struct WBMGraph: Hashable, Sendable {
  /// All values; nodes and ports name them by their position here: the inputs, then the constants
  /// in the order in which nodes first read them, then what the nodes compute.
  package var values: [WBMValue]
  /// The nodes in an order in which they can be computed.
  package var nodes: [WBMNode] = []
  /// What the graph takes, in order.
  package var inputs: [WBMPort] = []
  /// What the graph gives, in order.
  package var outputs: [WBMPort] = []
}

/// One tensor of a graph: an input, a constant, or what a node computes.
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

/// The size of one dimension.
package enum WBMDimension: Hashable, Sendable {
  /// The size itself.
  case fixed(Int)
  /// A name; dimensions of one graph with the same name have the same size.
  case symbol(String)
  /// A size of which nothing is known.
  case unknown
}

/// An input or output of a graph.
package struct WBMPort: Hashable, Sendable {
  /// The name users give; unique among the inputs, and among the outputs.
  package var name: String
  /// The value, by its position in ``WBMGraph/values``.
  package var value: Int

  /// Makes a port.
  package init(name: String, value: Int) {
    self.name = name
    self.value = value
  }
}
