package import Bytes
package import GraphIR

/// An operator that combines, for each element, all elements up to it along an axis.
///
/// Numbers of any shape with this axis; the output has the same shape.
package protocol CumulativeOperator: ArithmeticOperator, IntegerOperator {
  /// The axis; the first is 0.
  var axis: Int { get }
  /// Whether the element itself is left out.
  var isExclusive: Bool { get }
  /// Whether the elements are accumulated from the last to the first.
  var isReversed: Bool { get }

  /// Creates the operator.
  init(axis: Int, isExclusive: Bool, isReversed: Bool, overflow: IntegerOverflow?)

  /// The identity of the combination, which is the combination of no elements.
  static var identity: Double { get }

  /// Combines the previous total with an element.
  static func combine(_ total: Double, _ element: Double) -> Double

  /// Combines integers modulo 2^64.
  static func combine(_ total: Int64, _ element: Int64) -> Int64
}

extension CumulativeOperator {
  /// Creates an operator that states no ``IntegerOperator/overflow``.
  package init(axis: Int, isExclusive: Bool, isReversed: Bool) {
    self.init(axis: axis, isExclusive: isExclusive, isReversed: isReversed, overflow: nil)
  }

  /// The attributes in which the settings are stored.
  static var attributeSchema: AttributeSchema<Self> {
    AttributeSchema(
      Self.init(axis:isExclusive:isReversed:overflow:),
      .axis(\.axis),
      .boolean("exclusive", \.isExclusive, "Whether the element itself is excluded."),
      .boolean(
        "reverse", \.isReversed, "Whether the elements are accumulated from the last to the first."),
      .overflow(\.overflow))
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
    let (type, shape) = (inputs[0].elementType, inputs[0].shape)
    if wraps(type) {
      let numbers = accumulated(inputs[0].wrappedIntegers, shape) {
        totals($0, Int64(Self.identity)) { Self.combine($0, $1) }
      }
      return [Tensor(wrapping: type, shape: shape, numbers)]
    }
    let numbers = accumulated(try inputs[0].exactDoubles(), shape) { totals($0) }
    return [try Tensor(type, shape: shape, numbers, overflow: overflow)]
  }

  /// Replaces the elements of each lane.
  private func accumulated<Number>(
    _ elements: [Number], _ shape: [Int], _ totals: ([Number]) -> [Number]
  ) -> [Number] {
    var elements = elements
    let inner = shape[(axis + 1)...].reduce(1, *)
    let size = shape[axis]
    for outer in 0..<shape[..<axis].reduce(1, *) where size > 0 {
      for first in outer * size * inner..<(outer * size + 1) * inner {
        let lane = (0..<size).map { first + $0 * inner }
        for (index, total) in zip(lane, totals(lane.map { elements[$0] })) {
          elements[index] = total
        }
      }
    }
    return elements
  }

  /// Returns the outputs for the elements of one lane.
  package func totals(_ lane: some RandomAccessCollection<Double>) -> [Double] {
    totals(lane, Self.identity) { Self.combine($0, $1) }
  }

  private func totals<Number>(
    _ lane: some RandomAccessCollection<Number>, _ identity: Number,
    _ combine: (Number, Number) -> Number
  ) -> [Number] {
    var total = identity
    let totals = (isReversed ? Array(lane.reversed()) : Array(lane)).map { element in
      let next = combine(total, element)
      defer { total = next }
      return isExclusive ? total : next
    }
    return isReversed ? totals.reversed() : totals
  }

  package func permutingAxes(_ axes: [Int]) -> Self? {
    axes.firstIndex(of: axis).map {
      Self(axis: $0, isExclusive: isExclusive, isReversed: isReversed, overflow: overflow)
    }
  }
}
