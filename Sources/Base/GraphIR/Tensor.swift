public import Bytes

/// An immutable n-dimensional array: a view over shared bytes.
///
/// The bytes may belong to a mapped file and be stored in another order, so transposing a weight
/// costs nothing until its elements are read.
public struct Tensor: Sendable {
  /// The number type of the elements.
  public let elementType: ElementType
  /// The sizes, outermost first. A scalar has no axes.
  public let shape: [Int]
  /// The bytes that contain the elements, little-endian.
  package let store: ByteStore
  /// The byte offset in `store` of the element whose indices are all 0.
  package let offset: Int
  /// The distance between adjacent elements along each axis, in elements; may be negative or 0.
  package let strides: [Int]

  /// A row-major view of a range of bytes.
  ///
  /// - Throws: ``WeighbridgeError/Code/malformed`` when the shape does not fill the range exactly
  ///   or the range is not inside the store.
  package init(
    _ elementType: ElementType, shape: [Int], store: ByteStore, range: Range<Int>
  ) throws(WeighbridgeError) {
    let size = try Checked.product(shape + [elementType.byteCount], of: "the size of a tensor")
    guard range.count == size, range.lowerBound >= 0, range.upperBound <= store.count else {
      throw .malformed(
        "\(range.count) bytes do not hold \(elementType.rawValue) \(shape), which takes \(size)")
    }
    self.init(
      elementType, shape: shape, store: store, offset: range.lowerBound,
      strides: Self.rowMajorStrides(shape))
  }

  /// Creates a tensor with its own memory. Traps when the number of bytes does not match the shape.
  package init(_ elementType: ElementType, shape: [Int], bytes: [UInt8]) {
    precondition(bytes.count == shape.reduce(elementType.byteCount, *))
    self.init(
      elementType, shape: shape, store: ByteStore(bytes), offset: 0,
      strides: Self.rowMajorStrides(shape))
  }

  /// A view whose bounds the caller has checked.
  init(_ elementType: ElementType, shape: [Int], store: ByteStore, offset: Int, strides: [Int]) {
    self.elementType = elementType
    self.shape = shape
    self.store = store
    self.offset = offset
    self.strides = strides
  }

  /// The number of elements.
  public var count: Int { shape.reduce(1, *) }
  /// The size of all elements in bytes.
  public var byteCount: Int { count * elementType.byteCount }
  /// The type: the element type and the shape.
  public var type: TensorType { TensorType(elementType, shape) }

  /// Whether the elements are consecutive in row-major order.
  package var isContiguous: Bool {
    zip(shape, zip(strides, Self.rowMajorStrides(shape))).allSatisfy { dimension, stride in
      dimension == 1 || stride.0 == stride.1
    } || shape.contains(0)
  }

  /// The distance between adjacent elements along each axis of a row-major array, in elements.
  package static func rowMajorStrides(_ shape: [Int]) -> [Int] {
    var strides = [Int](repeating: 1, count: shape.count)
    for axis in (0..<max(0, shape.count - 1)).reversed() {
      strides[axis] = strides[axis + 1] * shape[axis + 1]
    }
    return strides
  }
}
