package import Bytes
package import GraphIR

/// Weights on their way into a file, brought into row-major order piece by piece.
package struct WeightStream {
  /// The approximate number of bytes that go to the file at once.
  private static let pieceSize = 1 << 20

  /// The memory of a source of up to this many bytes is not released, since that takes time too.
  private static let keptSize = 64 << 20

  private let cancellation: Cancellation?
  private var buffer: [UInt8] = []

  package init(_ cancellation: Cancellation?) { self.cancellation = cancellation }

  /// Calls `append` with the elements of a tensor, front to back, and releases their memory.
  ///
  /// - Throws: ``WeighbridgeError/Code/cancelled``; ``WeighbridgeError/Code/damaged`` when the file
  ///   of the tensor has changed since it was opened; what `append` throws.
  package mutating func write(
    _ tensor: Tensor, to append: (RawSpan) throws(WeighbridgeError) -> Void
  ) throws(WeighbridgeError) {
    let pieces = tensor.pieces(ofAbout: Self.pieceSize)
    if tensor.isContiguous {
      for piece in pieces {
        try cancellation.check()
        try piece.withBytes(&buffer, append)
      }
    } else {
      try inOrder(pieces.count, append) { (index, buffer) throws(WeighbridgeError) in
        pieces[index].copyBytes(into: &buffer)
      }
    }
    try tensor.store.checkUnchanged()
    release(tensor)
  }

  /// Calls `append` with the elements of a tensor in another number type.
  ///
  /// - Parameter name: The weight's name in errors.
  /// - Throws: What ``write(_:to:)`` throws; ``WeighbridgeError/Code/unsupported`` when a finite
  ///   number is too large for the type.
  package mutating func write(
    _ tensor: Tensor, as type: ElementType, named name: String,
    to append: (RawSpan) throws(WeighbridgeError) -> Void
  ) throws(WeighbridgeError) {
    guard tensor.elementType != type else { return try write(tensor, to: append) }
    let flat = tensor.reshaped([tensor.count])
    let count = Self.pieceSize / MemoryLayout<Double>.size
    let starts = Array(stride(from: 0, to: flat.count, by: count))
    try inOrder(starts.count, append) { (index, buffer) throws(WeighbridgeError) in
      let range = starts[index]..<min(starts[index] + count, flat.count)
      return try Self.rounded(flat.slice(range, along: 0), to: type, named: name)
        .copyBytes(into: &buffer)
    }
    try tensor.store.checkUnchanged()
    release(tensor)
  }

  private mutating func inOrder(
    _ count: Int, _ append: (RawSpan) throws(WeighbridgeError) -> Void,
    _ make: @escaping PrefetchedPieces.Maker
  ) throws(WeighbridgeError) {
    let cancellation = cancellation
    try PrefetchedPieces.run(count, &buffer, make: make) { (bytes) throws(WeighbridgeError) in
      try cancellation.check()
      try append(bytes)
    }
  }

  private static func rounded(
    _ part: Tensor, to type: ElementType, named name: String
  ) throws(WeighbridgeError) -> Tensor {
    let numbers = part.doubles
    let result = Tensor(type, shape: part.shape, numbers)
    for (number, rounded) in zip(numbers, result.doubles)
    where number.isFinite && !rounded.isFinite {
      throw .unsupported(
        "the weight \(name) holds \(number), which is too large for \(type.rawValue)")
    }
    return result
  }

  /// Returns the memory of a tensor to the system where it is part of a large file.
  package func release(_ tensor: Tensor) {
    if tensor.store.count > Self.keptSize { tensor.releaseMemory() }
  }
}
