import Bytes

/// The heap of the names in a group (HDF5 file format specification 3.0, section III.D).
struct LocalHeap {
  private let file: FileBytes
  /// The file range of the names.
  private let names: Range<Int>
  /// The number of bytes of names that may still be read: names do not overlap.
  private var remainingByteCount: Int

  init(at address: Int, in file: FileBytes) throws(WeighbridgeError) {
    var header = try file.block(
      at: address, byteCount: 8 + file.widths.offset + 2 * file.widths.length,
      of: "the local heap")
    try header.signature("HEAP", of: "the local heap")
    _ = try header.version(0...0, of: "the local heap")
    try header.skip(3)
    let byteCount = try header.length()
    try header.skip(file.widths.length)  // the offset of the first gap
    names = try file.range(
      at: header.address(of: "the local heap's data"), byteCount: byteCount,
      of: "the local heap's data")
    remainingByteCount = byteCount
    self.file = file
  }

  /// Returns the bytes from an offset up to the next zero.
  mutating func string(at offset: Int) throws(WeighbridgeError) -> [UInt8] {
    guard offset < names.count else {
      throw .malformed(
        "a name is at \(offset), beyond the end of a local heap of \(names.count) bytes"
      ).at(.byte(names.lowerBound))
    }
    let start = names.lowerBound + offset
    let end = min(names.upperBound, start + remainingByteCount)
    let count = file.store.withBytes { bytes -> Int? in
      (start..<end).first { bytes[byte: file.byteRange.lowerBound + $0] == 0 }.map { $0 - start }
    }
    guard let count else {
      throw .malformed("a name in the local heap has no end, or overlaps another").at(.byte(start))
    }
    remainingByteCount -= count
    return file.copy(start..<start + count)
  }
}
