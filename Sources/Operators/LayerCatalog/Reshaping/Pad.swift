package import Bytes
package import GraphIR

/// The input with elements added at both ends of its axes.
///
/// - input: any element type, with an axis for each entry of `before`
/// - output: each axis extended by the added elements
package struct Pad: ExactOperator, PrimitiveOperator {
  /// The kind of padding.
  package enum Mode: String, Hashable, Sendable, CaseIterable {
    case constant, reflect, symmetric, edge
  }

  /// The number of elements added before each axis, 0 or more.
  package let before: [Int]
  /// The number of elements added after each axis, 0 or more.
  package let after: [Int]
  /// The kind of padding.
  package let mode: Mode
  /// The value of the elements that `constant` adds; 0 in the other modes.
  package let value: Double

  package static let kind = "pad"
  package static let version = 1

  package static let declaration = OperatorDeclaration<Self>(
    """
    output[i] = input[source(i - before)] along each axis, one axis after the other; n the input \
    size:
    source(p) = p if 0 <= p < n, otherwise
      constant: the value
      edge: 0 if p < 0, else n - 1
      reflect: -p if p < 0, else 2 * (n - 1) - p; before and after are below n (or 0)
      symmetric: -p - 1 if p < 0, else 2 * n - 1 - p; before and after are at most n
    """,
    of: .any,
    attributes: AttributeSchema(
      stored,
      .integers("before", \.before, "The number of elements added before each axis.", .atLeast(0)),
      .integers(
        "after", \.after, "The number of elements added after each axis.", .atLeast(0),
        .countOf("before")),
      .choice("mode", \.mode, "The added elements; see the formula.") {
        switch $0 {
        case .constant: "the value"
        case .reflect:
          "the elements mirrored at the first and the last one, which are not repeated"
        case .symmetric:
          "the elements mirrored at the borders, the first and the last one included"
        case .edge: "the first and the last element, repeated"
        }
      },
      .real("value", \.value, "The value that `constant` adds; 0 in the other modes.")))

  /// Creates the operator.
  package init(before: [Int], after: [Int], mode: Mode, value: Double = 0) {
    self.before = before
    self.after = after
    self.mode = mode
    self.value = mode == .constant ? value : 0
  }
}

extension Pad {
  /// Creates the operator from stored settings.
  ///
  /// - Throws: ``WeighbridgeError/Code/malformed`` if a mode other than `constant` has a value.
  @Sendable private static func stored(
    before: [Int], after: [Int], mode: Mode, value: Double
  ) throws(WeighbridgeError) -> Pad {
    guard mode == .constant || value == 0 else {
      throw .malformed(
        "the attribute value is \(value), but must be 0 in the mode \(mode.rawValue)")
    }
    return Pad(before: before, after: after, mode: mode, value: value)
  }

  package func outputTypes(of inputs: [TensorType]) throws(ShapeError) -> [TensorType] {
    var shape = inputs[0].shape
    guard shape.count == before.count else {
      throw ShapeError("cannot pad \(before.count) axes of \(inputs[0])")
    }
    for axis in shape.indices where before[axis] > 0 || after[axis] > 0 {
      shape[axis] = try shape[axis].map { (dimension) throws(ShapeError) in
        try padded(dimension, axis)
      }
    }
    return [inputs[0].with(shape: shape)]
  }

  private func padded(_ dimension: Int, _ axis: Int) throws(ShapeError) -> Int {
    let limit =
      switch mode {
      case .constant: Int.max
      case .edge: dimension > 0 ? Int.max : 0
      case .reflect: max(0, dimension - 1)
      case .symmetric: dimension
      }
    guard before[axis] <= limit, after[axis] <= limit else {
      throw ShapeError(
        "\(mode.rawValue) adds at most \(limit) elements to an axis of \(dimension), but "
          + "\(before[axis]) and \(after[axis]) are requested")
    }
    let (sum, sumOverflow) = dimension.addingReportingOverflow(before[axis])
    let (total, totalOverflow) = sum.addingReportingOverflow(after[axis])
    guard !sumOverflow, !totalOverflow else { throw ShapeError("an axis becomes too long") }
    return total
  }

  package func evaluate(
    _ inputs: [Tensor], workers: Workers
  ) throws(WeighbridgeError) -> [Tensor] {
    _ = try outputShape(of: inputs)
    let type = inputs[0].elementType
    let added = Tensor(type, shape: [1], [value]).contiguousBytes()
    var (shape, bytes) = (inputs[0].shape, inputs[0].contiguousBytes())
    for axis in shape.indices where before[axis] > 0 || after[axis] > 0 {
      bytes = padded(bytes, shape, axis, with: added)
      shape[axis] += before[axis] + after[axis]
    }
    return [Tensor(type, shape: shape, bytes: bytes)]
  }

  /// Returns the elements' bytes with padding along one axis.
  ///
  /// - Parameter added: The bytes of the constant.
  private func padded(
    _ bytes: [UInt8], _ shape: [Int], _ axis: Int, with added: [UInt8]
  ) -> [UInt8] {
    let (dimension, count) = (shape[axis], shape[(axis + 1)...].reduce(1, *))
    let sources = (-before[axis]..<dimension + after[axis]).map {
      source(of: $0, dimension: dimension)
    }
    let constants = [[UInt8]](repeating: added, count: count).flatMap { $0 }
    let (outerCount, size) = (shape[..<axis].reduce(1, *), constants.count)
    var result: [UInt8] = []
    result.reserveCapacity(outerCount * sources.count * size)
    for outer in 0..<outerCount {
      for source in sources {
        if let source {
          let start = (outer * dimension + source) * size
          result += bytes[start..<start + size]
        } else {
          result += constants
        }
      }
    }
    return result
  }

  /// Returns the index of the input element at a position, counted from the input's first element;
  /// `nil` if it is the constant.
  package func source(of position: Int, dimension: Int) -> Int? {
    if (0..<dimension).contains(position) { return position }
    return switch mode {
    case .constant: nil
    case .edge: position < 0 ? 0 : dimension - 1
    case .reflect: position < 0 ? -position : 2 * (dimension - 1) - position
    case .symmetric: position < 0 ? -position - 1 : 2 * dimension - 1 - position
    }
  }

  package func permutingAxes(_ axes: [Int]) -> Pad? {
    guard axes.count == before.count else { return nil }
    return Pad(
      before: axes.map { before[$0] }, after: axes.map { after[$0] }, mode: mode, value: value)
  }
}
