/// The nodes that are computed with 8-bit integers or bfloat16.
package struct WBMQuantization: Hashable, Sendable {
  /// How the data of a node becomes integers.
  package struct Node: Hashable, Sendable {
    /// How the range of the numbers was chosen.
    package enum Method: String, Hashable, Sendable, SchemaEnumeration {
      case maximum, percentile999, percentile9999, percentile99999, entropy
    }

    /// The node's name.
    package var name: String
    /// Which of its inputs becomes integers.
    package var input: Int
    /// What a step of 1 stands for.
    package var scale: Double
    /// The integer that stands for 0.
    package var zeroPoint: Int
    /// How the range of the numbers was chosen.
    package var method: Method

    /// Makes a record.
    package init(
      name: String, input: Int = 0, scale: Double, zeroPoint: Int, method: Method
    ) {
      self.name = name
      self.input = input
      self.scale = scale
      self.zeroPoint = zeroPoint
      self.method = method
    }
  }

  /// A node that is computed with bfloat16.
  package struct BFloat16Node: Hashable, Sendable {
    /// The node's name.
    package var name: String
    /// Which of its inputs becomes bfloat16.
    package var input: Int

    /// Makes a record.
    package init(name: String, input: Int) { (self.name, self.input) = (name, input) }
  }

  /// In the order of the graph, those with 8-bit integers.
  package var nodes: [Node]
  /// In the order of the graph, those with bfloat16.
  package var bfloat16Nodes: [BFloat16Node] = []
}
