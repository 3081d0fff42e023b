import Bytes

/// The checksum over words of 16 bits that the filter of this name appends to data.
enum Fletcher32 {
  /// Checks and removes the checksum.
  ///
  /// - Throws: ``WeighbridgeError/Code/malformed`` when it is wrong.
  static func check(_ bytes: [UInt8]) throws(WeighbridgeError) -> [UInt8] {
    guard bytes.count >= 4 else {
      throw .malformed("filtered data of \(bytes.count) bytes has no room for a checksum")
    }
    let data = bytes.dropLast(4)
    let stored = bytes.suffix(4).reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    let computed = checksum(data)
    // HDF5 before 1.6.3 swapped the bytes of each half on some machines.
    let swapped = (computed & 0x00FF_00FF) << 8 | (computed >> 8) & 0x00FF_00FF
    guard stored == computed || stored == swapped else {
      throw .malformed("filtered data is damaged: its checksum (fletcher32) is wrong")
    }
    return Array(data)
  }

  static func checksum(_ bytes: ArraySlice<UInt8>) -> UInt32 {
    var (first, second): (UInt32, UInt32) = (0, 0)
    var index = bytes.startIndex
    while index + 1 < bytes.endIndex {
      // This many words cannot overflow the sums.
      let end = min(index + 720, bytes.endIndex - 1)
      while index < end {
        first &+= UInt32(bytes[index]) << 8 | UInt32(bytes[index + 1])
        second &+= first
        index += 2
      }
      first = fold(first)
      second = fold(second)
    }
    if index < bytes.endIndex {
      first = fold(first &+ UInt32(bytes[index]) << 8)
      second = fold(second &+ first)
    }
    return fold(second) << 16 | fold(first)
  }

  private static func fold(_ sum: UInt32) -> UInt32 { (sum & 0xFFFF) &+ (sum >> 16) }
}
