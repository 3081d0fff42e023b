import GraphIR

/// A strided view of a row-major tensor, which may reorder, omit or repeat elements.
struct StridedView: Sendable {
  /// The sizes, outermost first.
  private(set) var shape: [Int]
  /// The distance between neighbors along each axis, in elements; may be negative or 0.
  private(set) var strides: [Int]
  /// The position of the first element, in elements.
  private(set) var start = 0

  /// All elements in their original order.
  init(_ shape: [Int]) {
    self.shape = shape
    strides = Tensor.rowMajorStrides(shape)
  }

  /// Whether it is the identity: all elements in their original order.
  var isRowMajor: Bool {
    start == 0
      && zip(shape, zip(strides, Tensor.rowMajorStrides(shape))).allSatisfy {
        $0 == 1 || $1.0 == $1.1
      }
  }

  /// Axis `axes[i]` at position i.
  func permuted(_ axes: [Int]) -> StridedView {
    var result = self
    (result.shape, result.strides) = (axes.map { shape[$0] }, axes.map { strides[$0] })
    return result
  }

  /// Every `step`-th element along an axis, starting from `first`.
  func strided(along axis: Int, from first: Int, count: Int, step: Int = 1) -> StridedView {
    var result = self
    if count > 0 { result.start += first * strides[axis] }
    result.shape[axis] = count
    if count > 1 { result.strides[axis] *= step }
    return result
  }

  /// One axis as several, whose sizes multiply to its own.
  func splitting(_ axis: Int, into dimensions: [Int]) -> StridedView {
    var result = self
    let steps = Tensor.rowMajorStrides(dimensions).map { $0 * strides[axis] }
    result.shape.replaceSubrange(axis...axis, with: dimensions)
    result.strides.replaceSubrange(axis...axis, with: steps)
    return result
  }

  /// A new axis along which the elements are repeated.
  func repeated(at axis: Int, count: Int) -> StridedView {
    var result = self
    result.shape.insert(count, at: axis)
    result.strides.insert(0, at: axis)
    return result
  }

  /// The same elements, repeated along axes of size 1.
  func broadcast(to shape: [Int]) -> StridedView {
    var result = self
    for axis in shape.indices where self.shape[axis] != shape[axis] { result.strides[axis] = 0 }
    result.shape = shape
    return result
  }
}
