package import Bytes
import CProtobufC

/// A field of a message that is read without a compiled schema.
package struct WireField {
  /// The field's number in the schema.
  package let number: Int
  private let value: Value

  private enum Value {
    /// The bits of a number.
    case bits(UInt64)
    /// Where the bytes of a string, a message or a packed list are.
    case bytes(Range<Int>)
  }

  /// Calls `body` with each field of a message, in the order of the bytes.
  ///
  /// - Parameters:
  ///   - bytes: The bytes that contain the message.
  ///   - range: The message's range in them.
  /// - Throws: ``WeighbridgeError/Code/malformed`` for bytes that are not a message; what `body` throws.
  package static func forEach(
    in bytes: RawSpan, _ range: Range<Int>,
    _ body: (WireField) throws(WeighbridgeError) -> Void
  ) throws(WeighbridgeError) {
    var reader = WireReader(range)
    while !reader.isAtEnd {
      let tag = try reader.tag(bytes)
      let value: Value
      switch tag.wireType {
      case 1: value = .bits(try reader.number(PROTOBUF_C_TYPE_FIXED64, bytes))
      case 5: value = .bits(try reader.number(PROTOBUF_C_TYPE_FIXED32, bytes))
      case 2:
        let section = try reader.section(bytes)
        value = .bytes(section.offset..<section.offset + section.remaining)
      default: value = .bits(try reader.number(PROTOBUF_C_TYPE_UINT64, bytes))
      }
      try body(WireField(number: Int(tag.number), value: value))
    }
  }

  /// The bits of a number: of a negative `int32` or `int64`, those of its 64 bits.
  ///
  /// - Throws: ``WeighbridgeError/Code/malformed`` for a field that is not a number.
  package func bits() throws(WeighbridgeError) -> UInt64 {
    guard case .bits(let bits) = value else {
      throw .malformed("field \(number) has bytes where a number is expected")
    }
    return bits
  }

  /// A signed number.
  ///
  /// - Throws: As ``bits()``.
  package func integer() throws(WeighbridgeError) -> Int { Int(Int64(bitPattern: try bits())) }

  /// The numbers of a list, packed or not.
  ///
  /// - Parameter bytes: The bytes that contain the message.
  /// - Throws: ``WeighbridgeError/Code/malformed``.
  package func integers(in bytes: RawSpan) throws(WeighbridgeError) -> [Int] {
    guard case .bytes(let range) = value else { return [try integer()] }
    var reader = WireReader(range)
    var numbers: [Int] = []
    while !reader.isAtEnd {
      numbers.append(Int(Int64(bitPattern: try reader.number(PROTOBUF_C_TYPE_UINT64, bytes))))
    }
    return numbers
  }

  /// Where the bytes of a string, a message or a packed list are.
  ///
  /// - Throws: ``WeighbridgeError/Code/malformed`` for a number.
  package func range() throws(WeighbridgeError) -> Range<Int> {
    guard case .bytes(let range) = value else {
      throw .malformed("field \(number) has a number where bytes are expected")
    }
    return range
  }

  /// A string.
  ///
  /// - Parameter bytes: The bytes that contain the message.
  /// - Throws: ``WeighbridgeError/Code/malformed`` for a number, or bytes that are not UTF-8.
  package func string(in bytes: RawSpan) throws(WeighbridgeError) -> String {
    let range = try range()
    // Read while the span lives; nothing is kept.
    let text = unsafe bytes.extracting(range).withUnsafeBytes {
      unsafe String(validating: $0, as: UTF8.self)
    }
    guard let text else {
      throw .malformed("field \(number) is not UTF-8").at(.byte(range.lowerBound))
    }
    return text
  }
}
