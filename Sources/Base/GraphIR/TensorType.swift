public import Bytes

/// The element type and the shape of a tensor, known before the model runs.
public struct TensorType: Hashable, Sendable {
  /// The number type of the elements.
  public var elementType: ElementType
  /// The sizes, outermost first. A scalar has no axes.
  public var shape: [Dimension]

  /// Creates a type.
  public init(_ elementType: ElementType, _ shape: [Dimension]) {
    self.elementType = elementType
    self.shape = shape
  }

  /// Creates a type with known sizes.
  public init(_ elementType: ElementType, _ shape: [Int]) {
    self.init(elementType, shape.map(Dimension.fixed))
  }

  /// The number of axes.
  public var rank: Int { shape.count }

  /// The sizes, when all are known.
  public var fixedShape: [Int]? {
    let fixed = shape.compactMap(\.value)
    return fixed.count == rank ? fixed : nil
  }

  /// The shape for a batch of one: 1 for an unknown first axis; `nil` when another axis is unknown.
  package var singleExampleShape: [Int]? {
    fixedShape ?? TensorType(elementType, [1] + shape.dropFirst()).fixedShape
  }

  /// The same element type with another shape.
  package func with(shape: [Dimension]) -> TensorType { TensorType(elementType, shape) }

  /// Whether a tensor can be of both types.
  package func agrees(with other: TensorType) -> Bool {
    elementType == other.elementType && rank == other.rank
      && zip(shape, other.shape).allSatisfy { $0.agrees(with: $1) }
  }
}

extension TensorType: CustomStringConvertible {
  /// For example `float32 [batch, 416, 416, 3]`.
  public var description: String { "\(elementType.rawValue) \(shape)" }
}
