import Bytes
import CProtobufC

/// Reads the wire format of protobuf from one section of the bytes it is given.
struct WireReader {
  /// The offset of the next byte.
  private(set) var offset: Int
  private let end: Int

  init(_ range: Range<Int>) {
    offset = range.lowerBound
    end = range.upperBound
  }

  var remaining: Int { end - offset }
  var isAtEnd: Bool { offset >= end }

  /// The wire type of a field's single value.
  static func wireType(of type: ProtobufCType) -> UInt8 {
    switch type {
    case PROTOBUF_C_TYPE_STRING, PROTOBUF_C_TYPE_BYTES, PROTOBUF_C_TYPE_MESSAGE: 2
    case PROTOBUF_C_TYPE_FIXED32, PROTOBUF_C_TYPE_SFIXED32, PROTOBUF_C_TYPE_FLOAT: 5
    case PROTOBUF_C_TYPE_FIXED64, PROTOBUF_C_TYPE_SFIXED64, PROTOBUF_C_TYPE_DOUBLE: 1
    default: 0
    }
  }

  /// Reads a field's number and wire type.
  mutating func tag(
    _ bytes: RawSpan
  ) throws(WeighbridgeError) -> (number: UInt32, wireType: UInt8) {
    let start = offset
    let value = try varint(bytes)
    let (number, wireType) = (value >> 3, UInt8(value & 7))
    guard number >= 1, number < 1 << 29, [0, 1, 2, 5].contains(wireType) else {
      throw .malformed("has the invalid protobuf tag \(value)").at(.byte(start))
    }
    return (UInt32(number), wireType)
  }

  /// Reads a length and skips that many bytes, which it returns as a section.
  mutating func section(_ bytes: RawSpan) throws(WeighbridgeError) -> WireReader {
    let start = offset
    let length = try varint(bytes)
    guard length <= UInt64(remaining) else {
      throw .malformed(
        "has \(length.counted("byte")), but \(remaining) are left in the enclosing message"
      )
      .at(.byte(start))
    }
    defer { offset += Int(length) }  // fits: it is at most `remaining`
    return WireReader(offset..<offset + Int(length))
  }

  /// Skips all remaining bytes, which it returns as a section.
  mutating func remainder() -> WireReader {
    defer { offset = end }
    return WireReader(offset..<end)
  }

  /// Skips a value of any field and returns its size in bytes.
  mutating func skip(_ wireType: UInt8, _ bytes: RawSpan) throws(WeighbridgeError) -> Int {
    let start = offset
    switch wireType {
    case 0: _ = try varint(bytes)
    case 1: try skip(8)
    case 5: try skip(4)
    default: _ = try section(bytes)
    }
    return offset - start
  }

  /// Reads the bits of one number and checks that it fits its type.
  @discardableResult
  mutating func number(
    _ type: ProtobufCType, _ bytes: RawSpan
  ) throws(WeighbridgeError) -> UInt64 {
    switch Self.wireType(of: type) {
    case 1:
      try skip(8)
      return unsafe bytes.unsafeLoadUnaligned(fromByteOffset: offset - 8, as: UInt64.self)
        .littleEndian
    case 5:
      try skip(4)
      let bits = unsafe bytes.unsafeLoadUnaligned(fromByteOffset: offset - 4, as: UInt32.self)
      return UInt64(bits.littleEndian)
    default: break
    }
    let start = offset
    let value = try varint(bytes)
    let fits =
      switch type {
      case PROTOBUF_C_TYPE_BOOL: value <= 1
      case PROTOBUF_C_TYPE_UINT32, PROTOBUF_C_TYPE_SINT32: value <= UInt64(UInt32.max)
      case PROTOBUF_C_TYPE_INT32, PROTOBUF_C_TYPE_ENUM:
        Int32(exactly: Int64(bitPattern: value)) != nil
      default: true
      }
    guard fits else { throw .malformed("is a number too large for its type").at(.byte(start)) }
    return value
  }

  /// Checks that all bytes are UTF-8 without NUL.
  func validateString(_ bytes: RawSpan) throws(WeighbridgeError) {
    let section = bytes.extracting(offset..<end)
    let isValid = unsafe section.withUnsafeBytes { buffer in
      // Read while the span lives; nothing is kept.
      unsafe !buffer.contains(0) && String(validating: buffer, as: UTF8.self) != nil
    }
    guard isValid else { throw .malformed("is not UTF-8, or contains a NUL").at(.byte(offset)) }
  }

  private mutating func varint(_ bytes: RawSpan) throws(WeighbridgeError) -> UInt64 {
    let start = offset
    var value: UInt64 = 0
    for shift in stride(from: UInt64(0), to: 70, by: 7) {
      guard !isAtEnd else { break }
      let byte = bytes[byte: offset]
      offset += 1
      guard shift < 63 || byte <= 1 else { break }
      value |= UInt64(byte & 0x7F) << shift
      if byte < 0x80 { return value }
    }
    throw .malformed("has a number that is cut off or longer than 64 bits").at(.byte(start))
  }

  private mutating func skip(_ count: Int) throws(WeighbridgeError) {
    guard count <= remaining else {
      throw .malformed("needs \(count.counted("byte")), but \(remaining) are left").at(
        .byte(offset))
    }
    offset += count
  }
}
