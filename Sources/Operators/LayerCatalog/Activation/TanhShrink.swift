import Bytes
import GraphIR

/// x - tanh(x).
///
/// Any shape; the output has the same shape.
package struct TanhShrink: ElementwiseOperator, PlainOperator {
  package static let kind = "tanh_shrink"
  package static let version = 1

  package static let declaration = OperatorDeclaration<Self>(
    "y = x - tanh(x)",
    of: .float)

  /// Creates the operator.
  package init() {}
}

extension TanhShrink {
  package func apply(_ element: Double) -> Double {
    element - element.hyperbolicTangent
  }

  package var decomposition: Decomposition {
    .nodes { (graph, inputs, source) throws(WeighbridgeError) in
      let tanh = try graph.addNode(
        Tanh(), named: "tanh", inputs: inputs, source: source)
      return try graph.addNode(
        Subtract(), named: "subtract", inputs: inputs + tanh, source: source)
    }
  }
}
