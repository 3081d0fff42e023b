import Bytes
import GraphIR

/// x · tanh(softplus(x)) (Misra 2019).
///
/// Any shape; the output has the same shape. The output for -∞ is NaN, as in TensorFlow.
package struct Mish: ElementwiseOperator, PlainOperator {
  package static let kind = "mish"
  package static let version = 1

  package static let declaration = OperatorDeclaration<Self>(
    "y = x * tanh(log(1 + exp(x))), with the logarithm as in softplus",
    of: .float)

  /// Creates the operator.
  package init() {}
}

extension Mish {
  package func apply(_ element: Double) -> Double {
    element * Softplus().apply(element).hyperbolicTangent
  }

  package var decomposition: Decomposition {
    .nodes { (graph, inputs, source) throws(WeighbridgeError) in
      let softplus = try graph.addNode(
        Softplus(), named: "softplus", inputs: inputs, source: source)
      let gate = try graph.addNode(Tanh(), named: "tanh", inputs: softplus, source: source)
      return try graph.addNode(
        Multiply(), named: "multiply", inputs: inputs + gate, source: source)
    }
  }
}
