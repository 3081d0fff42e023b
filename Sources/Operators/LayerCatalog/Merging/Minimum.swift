import Bytes
import GraphIR

/// The minimum of tensors, element by element; NaN where one of them is NaN.
///
/// - inputs: two or more of the same rank; along each axis the sizes are equal or 1
/// - output: along each axis the size that is not 1, if there is one
package struct Minimum: BroadcastingOperator {
  package static let kind = "minimum"
  package static let version = 1

  package static let declaration = OperatorDeclaration<Self>.merging(
    "y = the smallest of the inputs' elements; NaN if one is NaN")

  /// Creates the operator.
  package init() {}
}

extension Minimum {
  package func combine(_ element: Double, _ next: Double) -> Double {
    element.isNaN || element < next ? element : next
  }

  package var decomposition: Decomposition {
    Composition.of { (make) throws(WeighbridgeError) in
      var reversed: [ValueID] = []
      for input in make.inputs { reversed.append(try make.orderReversed(input)) }
      return try make.orderReversed(try make.apply(Maximum(), reversed))
    }
  }
}
