package import Bytes
package import GraphIR

/// An operator that combines, for each element, all elements up to it along an axis.
///
/// Numbers of any shape with this axis; the output has the same shape.
package protocol CumulativeOperator: ArithmeticOperator {
  /// The axis; the first is 0.
  var axis: Int { get }
  /// Whether the element itself is left out.
  var isExclusive: Bool { get }
  /// Whether the elements are accumulated from the last to the first.
  var isReversed: Bool { get }

  /// Creates the operator.
  init(axis: Int, isExclusive: Bool, isReversed: Bool)

  /// The identity of the combination, which is the combination of no elements.
  static var identity: Double { get }

  /// Combines the previous total with an element.
  static func combine(_ total: Double, _ element: Double) -> Double
}

extension CumulativeOperator {
  /// The attributes in which the settings are stored.
  static var attributeSchema: AttributeSchema<Self> {
    AttributeSchema(
      Self.init(axis:isExclusive:isReversed:),
      .axis(\.axis),
      .boolean("exclusive", \.isExclusive, "Whether the element itself is excluded."),
      .boolean(
        "reverse", \.isReversed, "Whether the elements are accumulated from the last to the first.")
    )
  }

  package static var version: Int { 1 }

  package func outputTypes(of inputs: [TensorType]) throws(ShapeError) -> [TensorType] {
    guard axis < inputs[0].rank, inputs[0].elementType != .bool else {
      throw ShapeError("takes numbers with an axis \(axis), not \(inputs[0])")
    }
    return inputs
  }

  package func evaluate(
    _ inputs: [Tensor], workers: Workers
  ) throws(WeighbridgeError) -> [Tensor] {
    let input = inputs[0]
    var elements = input.doubles
    let inner = input.shape[(axis + 1)...].reduce(1, *)
    let size = input.shape[axis]
    for outer in 0..<input.shape[..<axis].reduce(1, *) where size > 0 {
      for first in outer * size * inner..<(outer * size + 1) * inner {
        let lane = (0..<size).map { first + $0 * inner }
        for (index, total) in zip(lane, totals(lane.map { elements[$0] })) {
          elements[index] = total
        }
      }
    }
    return [try Tensor(checking: input.elementType, shape: input.shape, elements)]
  }

  /// Returns the outputs for the elements of one lane.
  package func totals(_ lane: some RandomAccessCollection<Double>) -> [Double] {
    var total = Self.identity
    let totals = (isReversed ? Array(lane.reversed()) : Array(lane)).map { element in
      let next = Self.combine(total, element)
      defer { total = next }
      return isExclusive ? total : next
    }
    return isReversed ? totals.reversed() : totals
  }

  package func permutingAxes(_ axes: [Int]) -> Self? {
    axes.firstIndex(of: axis).map {
      Self(axis: $0, isExclusive: isExclusive, isReversed: isReversed)
    }
  }
}
