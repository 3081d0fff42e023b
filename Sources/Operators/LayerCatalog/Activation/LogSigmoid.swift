import Bytes
import GraphIR

/// The logarithm of the sigmoid, -log(1 + e^-x).
///
/// Any shape; the output has the same shape.
package struct LogSigmoid: ElementwiseOperator, PlainOperator {
  package static let kind = "log_sigmoid"
  package static let version = 1

  package static let declaration = OperatorDeclaration<Self>(
    "y = -log(1 + exp(-x)), computed as -(max(-x, 0) + log(1 + exp(-|x|)))",
    of: .float)

  /// Creates the operator.
  package init() {}
}

extension LogSigmoid {
  package func apply(_ element: Double) -> Double {
    -Softplus().apply(-element)
  }

  package var decomposition: Decomposition {
    Composition.of { (make) throws(WeighbridgeError) in
      let softplus = try make(Softplus(), try make(UnaryMath(.negative), make.inputs[0]))
      return try make(UnaryMath(.negative), softplus)
    }
  }
}
