/// Reads little-endian integers from a range of bytes, from start to end.
///
/// The cursor only stores an offset; the bytes are passed to each call, because a span cannot be
/// stored.
package struct ByteCursor: Sendable {
  /// The offset of the next byte.
  package private(set) var offset: Int
  /// The offset after the last byte that may be read.
  package let end: Int

  /// Creates a cursor over a range of the bytes that it will be given.
  package init(_ range: Range<Int>) {
    offset = range.lowerBound
    end = range.upperBound
  }

  /// The number of bytes not yet read.
  package var remaining: Int { end - offset }

  /// Reads an unsigned little-endian integer of the width of its type.
  ///
  /// - Throws: ``WeighbridgeError/Code/malformed`` at the byte where the data ends too early.
  package mutating func integer<Value: FixedWidthInteger & UnsignedInteger & BitwiseCopyable>(
    _ type: Value.Type = Value.self, from bytes: borrowing RawSpan
  ) throws(WeighbridgeError) -> Value {
    let start = try take(MemoryLayout<Value>.size, from: bytes)
    var value: Value = 0
    for index in (0..<MemoryLayout<Value>.size).reversed() {
      value =
        unsafe value << 8 | Value(bytes.unsafeLoad(fromByteOffset: start + index, as: UInt8.self))
    }
    return value
  }

  /// Reads `count` bytes as an array.
  ///
  /// - Throws: ``WeighbridgeError/Code/malformed`` at the byte where the data ends too early.
  package mutating func bytes(
    _ count: Int, from bytes: borrowing RawSpan
  ) throws(WeighbridgeError) -> [UInt8] {
    let start = try take(count, from: bytes)
    return bytes.copied(start..<start + count)
  }

  /// Skips `count` bytes and returns their range.
  package mutating func skip(
    _ count: Int, in bytes: borrowing RawSpan
  ) throws(WeighbridgeError) -> Range<Int> {
    let start = try take(count, from: bytes)
    return start..<start + count
  }

  private mutating func take(
    _ count: Int, from bytes: borrowing RawSpan
  ) throws(WeighbridgeError) -> Int {
    guard count >= 0, count <= min(end, bytes.byteCount) - offset else {
      throw .malformed(
        "needs \(count.counted("byte")), but \(max(0, min(end, bytes.byteCount) - offset)) are left"
      ).at(.byte(offset))
    }
    defer { offset += count }
    return offset
  }
}

extension RawSpan {
  /// A copy of a range of the bytes. Traps when the range is out of bounds, as an array would.
  package func copied(_ range: Range<Int>) -> [UInt8] {
    unsafe extracting(range).withUnsafeBytes { unsafe Array($0) }  // copied before the closure ends
  }

  /// The byte at an offset. Traps when it is out of bounds, as an array would.
  package subscript(byte offset: Int) -> UInt8 {
    precondition(offset >= 0 && offset < byteCount)
    return unsafe unsafeLoad(fromByteOffset: offset, as: UInt8.self)  // checked on the line above
  }
}
