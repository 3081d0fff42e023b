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

  /// The elements of a piece of a tensor of this shape.
  func elements(_ index: Int, of tensor: Tensor) -> [Double] {
    guard let axis else { return tensor.doubles }
    let piecesPerIndex = (shape[axis] + length - 1) / length
    let start = index % piecesPerIndex * length
    var piece = tensor.slice(start..<min(start + length, shape[axis]), along: axis)
    var rest = index / piecesPerIndex
    for axis in (0..<axis).reversed() {
      let position = rest % shape[axis]
      piece = piece.slice(position..<position + 1, along: axis)
      rest /= shape[axis]
    }
    return piece.doubles
  }

  /// Tensors of this shape, computed piece by piece.
  ///
  /// - Parameter compute: Returns the elements of a piece of each tensor.
  func tensors(
    _ types: [ElementType], workers: Workers, _ compute: @Sendable (Int) -> [[Double]]
  ) -> [Tensor] {
    let pieces = workers.map(count) { index in
      zip(types, compute(index)).map { Tensor($0, shape: [$1.count], $1) }
    }
    if count == 1 { return pieces[0].map { $0.reshaped(shape) } }
    return types.indices.map { number in
      var bytes: [UInt8] = []
      bytes.reserveCapacity(shape.reduce(types[number].byteCount, *))
      for piece in pieces { bytes += piece[number].contiguousBytes() }
      return Tensor(types[number], shape: shape, bytes: bytes)
    }
  }
}
