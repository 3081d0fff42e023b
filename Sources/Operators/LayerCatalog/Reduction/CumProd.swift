import Bytes
import GraphIR

/// The product of all elements up to each one along an axis.
///
/// Numbers of any shape with this axis in, the same out.
package struct CumProd: CumulativeOperator {
  /// The axis; the first is 0.
  package let axis: Int
  /// Whether the element itself is left out.
  package let isExclusive: Bool
  /// Whether it goes from the last element to the first.
  package let isReversed: Bool

  package static let kind = "cumprod"

  package static let declaration = OperatorDeclaration<Self>(
    """
    y[i] = product of x[j] over j <= i; over j < i if exclusive
    If reverse: over j >= i, or j > i. Of no elements it is 1.
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

  package static let start = 1.0

  package static func combine(_ total: Double, _ element: Double) -> Double { total * element }

  /// For each element, the product of all elements that are included, with 1 for the others.
  package var decomposition: Decomposition {
    Composition.of { [self] (make) throws(WeighbridgeError) in
      let input = make.inputs[0]
      let (rank, size) = (make.type(input).rank, try make.size(input, axis: axis))
      let counts = (0..<size).flatMap { position in
        (0..<size).map { element -> Double in
          let isBefore = isReversed ? element > position : element < position
          return isBefore || (element == position && !isExclusive) ? 1 : 0
        }
      }
      var shape = [Int](repeating: 1, count: rank + 1)
      shape.replaceSubrange(axis...axis + 1, with: [size, size])
      let mask = try make.constant(Tensor(.bool, shape: shape, counts))
      let factors = try make(ExpandDims(axes: [axis]), input)
      let counted = try make(Where(), mask, factors, try make.number(1, like: factors))
      return try make(Reduce(.product, axes: [axis + 1], keepDims: false), counted)
    }
  }
}
