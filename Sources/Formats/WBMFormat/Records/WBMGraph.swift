package import Bytes

/// An acyclic graph: values, and the nodes that compute them.
package struct WBMGraph: Hashable, Sendable {
  /// All values, to which nodes and ports refer by index: the inputs, then the constants in the
  /// order in which nodes first read them, then the values that nodes compute.
  package var values: [WBMValue]
  /// The nodes in execution order.
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
  /// The index of a constant in ``WBMHeader/tensors``.
  package var tensor: Int?

  /// Whether a run can make an array for this input: its sizes are fixed, and it is not too large.
  var canBeDefault: Bool {
    var count = 1
    for dimension in dimensions {
      guard case .fixed(let size) = dimension, size >= 0 else { return false }
      let (product, overflow) = count.multipliedReportingOverflow(by: size)
      guard !overflow else { return false }
      count = product
    }
    return count <= 1 << 26
  }
}

/// The size of a dimension.
package enum WBMDimension: Hashable, Sendable {
  /// A known size.
  case fixed(Int)
  /// A named size; dimensions of a graph with the same name have the same size.
  case symbol(String)
  /// An unknown size.
  case unknown
}

/// An input or output of a graph.
package struct WBMPort: Hashable, Sendable {
  /// The user-visible name, unique among the inputs or among the outputs.
  package var name: String
  /// The value, by its index in ``WBMGraph/values``.
  package var value: Int

  /// Creates a port.
  package init(name: String, value: Int) {
    self.name = name
    self.value = value
  }
}
