import Bytes
import GraphIR

/// A shape cut into pieces of some thousand elements, whose intermediate results fit in a processor's
/// cache.
struct Pieces: Sendable {
  private let shape: [Int]
  /// The axis along which it is cut; every index of the axes before it has pieces of its own. `nil` for
  /// a single piece.
  private let axis: Int?
  /// The number of indices along that axis in a piece.
  private let length: Int
  /// The number of pieces.
  let count: Int

  /// The largest number of elements of a piece, unless a single index of the axis has more.
  private static let size = 4096

  init(of shape: [Int]) {
    var (axis, rowSize) = (shape.count, 1)
    while axis > 0, rowSize * shape[axis - 1] <= Self.size {
      axis -= 1
      rowSize *= shape[axis]
    }
    self.shape = shape
    self.axis = axis > 0 ? axis - 1 : nil
    length = axis > 0 ? Self.size / rowSize : 1
    count =
      axis > 0 ? shape[..<(axis - 1)].reduce((shape[axis - 1] + length - 1) / length, *) : 1
  }

  /// A tensor of this shape, as its pieces are read.
  enum Operand: Sendable {
    /// Its elements in row-major order.
    case list(Tensor)
    /// The elements of the first piece; every other one has the same, or the first of them.
    case same([Double])
    /// Any other.
    case view(Tensor)
  }

  /// Prepares a tensor that is broadcast to this shape.
  func operand(_ tensor: Tensor) -> Operand {
    let tensor = tensor.broadcast(to: shape)
    if tensor.isContiguous { return .list(tensor.reshaped([tensor.count])) }
    let isSame = (0...(axis ?? 0)).allSatisfy { shape[$0] == 1 || tensor.strides[$0] == 0 }
    return isSame ? .same(view(0, of: tensor).doubles) : .view(tensor)
  }

  /// The elements of a piece.
  func elements(_ index: Int, of operand: Operand) -> [Double] {
    switch operand {
    case .list(let tensor): tensor.slice(range(index), along: 0).doubles
    case .same(let elements):
      elements.count == range(index).count
        ? elements : Array(elements.prefix(range(index).count))
    case .view(let tensor): view(index, of: tensor).doubles
    }
  }

  /// The range of a piece among all elements.
  private func range(_ index: Int) -> Range<Int> {
    guard let axis else { return 0..<shape.reduce(1, *) }
    let rowSize = shape[(axis + 1)...].reduce(1, *)
    let (outer, range) = position(index)
    let start = outer * shape[axis]
    return (start + range.lowerBound) * rowSize..<(start + range.upperBound) * rowSize
  }

  /// The index along the axes before the one that is cut, as a number, and the range along that one.
  private func position(_ index: Int) -> (outer: Int, range: Range<Int>) {
    let size = shape[axis ?? 0]
    let piecesPerIndex = (size + length - 1) / length
    let start = index % piecesPerIndex * length
    return (index / piecesPerIndex, start..<min(start + length, size))
  }

  private func view(_ index: Int, of tensor: Tensor) -> Tensor {
    guard let axis else { return tensor }
    var (rest, range) = position(index)
    var piece = tensor.slice(range, along: axis)
    for axis in (0..<axis).reversed() {
      range = rest % shape[axis]..<rest % shape[axis] + 1
      piece = piece.slice(range, along: axis)
      rest /= shape[axis]
    }
    return piece
  }

  /// Tensors of this shape, computed piece by piece.
  ///
  /// - Parameter compute: Returns the elements of a piece of each tensor.
  func tensors(
    _ types: [ElementType], workers: Workers, _ compute: @Sendable (Int) -> [[Double]]
  ) -> [Tensor] {
    let pieces = workers.map(count) { index in
      zip(types, compute(index)).map { $0.bytes(of: $1) }
    }
    return types.indices.map { number in
      if count == 1 { return Tensor(types[number], shape: shape, bytes: pieces[0][number]) }
      var bytes: [UInt8] = []
      bytes.reserveCapacity(shape.reduce(types[number].byteCount, *))
      for piece in pieces { bytes += piece[number] }
      return Tensor(types[number], shape: shape, bytes: bytes)
    }
  }
}
