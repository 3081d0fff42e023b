package import Bytes

extension NumPyFile {
  /// Writes arrays: as `.npy` when the path ends in `.npy` and there is one array, otherwise as
  /// `.npz` in the given order. A bfloat16 array is written as float32, which NumPy can read.
  ///
  /// - Parameter replacing: Whether an existing file may be replaced.
  /// - Throws: ``WeighbridgeError/Code/mismatch`` when a name is empty, occurs twice or contains
  ///   control characters; ``WeighbridgeError/Code/outputFailed``.
  package static func write(
    _ arrays: [NumPyArray], to path: String, replacing: Bool = true
  ) throws(WeighbridgeError) {
    if arrays.count == 1, path.hasSuffix(NPYHeader.fileExtension) {
      return try writeArray(arrays[0], to: path, replacing: replacing)
    }
    var writer = try NPZWriter(path: path, names: arrays.map(\.name))
    for array in arrays { try writer.append(array) }
    try writer.commit(replacing: replacing)
  }

  private static func writeArray(
    _ array: NumPyArray, to path: String, replacing: Bool
  ) throws(WeighbridgeError) {
    var file = try AtomicFile(path: path)
    let header = NPYHeader(elementType: array.elementType, shape: array.shape).serialized()
    try unsafe file.append(header.span.bytes)
    try array.withPieces { (piece) throws(WeighbridgeError) in
      try array.elementType.withNPYBytes(piece) { (bytes) throws(WeighbridgeError) in
        try file.append(bytes)
      }
    }
    try file.withWrittenBytes { (bytes) throws(WeighbridgeError) in
      let written = try NPYHeader(bytes, limits: NumPyLimits())
      guard written.shape == array.shape, written.byteCount == header.count else {
        throw .outputFailed("the header differs when read back").at(file: path)
      }
    }
    try file.commit(replacing: replacing)
  }
}

extension NPZWriter {
  /// Writes a whole array.
  mutating func append(_ array: NumPyArray) throws(WeighbridgeError) {
    try begin(array.name, array.elementType, shape: array.shape)
    try array.withPieces { (piece) throws(WeighbridgeError) in try append(piece) }
    try end()
  }
}

extension NumPyArray {
  /// Calls `body` with the bytes of the elements in order, at most 1 MB at a time.
  fileprivate func withPieces(
    _ body: (RawSpan) throws(WeighbridgeError) -> Void
  ) throws(WeighbridgeError) {
    var next = range.lowerBound
    while next < range.upperBound {
      let piece = next..<min(next + 1 << 20, range.upperBound)
      next = piece.upperBound
      try storage.withBytes { (bytes) throws(WeighbridgeError) in
        try body(bytes.extracting(piece))
      }
      storage.release(piece)
    }
  }
}
