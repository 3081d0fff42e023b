package import Bytes

/// A FlatBuffer whose bytes nobody has checked. Each offset, table and vector is checked when it is
/// read; places in errors are bytes of the store.
package struct FlatBufferReader: Sendable {
  /// The bytes that contain the FlatBuffer.
  package let store: ByteStore
  /// The FlatBuffer's bytes. What it refers to lies in them.
  package let range: Range<Int>

  /// The number of bytes of the offset of the root and the identifier after it.
  private static let headerByteCount = 8

  /// Whether bytes begin like a FlatBuffer with an identifier of four characters.
  package static func recognizes(_ bytes: RawSpan, identifier: String) -> Bool {
    bytes.byteCount > headerByteCount && bytes.copied(4..<8) == Array(identifier.utf8)
  }

  /// - Throws: ``WeighbridgeError/Code/malformed`` when the identifier is another one.
  package init(
    _ store: ByteStore, range: Range<Int>, identifier: String
  ) throws(WeighbridgeError) {
    let isRecognized =
      range.lowerBound >= 0 && range.upperBound <= store.count
      && store.withBytes { Self.recognizes($0.extracting(range), identifier: identifier) }
    guard isRecognized else {
      throw .malformed("is no FlatBuffer with the identifier \(identifier)")
        .at(.byte(range.lowerBound))
    }
    (self.store, self.range) = (store, range)
  }

  /// Reads the outermost table.
  package func root(_ budget: inout FlatBufferBudget) throws(WeighbridgeError) -> FlatBufferView {
    try FlatBufferView(
      self, at: try target(ofOffsetAt: range.lowerBound), budget: &budget)
  }

  /// Reads a little-endian integer.
  func integer<Number: FixedWidthInteger & UnsignedInteger & BitwiseCopyable>(
    _ type: Number.Type, at offset: Int
  ) throws(WeighbridgeError) -> Number {
    var cursor = ByteCursor(offset..<max(offset, range.upperBound))
    return try store.withBytes { (bytes) throws(WeighbridgeError) in
      try cursor.integer(type, from: bytes)
    }
  }

  /// Follows the offset at a byte, which leads forward.
  func target(ofOffsetAt offset: Int) throws(WeighbridgeError) -> Int {
    let distance = Int(try integer(UInt32.self, at: offset))
    let target = offset + distance
    guard distance >= 4, target <= range.upperBound - 4 else {
      throw .malformed(
        "has an offset of \(distance), which leads to byte \(target) of \(range.upperBound)"
      ).at(.byte(offset))
    }
    return target
  }

  /// The elements of the vector that the offset at a byte leads to.
  func vector(
    atOffset offset: Int, byteCount: Int
  ) throws(WeighbridgeError) -> (bytes: Range<Int>, count: Int) {
    let start = try target(ofOffsetAt: offset)
    let count = Int(try integer(UInt32.self, at: start))
    guard count <= (range.upperBound - start - 4) / byteCount else {
      throw .malformed(
        "has a vector of \(count) elements of \(byteCount) bytes, and "
          + "\(range.upperBound - start - 4) bytes follow"
      ).at(.byte(start))
    }
    return (start + 4..<start + 4 + count * byteCount, count)
  }
}

/// How much may still be read of a FlatBuffer. Without it, a small file whose tables refer to the
/// same parts again and again would take any amount of memory.
package struct FlatBufferBudget: Sendable {
  private var byteCount: Int
  /// The end of the last part that was read, as far as is known.
  package private(set) var end = 0

  /// What a table counts at least, because it becomes a larger record.
  private static let smallestTable = 64

  /// The budget of a FlatBuffer of a number of bytes: all of it a few times.
  package init(byteCount: Int) { self.byteCount = 1 << 12 + 4 * min(byteCount, 1 << 48) }

  mutating func spend(_ range: Range<Int>, isTable: Bool = false) throws(WeighbridgeError) {
    end = max(end, range.upperBound)
    byteCount -= isTable ? max(range.count, Self.smallestTable) : range.count
    guard byteCount >= 0 else {
      throw .limitExceeded(
        "refers to the same parts so often that they exceed the file's size, which is the limit"
      )
      .at(.byte(range.lowerBound))
    }
  }

  /// Records that a range was used without being copied.
  package mutating func reach(_ range: Range<Int>) { end = max(end, range.upperBound) }
}
