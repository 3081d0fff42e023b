import Bytes
import GraphIR

/// x · relu6(x + 3) / 6, a swish with a piecewise linear gate (Howard et al. 2019).
///
/// Any shape; the output has the same shape. The output for -∞ is NaN, as in TensorFlow.
package struct HardSwish: ElementwiseOperator, PlainOperator {
  package static let kind = "hard_swish"
  package static let version = 1

  package static let declaration = OperatorDeclaration<Self>(
    "y = x * min(max(x / 6 + 0.5, 0), 1)",
    of: .float)

  /// Creates the operator.
  package init() {}
}

extension HardSwish {
  package func apply(_ element: Double) -> Double {
    element * HardSigmoid(slope: 1 / 6, offset: 0.5).apply(element)
  }

  package var decomposition: Decomposition {
    .nodes { (graph, inputs, source) throws(WeighbridgeError) in
      let gate = try graph.addNode(
        HardSigmoid(slope: 1 / 6, offset: 0.5), named: "hard_sigmoid", inputs: inputs,
        source: source)
      return try graph.addNode(
        Multiply(), named: "multiply", inputs: inputs + gate, source: source)
    }
  }
}
