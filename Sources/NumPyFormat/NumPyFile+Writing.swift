package import Bytes
import ZipArchive

extension NumPyFile {
  /// Writes arrays: as `.npy` when the path ends so and there is one array, else as `.npz` in the
  /// order given. A bfloat16 array is written as float32, which NumPy can read.
  ///
  /// - Parameter replacing: Whether a file of that name may be replaced.
  /// - Throws: ``WeighbridgeError/Code/mismatch`` when a name is empty, stands twice or holds
  ///   control characters; ``WeighbridgeError/Code/outputFailed``.
  package static func write(
    _ arrays: [NumPyArray], to path: String, replacing: Bool = true
  ) throws(WeighbridgeError) {
    if arrays.count == 1, path.hasSuffix(NPYHeader.fileExtension) {
      return try writeArray(arrays[0], to: path, replacing: replacing)
    }
    try checkNames(arrays)
    var archive = try ZipWriter(path: path)
    for array in arrays { try append(array, to: &archive) }
    try archive.commit(replacing: replacing)
  }

  /// Appends an array as a member.
  static func append(
    _ array: NumPyArray, to archive: inout ZipWriter
  ) throws(WeighbridgeError) {
    let header = NPYHeader(elementType: array.elementType, shape: array.shape).serialized()
    let size = array.elementType == .bfloat16 ? array.range.count * 2 : array.range.count
    try archive.begin(array.name + NPYHeader.fileExtension, byteCount: header.count + size)
    try archive.append(header.span.bytes)
    var next = array.range.lowerBound
    while next < array.range.upperBound {
      try array.withPiece(from: &next) { (piece) throws(WeighbridgeError) in
        try archive.append(piece)
      }
    }
    try archive.end()
  }

  private static func writeArray(
    _ array: NumPyArray, to path: String, replacing: Bool
  ) throws(WeighbridgeError) {
    var file = try AtomicFile(path: path)
    let header = NPYHeader(elementType: array.elementType, shape: array.shape).serialized()
    try file.append(header.span.bytes)
    var next = array.range.lowerBound
    while next < array.range.upperBound {
      try array.withPiece(from: &next) { (piece) throws(WeighbridgeError) in
        try file.append(piece)
      }
    }
    try file.withWrittenBytes { (bytes) throws(WeighbridgeError) in
      let written = try NPYHeader(bytes, limits: NumPyLimits())
      guard written.shape == array.shape, written.byteCount == header.count else {
        throw WeighbridgeError(.outputFailed, "a header that was read back differs")
          .at(file: path)
      }
    }
    try file.commit(replacing: replacing)
  }

  private static func checkNames(_ arrays: [NumPyArray]) throws(WeighbridgeError) {
    var seen: Set<[UInt8]> = []
    for name in arrays.map(\.name) {
      let units = Array(name.utf8)
      guard !units.isEmpty, units.count <= 60_000, units.allSatisfy({ $0 >= 0x20 && $0 != 0x7F })
      else {
        throw WeighbridgeError(
          .mismatch, "\"\(name)\" cannot be the name of an array in a .npz file")
      }
      guard seen.insert(units).inserted else {
        throw WeighbridgeError(.mismatch, "two arrays are named \(name)")
      }
    }
  }
}

extension NumPyArray {
  /// Calls `body` with the next bytes as they are written, at most 2 MB, and moves on.
  fileprivate func withPiece(
    from next: inout Int, _ body: (RawSpan) throws(WeighbridgeError) -> Void
  ) throws(WeighbridgeError) {
    let piece = next..<min(next + 1 << 20, range.upperBound)
    next = piece.upperBound
    try storage.withBytes { (bytes) throws(WeighbridgeError) in
      let bytes = bytes.extracting(piece)
      guard elementType == .bfloat16 else { return try body(bytes) }
      // A bfloat16 is the upper half of a float32.
      var wide = [UInt8](repeating: 0, count: bytes.byteCount * 2)
      for index in 0..<bytes.byteCount / 2 {
        wide[index * 4 + 2] = bytes[byte: index * 2]
        wide[index * 4 + 3] = bytes[byte: index * 2 + 1]
      }
      try body(wide.span.bytes)
    }
    storage.release(piece)
  }
}
