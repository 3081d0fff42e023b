import Bytes
import GraphIR

/// The smooth rectifier log(1 + e^x) (Dugas et al. 2001).
///
/// Any shape in, the same out.
package struct Softplus: ElementwiseOperator, PlainOperator {
  package static let kind = "softplus"
  package static let version = 1

  package static let declaration = OperatorDeclaration<Self>(
    "y = log(1 + exp(x)), computed as max(x, 0) + log(1 + exp(-|x|))",
    of: .float)

  /// Makes the operator.
  package init() {}
}

extension Softplus {
  package func apply(_ element: Double) -> Double {
    // The same without e^x of a large x; a NaN propagates through the logarithm.
    max(element, 0) + (-abs(element)).exponential.logarithmOfOnePlus
  }

  /// max(x, 0) + log(1 + e^-|x|), which cannot overflow.
  package var decomposition: Decomposition {
    Composition.of { (make) throws(WeighbridgeError) in
      let x = make.inputs[0]
      let size = try make(UnaryMath(.absolute), x)
      let power = try make(Exponential(), try make(UnaryMath(.negative), size))
      return try make.sum(
        try make.positive(x), try make(UnaryMath(.logarithmOfOnePlus), power))
    }
  }
}
