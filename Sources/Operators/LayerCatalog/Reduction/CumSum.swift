import Bytes
import GraphIR

/// The cumulative sum along an axis: of all elements up to each one.
///
/// Numbers of any shape with this axis; the output has the same shape.
package struct CumSum: CumulativeOperator, PrimitiveOperator {
  /// The axis; the first is 0.
  package let axis: Int
  /// Whether the element itself is left out.
  package let isExclusive: Bool
  /// Whether the elements are accumulated from the last to the first.
  package let isReversed: Bool
  package var overflow: IntegerOverflow?

  package static let kind = "cumsum"

  package static let declaration = OperatorDeclaration<Self>(
    """
    y[i] = sum of x[j] over j <= i; over j < i if exclusive
    If reverse: over j >= i, or j > i. The sum of no elements is 0.
    """,
    of: .number,
    attributes: attributeSchema,
    concepts: [.integers])

  /// Creates the operator.
  package init(axis: Int, isExclusive: Bool, isReversed: Bool, overflow: IntegerOverflow?) {
    self.axis = axis
    self.isExclusive = isExclusive
    self.isReversed = isReversed
    self.overflow = overflow
  }

  package static let identity = 0.0

  package static func combine(_ total: Double, _ element: Double) -> Double { total + element }

  package static func combine(_ total: Int64, _ element: Int64) -> Int64 { total &+ element }
}
