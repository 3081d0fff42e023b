import Bytes
import GraphIR

/// The sum of all elements up to each one along an axis.
///
/// Numbers of any shape with this axis in, the same out.
package struct CumSum: CumulativeOperator, PrimitiveOperator {
  /// The axis; the first is 0.
  package let axis: Int
  /// Whether the element itself is left out.
  package let isExclusive: Bool
  /// Whether it goes from the last element to the first.
  package let isReversed: Bool

  package static let kind = "cumsum"

  package static let declaration = OperatorDeclaration<Self>(
    """
    y[i] = sum of x[j] over j <= i; over j < i if exclusive
    If reverse: over j >= i, or j > i. Of no elements it is 0.
    """,
    of: .number,
    attributes: attributeSchema,
    notions: [.integers])

  /// Makes the operator.
  package init(axis: Int, isExclusive: Bool, isReversed: Bool) {
    self.axis = axis
    self.isExclusive = isExclusive
    self.isReversed = isReversed
  }

  package static let start = 0.0

  package static func combine(_ total: Double, _ element: Double) -> Double { total + element }
}
