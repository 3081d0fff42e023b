import Bytes
import GraphIR

/// The maximum of tensors, element by element; NaN where one of them is NaN.
///
/// - inputs: two or more of the same rank, with sizes that are equal or 1 along each axis
/// - output: the inputs' shape after broadcasting
package struct Maximum: IntegerCombiningOperator, PrimitiveOperator {
  package static let kind = "maximum"
  package static let version = 1

  package static let declaration = OperatorDeclaration<Self>.combining(
    "y = the largest of the inputs' elements; NaN if one is NaN")

  /// Creates the operator.
  package init() {}
}

extension Maximum {
  package func combine(_ element: Double, _ next: Double) -> Double {
    element.isNaN || element > next ? element : next
  }

  package func combine(_ element: Int64, _ next: Int64) -> Int64 { max(element, next) }
}
