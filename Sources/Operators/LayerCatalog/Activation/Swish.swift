import Bytes
import GraphIR

/// x · sigmoid(x), also called SiLU (Elfwing et al. 2017; Ramachandran et al. 2017 with β = 1).
///
/// Any shape; the output has the same shape. The output for -∞ is NaN, as in TensorFlow.
package struct Swish: ElementwiseOperator, PlainOperator {
  package static let kind = "swish"
  package static let version = 1

  package static let declaration = OperatorDeclaration<Self>(
    "y = x * (1 / (1 + exp(-x)))",
    of: .float)

  /// Creates the operator.
  package init() {}
}

extension Swish {
  package func apply(_ element: Double) -> Double {
    element * Sigmoid().apply(element)
  }

  package var decomposition: Decomposition {
    .nodes { (graph, inputs, source) throws(WeighbridgeError) in
      let gate = try graph.addNode(Sigmoid(), named: "sigmoid", inputs: inputs, source: source)
      return try graph.addNode(
        Multiply(), named: "multiply", inputs: inputs + gate, source: source)
    }
  }
}
