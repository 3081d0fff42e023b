import Bytes

extension Tensor {
  /// Calls `body` with the elements in row-major order, in pieces.
  ///
  /// Contiguous elements are passed without copying; others are copied piece by piece into
  /// row-major order, so that even the largest weight needs no full second copy.
  ///
  /// - Parameter body: Receives the pieces in order.
  package func withPieces<Failure: Error>(
    _ body: (RawSpan) throws(Failure) -> Void
  ) throws(Failure) {
    var buffer: [UInt8] = []
    for piece in pieces(approximateSize: isContiguous ? byteCount : 1 << 20) {
      try piece.withBytes(&buffer, body)
    }
  }

  /// Splits the elements in row-major order into parts: byte ranges if they are contiguous, and
  /// slices along the outermost axis otherwise.
  ///
  /// - Parameter size: The approximate size of a part in bytes.
  package func pieces(approximateSize size: Int) -> [Tensor] {
    guard count > 0 else { return [] }
    if isContiguous {
      return stride(from: 0, to: byteCount, by: size).map { start in
        Tensor(
          .uint8, shape: [min(size, byteCount - start)], store: store, offset: offset + start,
          strides: [1])
      }
    }
    let sliceSize = byteCount / shape[0]
    // Thirty-two rows suit the strided copy where the source is contiguous along the outermost axis
    // (Keras' kernels); this makes no piece larger than 8 MB.
    let targetRows = (size / sliceSize + 31) / 32 * 32
    let rows = max(1, min(shape[0], targetRows, (8 << 20) / sliceSize))
    return stride(from: 0, to: shape[0], by: rows).map { start in
      slice(start..<min(start + rows, shape[0]), along: 0)
    }
  }

  /// Calls `body` with the elements in row-major order.
  ///
  /// - Parameter buffer: Receives them when they are not contiguous; grows when it is too small.
  package func withBytes<Failure: Error>(
    _ buffer: inout [UInt8], _ body: (RawSpan) throws(Failure) -> Void
  ) throws(Failure) {
    if isContiguous {
      try store.withBytes { (bytes) throws(Failure) in
        try body(bytes.extracting(offset..<offset + byteCount))
      }
    } else {
      let count = copyBytes(into: &buffer)
      try unsafe body(buffer.span.bytes.extracting(first: count))
    }
  }

  /// Copies the elements in row-major order to the front of a buffer, which grows when it is too
  /// small. Returns their size in bytes.
  package func copyBytes(into buffer: inout [UInt8]) -> Int {
    if buffer.count < byteCount { buffer = [UInt8](repeating: 0, count: byteCount) }
    copyElements(into: &buffer)
    return byteCount
  }

  /// The elements in row-major order in their own memory, unless they already are contiguous.
  package func contiguous() -> Tensor {
    isContiguous ? self : Tensor(elementType, shape: shape, bytes: contiguousBytes())
  }

  /// A copy of the elements in row-major order, little-endian.
  package func contiguousBytes() -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: byteCount)
    copyElements(into: &bytes)
    return bytes
  }

  /// The number of elements whose bytes differ from those of a tensor of the same type.
  package func differingCount(from other: Tensor) -> Int {
    let (bytes, otherBytes, size) = (
      contiguousBytes(), other.contiguousBytes(), elementType.byteCount
    )
    if bytes == otherBytes { return 0 }
    return stride(from: 0, to: bytes.count, by: size).count {
      bytes[$0..<$0 + size] != otherBytes[$0..<$0 + size]
    }
  }

  private func copyElements(into buffer: inout [UInt8]) {
    let copy = StridedCopy(shape: shape, strides: strides, elementSize: elementType.byteCount)
    var span = buffer.mutableSpan
    store.withBytes { unsafe copy.copy(from: $0, offset: offset, into: span.mutableBytes) }
  }
}

extension Tensor {
  /// Returns the memory of the elements to the system if they are in a mapped file, or decoded; they
  /// can still be read.
  package func releaseMemory() {
    let lowest =
      offset + zip(shape, strides).map { min(0, ($0 - 1) * $1) }.reduce(0, +)
      * elementType.byteCount
    store.release(lowest..<min(store.count, lowest + byteCount))
  }
}
