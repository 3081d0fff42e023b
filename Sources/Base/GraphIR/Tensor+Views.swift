import Bytes

extension Tensor {
  /// The same elements with `axes[i]` as axis `i`. Copies nothing.
  ///
  /// - Parameter axes: Each axis exactly once; traps otherwise.
  package func permuted(_ axes: [Int]) -> Tensor {
    precondition(axes.sorted() == Array(shape.indices), "not a permutation of the axes")
    return Tensor(
      elementType, shape: axes.map { shape[$0] }, store: store, offset: offset,
      strides: axes.map { strides[$0] })
  }

  /// The elements whose index along `axis` is in `range`. Copies nothing.
  package func slice(_ range: Range<Int>, along axis: Int) -> Tensor {
    precondition(range.lowerBound >= 0 && range.upperBound <= shape[axis])
    var dimensions = shape
    dimensions[axis] = range.count
    return Tensor(
      elementType, shape: dimensions, store: store,
      offset: offset + range.lowerBound * strides[axis] * elementType.byteCount, strides: strides)
  }

  /// The same elements in reverse order along some axes. Copies nothing.
  ///
  /// - Parameter axes: Axes of the tensor; traps otherwise.
  package func reversed(along axes: [Int]) -> Tensor {
    precondition(axes.allSatisfy(shape.indices.contains), "axes that the tensor does not have")
    guard count > 0 else { return self }
    var (start, newStrides) = (offset, strides)
    for axis in axes {
      start += (shape[axis] - 1) * newStrides[axis] * elementType.byteCount
      newStrides[axis] = -newStrides[axis]
    }
    return Tensor(elementType, shape: shape, store: store, offset: start, strides: newStrides)
  }

  /// The same elements in reverse order along consecutive axes. Copies nothing.
  package func reversed(along axes: Range<Int>) -> Tensor { reversed(along: Array(axes)) }

  /// Every `step`-th element along an axis, from `start` on. Copies nothing.
  ///
  /// - Parameters:
  ///   - step: The distance between consecutive elements; may be negative.
  ///   - count: The number of elements; the last one must be in bounds. Traps otherwise.
  package func strided(along axis: Int, from start: Int, count: Int, step: Int) -> Tensor {
    var (dimensions, newStrides, newOffset) = (shape, strides, offset)
    dimensions[axis] = count
    if count > 1 {
      precondition((0..<shape[axis]).contains(start + (count - 1) * step))
      newStrides[axis] *= step
    }
    if count > 0 {
      precondition((0..<shape[axis]).contains(start))
      newOffset += start * strides[axis] * elementType.byteCount
    }
    return Tensor(
      elementType, shape: dimensions, store: store, offset: newOffset, strides: newStrides)
  }

  /// The elements broadcast along each axis of size 1 for which `shape` has another size. Copies
  /// nothing.
  ///
  /// - Parameter shape: A shape with the same number of axes, and the same sizes where this
  ///   tensor's is not 1; traps otherwise.
  package func broadcast(to shape: [Int]) -> Tensor {
    precondition(
      shape.count == self.shape.count && zip(self.shape, shape).allSatisfy { $0 == 1 || $0 == $1 },
      "a shape that it cannot be broadcast to")
    let newStrides = zip(strides, zip(self.shape, shape)).map { $1.0 == $1.1 ? $0 : 0 }
    return Tensor(elementType, shape: shape, store: store, offset: offset, strides: newStrides)
  }

  /// The same elements in another shape with the same count. Copies only when they are not
  /// contiguous.
  package func reshaped(_ shape: [Int]) -> Tensor {
    precondition(shape.reduce(1, *) == count, "another number of elements")
    guard isContiguous else { return contiguous().reshaped(shape) }
    return Tensor(
      elementType, shape: shape, store: store, offset: offset,
      strides: Self.rowMajorStrides(shape))
  }

  /// Splits one axis into several whose sizes multiply to its own. Copies nothing.
  package func splitting(_ axis: Int, into dimensions: [Int]) -> Tensor {
    precondition(dimensions.reduce(1, *) == shape[axis], "another number of elements")
    let newStrides = Self.rowMajorStrides(dimensions).map { $0 * strides[axis] }
    return Tensor(
      elementType, shape: Array(shape[..<axis]) + dimensions + Array(shape[(axis + 1)...]),
      store: store, offset: offset,
      strides: Array(strides[..<axis]) + newStrides + Array(strides[(axis + 1)...]))
  }
}
