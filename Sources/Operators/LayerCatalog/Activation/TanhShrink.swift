import Bytes
import GraphIR

/// x - tanh(x).
///
/// Any shape in, the same out.
package struct TanhShrink: ElementwiseOperator, PlainOperator {
  package static let kind = "tanh_shrink"
  package static let version = 1

  package static let declaration = OperatorDeclaration<Self>(
    "y = x - tanh(x)",
    of: .float)

  /// Makes the operator.
  package init() {}
}

extension TanhShrink {
  package func apply(_ element: Double) -> Double {
    element - element.hyperbolicTangent
  }

  package var decomposition: Decomposition {
    .nodes { (graph, inputs, source) throws(WeighbridgeError) in
      let bent = try graph.addNode(
        Tanh(), named: "tanh", inputs: inputs, source: source)
      return try graph.addNode(
        Subtract(), named: "subtract", inputs: inputs + bent, source: source)
    }
  }
}
