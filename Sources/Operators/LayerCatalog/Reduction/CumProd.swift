import Bytes
import GraphIR

/// The cumulative product along an axis: of all elements up to each one.
///
/// Numbers of any shape with this axis; the output has the same shape.
package struct CumProd: CumulativeOperator {
  /// The axis; the first is 0.
  package let axis: Int
  /// Whether the element itself is left out.
  package let isExclusive: Bool
  /// Whether the elements are accumulated from the last to the first.
  package let isReversed: Bool
  package var overflow: IntegerOverflow?

  package static let kind = "cumprod"

  package static let declaration = OperatorDeclaration<Self>(
    """
    y[i] = product of x[j] over j <= i; over j < i if exclusive
    If reverse: over j >= i, or j > i. The product of no elements is 1.
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

  package static let identity = 1.0

  package static func combine(_ total: Double, _ element: Double) -> Double { total * element }

  package static func combine(_ total: Int64, _ element: Int64) -> Int64 { total &* element }

  /// For each output element, the product of the elements that it includes, with 1 in place of the
  /// others.
  package var decomposition: Decomposition {
    Composition.of { [self] (make) throws(WeighbridgeError) in
      let input = make.inputs[0]
      let (rank, size) = (make.type(input).rank, try make.size(input, axis: axis))
      let included = (0..<size).flatMap { output in
        (0..<size).map { element -> Double in
          let isBefore = isReversed ? element > output : element < output
          return isBefore || (element == output && !isExclusive) ? 1 : 0
        }
      }
      var shape = [Int](repeating: 1, count: rank + 1)
      shape.replaceSubrange(axis...axis + 1, with: [size, size])
      let mask = try make.constant(Tensor(.bool, shape: shape, included))
      let factors = try make(ExpandDims(axes: [axis]), input)
      let masked = try make(Where(), mask, factors, try make.number(1, like: factors))
      return try make(
        Reduce(.product, axes: [axis + 1], keepDims: false, overflow: overflow), masked)
    }
  }
}
