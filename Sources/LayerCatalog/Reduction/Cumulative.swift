package import Bytes
package import GraphIR

/// The sum or product of all elements up to each one along an axis.
///
/// Numbers of any shape with this axis in, the same out.
package struct Cumulative: CatalogOperator {
  /// What is made of the elements.
  package enum Function: String, Hashable, Sendable, CaseIterable {
    case sum, product
  }

  /// What is made of the elements.
  package let function: Function
  /// The axis; the first is 0.
  package let axis: Int
  /// Whether an element itself is left out.
  package let isExclusive: Bool
  /// Whether it goes from the last element to the first.
  package let isReversed: Bool

  package static let kind = "cumulative"
  package static let version = 1

  package var inputs: [InputSlot] { [.data("input")] }

  package var attributes: Attributes {
    [
      "function": .text(function.rawValue), "axis": .integer(axis),
      "is_exclusive": .flag(isExclusive), "is_reversed": .flag(isReversed),
    ]
  }

  /// Makes the operator.
  package init(_ function: Function, axis: Int, isExclusive: Bool, isReversed: Bool) {
    self.function = function
    self.axis = axis
    self.isExclusive = isExclusive
    self.isReversed = isReversed
  }
}

extension Cumulative {
  package init(reading attributes: inout AttributeReader) throws(WeighbridgeError) {
    function = try attributes.word("function")
    axis = try attributes.integer("axis")
    isExclusive = try attributes.flag("is_exclusive")
    isReversed = try attributes.flag("is_reversed")
    guard axis >= 0 else { throw attributes.malformed("axis \(axis), and the first is 0") }
  }

  package func outputTypes(of inputs: [TensorType]) throws(ShapeError) -> [TensorType] {
    guard axis < inputs[0].rank, inputs[0].elementType != .bool else {
      throw ShapeError("takes numbers with an axis \(axis) and has \(inputs[0])")
    }
    return inputs
  }

  package func evaluate(
    _ inputs: [Tensor], workers: Workers
  ) throws(WeighbridgeError) -> [Tensor] {
    let input = inputs[0]
    var elements = input.doubles
    let inner = input.shape[(axis + 1)...].reduce(1, *)
    let extent = input.shape[axis]
    for outer in 0..<input.shape[..<axis].reduce(1, *) where extent > 0 {
      for lane in 0..<inner {
        var total = function == .sum ? 0.0 : 1
        for step in 0..<extent {
          let place = isReversed ? extent - 1 - step : step
          let index = (outer * extent + place) * inner + lane
          let next = function == .sum ? total + elements[index] : total * elements[index]
          elements[index] = isExclusive ? total : next
          total = next
        }
      }
    }
    return [try Tensor(checking: input.elementType, shape: input.shape, elements)]
  }

  package var tolerance: Tolerance { .standard(for: .float32) }

  package func permutingAxes(_ axes: [Int]) -> Cumulative? {
    axes.firstIndex(of: axis).map {
      Cumulative(function, axis: $0, isExclusive: isExclusive, isReversed: isReversed)
    }
  }

  package var decomposition: Decomposition { .primitive }

  package static let keras = SourceMapping<KerasMapping>.unsupported(
    "Keras has it as the operations `cumsum` and `cumprod`")
}
