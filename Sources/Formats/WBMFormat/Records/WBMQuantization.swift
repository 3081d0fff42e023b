import DetectorRecord

/// The nodes that are computed with 8-bit integers or bfloat16.
package struct WBMQuantization: Hashable, Sendable {
  /// The quantization of an input of a node to integers.
  package struct Node: Hashable, Sendable {
    /// A method of choosing the range of the numbers.
    package enum Method: String, Hashable, Sendable, SchemaEnumeration {
      case maximum, percentile999, percentile9999, percentile99999, entropy
    }

    /// The node's name.
    package var name: String
    /// The index of the input that is quantized to integers.
    package var input: Int
    /// The difference that a step of 1 represents.
    package var scale: Double
    /// The integer that represents 0.
    package var zeroPoint: Int
    /// The method by which the range of the numbers was chosen.
    package var method: Method

    /// Creates a record.
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
    /// The index of the input that is converted to bfloat16.
    package var input: Int

    /// Creates a record.
    package init(name: String, input: Int) { (self.name, self.input) = (name, input) }
  }

  /// The nodes that are computed with 8-bit integers, in the order of the graph.
  package var nodes: [Node]
  /// The nodes that are computed with bfloat16, in the order of the graph.
  package var bfloat16Nodes: [BFloat16Node] = []
}
