import Bytes

extension Tensor {
  /// Calls `body` with the elements in row-major order, in pieces of whole outermost slices.
  ///
  /// Contiguous elements are passed as they lie in memory; others are brought into order piece by
  /// piece, so that the largest weight needs no second copy.
  ///
  /// - Parameters:
  ///   - pieceSize: The size in bytes to aim at when elements must be brought into order.
  ///   - body: Receives the pieces front to back.
  package func withPieces<Failure: Error>(
    ofAbout pieceSize: Int = 1 << 20, _ body: (RawSpan) throws(Failure) -> Void
  ) throws(Failure) {
    guard count > 0 else { return }
    if isContiguous {
      try store.withBytes { (bytes) throws(Failure) in
        try body(bytes.extracting(offset..<offset + byteCount))
      }
      return
    }
    let sliceSize = byteCount / shape[0]
    // Sixty-four rows are what the strided copy takes at once where the outermost axis is the one
    // along which the source is contiguous (Keras' kernels); no piece is larger than 8 MB for it.
    let wanted = (pieceSize / sliceSize + 63) / 64 * 64
    let rows = max(1, min(shape[0], wanted, (8 << 20) / sliceSize))
    var buffer = [UInt8](repeating: 0, count: rows * sliceSize)
    for start in stride(from: 0, to: shape[0], by: rows) {
      let piece = slice(start..<min(start + rows, shape[0]), along: 0)
      piece.copyElements(into: &buffer)
      try body(buffer.span.bytes.extracting(first: piece.byteCount))
    }
  }

  /// The elements in row-major order in memory of their own, unless they are so already.
  package func contiguous() -> Tensor {
    isContiguous ? self : Tensor(elementType, shape: shape, bytes: contiguousBytes())
  }

  /// A copy of the elements in row-major order, little-endian.
  package func contiguousBytes() -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: byteCount)
    copyElements(into: &bytes)
    return bytes
  }

  private func copyElements(into buffer: inout [UInt8]) {
    let copy = StridedCopy(shape: shape, strides: strides, elementSize: elementType.byteCount)
    var span = buffer.mutableSpan
    var bytes = span.mutableBytes
    store.withBytes { copy.copy(from: $0, offset: offset, into: &bytes) }
  }
}

extension Tensor {
  /// Gives the memory of the elements back to the system when they lie in a mapped file; they can
  /// still be read.
  package func releaseMemory() {
    let lowest =
      offset + zip(shape, strides).map { min(0, ($0 - 1) * $1) }.reduce(0, +)
      * elementType.byteCount
    store.release(lowest..<min(store.count, lowest + byteCount))
  }
}
