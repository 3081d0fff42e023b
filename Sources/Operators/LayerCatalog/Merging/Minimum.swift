import Bytes
import GraphIR

/// The minimum of tensors, element by element; NaN where one of them is NaN.
///
/// - inputs: two or more of the same rank, with sizes that are equal or 1 along each axis
/// - output: the inputs' shape after broadcasting
package struct Minimum: IntegerCombiningOperator {
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

  package func combine(_ element: Int64, _ next: Int64) -> Int64 { min(element, next) }

  package var decomposition: Decomposition {
    Composition.of { (make) throws(WeighbridgeError) in
      var reversed: [ValueID] = []
      for input in make.inputs { reversed.append(try make.orderReversed(input)) }
      return try make.orderReversed(try make.apply(Maximum(), reversed))
    }
  }
}
