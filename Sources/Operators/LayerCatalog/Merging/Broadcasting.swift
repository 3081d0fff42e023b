package import Bytes
package import GraphIR

/// An operator that combines tensors of the same rank element by element, from the first to the
/// last.
///
/// Along each axis the sizes are equal or 1; axes of size 1 are broadcast.
package protocol BroadcastingOperator: PlainOperator, ArithmeticOperator, PointwiseOperator {
  /// Combines the result of the previous inputs with the next input's element.
  func combine(_ element: Double, _ next: Double) -> Double

  /// What stands for results that do not fit in an integer type; `nil` if that is an error.
  var overflow: IntegerOverflow? { get }
}

/// One that combines integers exactly.
package protocol IntegerCombiningOperator: BroadcastingOperator {
  /// Combines integers, modulo 2^64 if the result does not fit.
  func combine(_ element: Int64, _ next: Int64) -> Int64
}

/// One whose result may not fit in the type of its inputs.
package protocol OverflowingOperator: IntegerCombiningOperator, IntegerOperator {
  /// Creates the operator.
  init(overflow: IntegerOverflow?)
}

extension OverflowingOperator {
  package init() { self.init(overflow: nil) }

  /// The stored form of the settings.
  static var attributeSchema: AttributeSchema<Self> {
    AttributeSchema(Self.init(overflow:), .overflow(\.overflow))
  }

  package func evaluate(
    _ inputs: [Tensor], workers: Workers
  ) throws(WeighbridgeError) -> [Tensor] {
    let type = inputs[0].elementType
    guard wraps(type) else { return try combined(inputs, workers: workers) }
    let shape = Broadcasting.outputShape(of: inputs.map(\.shape))
    return [Tensor(wrapping: type, shape: shape, combined(inputs, shape, \.wrappedIntegers))]
  }
}

extension IntegerCombiningOperator {
  package func evaluate(
    _ inputs: [Tensor], workers: Workers
  ) throws(WeighbridgeError) -> [Tensor] {
    let type = inputs[0].elementType
    guard type.isInteger else { return try combined(inputs, workers: workers) }
    let shape = Broadcasting.outputShape(of: inputs.map(\.shape))
    return [Tensor(ordered: type, shape: shape, combined(inputs, shape, \.orderedIntegers))]
  }

  /// The combination of the inputs' elements as integers.
  fileprivate func combined(
    _ inputs: [Tensor], _ shape: [Int], _ integers: (Tensor) -> [Int64]
  ) -> [Int64] {
    var elements = integers(inputs[0].broadcast(to: shape))
    for input in inputs.dropFirst() {
      elements = zip(elements, integers(input.broadcast(to: shape))).map { combine($0, $1) }
    }
    return elements
  }
}

extension OperatorDeclaration where Operation: OverflowingOperator {
  /// Declares an operator that combines tensors element by element.
  static func merging(_ formula: String) -> OperatorDeclaration {
    OperatorDeclaration(
      formula, inputs: [.variadic("input", .number)], outputs: [.like("input")],
      attributes: Operation.attributeSchema, concepts: [.broadcasting, .integers])
  }
}

extension OperatorDeclaration where Operation: PlainOperator {
  /// Declares an operator that combines tensors element by element.
  static func combining(
    _ formula: String, _ elements: ElementClass = .number
  ) -> OperatorDeclaration {
    OperatorDeclaration(
      formula, inputs: [.variadic("input", elements)], outputs: [.like("input")],
      concepts: [.broadcasting, .integers])
  }
}

extension BroadcastingOperator {
  package func outputTypes(of inputs: [TensorType]) throws(ShapeError) -> [TensorType] {
    [try Broadcasting.outputType(of: inputs)]
  }

  package var overflow: IntegerOverflow? { nil }

  package func evaluate(
    _ inputs: [Tensor], workers: Workers
  ) throws(WeighbridgeError) -> [Tensor] {
    try combined(inputs, workers: workers)
  }

  fileprivate func combined(
    _ inputs: [Tensor], workers: Workers
  ) throws(WeighbridgeError) -> [Tensor] {
    try evaluate(
      inputs, to: inputs[0].elementType, overflow: overflow, workers: workers, combine(lists:))
  }

  package func pointwise(_ types: [ElementType]) -> PointwiseFunction? { combine(lists:) }

  @Sendable private func combine(lists: [[Double]]) -> [Double] {
    var result = lists[0]
    for list in lists.dropFirst() {
      for index in result.indices { result[index] = combine(result[index], list[index]) }
    }
    return result
  }

  package func permutingAxes(_ axes: [Int]) -> Self? { self }
}

/// The rules for the shapes of tensors that are combined element by element.
enum Broadcasting {
  /// The type of the combination of tensors of numbers with the same element type and rank.
  static func outputType(of inputs: [TensorType]) throws(ShapeError) -> TensorType {
    guard inputs[0].elementType != .bool else {
      throw ShapeError("takes numbers, not \(inputs[0])")
    }
    return try outputTypeOfAny(inputs)
  }

  /// The type of the combination of tensors with the same element type, which may be any, and rank.
  static func outputTypeOfAny(_ inputs: [TensorType]) throws(ShapeError) -> TensorType {
    let first = inputs[0]
    for other in inputs {
      guard other.elementType == first.elementType else {
        throw ShapeError("takes elements of one type, not \(first) and \(other)")
      }
      guard other.rank == first.rank else {
        throw ShapeError("takes inputs of one rank, not \(first) and \(other)")
      }
    }
    var shape: [Dimension] = []
    for axis in first.shape.indices {
      guard let dimension = dimension(of: inputs.map { $0.shape[axis] }, isBatch: axis == 0) else {
        let shapes = inputs.map { "\($0.shape)" }.joined(separator: ", ")
        throw ShapeError("the shapes \(shapes) differ along axis \(axis)")
      }
      shape.append(dimension)
    }
    return first.with(shape: shape)
  }

  /// The shape of the combination of tensors whose types have passed ``outputType(of:)``.
  static func outputShape(of shapes: [[Int]]) -> [Int] {
    shapes[0].indices.map { axis in shapes.map { $0[axis] }.first { $0 != 1 } ?? 1 }
  }

  /// The size of an axis; `nil` if the inputs' sizes do not fit together.
  ///
  /// All inputs of a model share the batch, so the batch axis keeps its name whatever it is
  /// combined with. Along any other axis, an unknown size may be 1, so the result is known only if
  /// all inputs agree.
  private static func dimension(of dimensions: [Dimension], isBatch: Bool) -> Dimension? {
    let fixed = Set(dimensions.compactMap(\.value)).subtracting([1])
    guard fixed.count <= 1 else { return nil }
    if let dimension = fixed.first { return .fixed(dimension) }
    let unknown = dimensions.filter { $0.value == nil }
    guard let first = unknown.first else { return 1 }
    if isBatch { return unknown.reduce(first) { $0.merged(with: $1) } }
    return unknown.allSatisfy { $0 == first } ? first : .unknown
  }
}
