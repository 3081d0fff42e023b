import Bytes
import GraphIR

/// The product of tensors, element by element.
///
/// - inputs: two or more of the same rank, with sizes that are equal or 1 along each axis
/// - output: the inputs' shape after broadcasting
package struct Multiply: OverflowingOperator, PrimitiveOperator {
  package var overflow: IntegerOverflow?

  package static let kind = "multiply"
  package static let version = 1

  package static let declaration = OperatorDeclaration<Self>.merging("y = input 0 * input 1 * ...")

  /// Creates the operator.
  package init(overflow: IntegerOverflow?) { self.overflow = overflow }
}

extension Multiply {
  package func combine(_ element: Double, _ next: Double) -> Double { element * next }

  package func combine(_ element: Int64, _ next: Int64) -> Int64 { element &* next }
}
