package import Bytes
import CProtobufC

/// A serialized message of which some bytes are not there yet.
package struct ProtobufPieces: Sendable {
  /// A part of the message.
  package enum Piece: Hashable, Sendable {
    case bytes([UInt8])
    /// Bytes that whoever writes the message knows.
    case place(ProtobufPlace)
  }

  /// The parts, one behind the other.
  package private(set) var pieces: [Piece] = []
  /// The number of bytes of all parts.
  package private(set) var byteCount = 0

  /// Serializes a record: fields by rising numbers, without those that are protobuf's defaults.
  ///
  /// - Parameter descriptor: The type of the message. That it has every field of the record, of
  ///   its type, is a precondition.
  /// - Throws: ``WeighbridgeError/Code/unsupported`` for a number that its field cannot hold, or a
  ///   text that holds a NUL.
  package init(
    _ record: ProtobufRecord, as descriptor: ProtobufScanner.Descriptor
  ) throws(WeighbridgeError) {
    // The descriptor's own array of fields, which are sorted by their numbers.
    let fields = UnsafeBufferPointer(
      start: descriptor.pointee.fields, count: Int(descriptor.pointee.n_fields))
    var found = 0
    for field in fields {
      let rule = ProtobufFieldRule(field: field)
      guard let value = record[rule.name] else { continue }
      found += 1
      try append(value, rule)
    }
    precondition(found == record.fields.count, "no message of the schema has all these fields")
  }

  private mutating func append(
    _ value: ProtobufValue, _ rule: ProtobufFieldRule
  ) throws(WeighbridgeError) {
    switch value {
    case .place(let place):
      append(ProtobufField.head(rule.number, byteCount: place.byteCount))
      pieces.append(.place(place))
      byteCount += place.byteCount
    case .record(let record): try append(record, rule)
    case .records(let records):
      for record in records { try append(record, rule) }
    case .texts(let texts):
      for text in texts { append(try rule.field(text)) }
    case .text(let text):
      if rule.isMember || !text.isEmpty { append(try rule.field(text)) }
    default:
      let (bits, count) = try rule.numbers(value)
      if rule.isRepeated {
        if count > 0 { append(ProtobufField.head(rule.number, byteCount: bits.count) + bits) }
      } else if rule.isMember || bits.contains(where: { $0 != 0 }) {
        append(ProtobufField.tag(rule.number, wireType: rule.wireType) + bits)
      }
    }
  }

  private mutating func append(
    _ record: ProtobufRecord, _ rule: ProtobufFieldRule
  ) throws(WeighbridgeError) {
    guard let message = rule.message else { preconditionFailure("\(rule.name) is no message") }
    let inner = try ProtobufPieces(record, as: message)
    append(ProtobufField.head(rule.number, byteCount: inner.byteCount))
    for piece in inner.pieces {
      switch piece {
      case .bytes(let bytes): append(bytes)
      case .place(let place):
        pieces.append(.place(place))
        byteCount += place.byteCount
      }
    }
  }

  private mutating func append(_ bytes: [UInt8]) {
    byteCount += bytes.count
    if case .bytes(var last)? = pieces.last {
      pieces.removeLast()  // so that it is not copied
      last += bytes
      pieces.append(.bytes(last))
    } else {
      pieces.append(.bytes(bytes))
    }
  }
}

extension ProtobufFieldRule {
  /// A text with its tag and length.
  fileprivate func field(_ text: String) throws(WeighbridgeError) -> [UInt8] {
    guard !text.utf8.contains(0) else {
      throw WeighbridgeError(.unsupported, "the text \"\(text)\" holds a NUL character")
    }
    return ProtobufField.head(number, byteCount: text.utf8.count) + text.utf8
  }

  /// Numbers one behind the other, and how many they are.
  fileprivate func numbers(
    _ value: ProtobufValue
  ) throws(WeighbridgeError) -> (bits: [UInt8], count: Int) {
    var bits: [UInt8] = []
    switch value {
    case .integer(let number): return (try self.bits(number), 1)
    case .integers(let numbers):
      for number in numbers { bits += try self.bits(number) }
      return (bits, numbers.count)
    case .real(let number): return (self.bits(number), 1)
    case .reals(let numbers): return (numbers.flatMap { self.bits($0) }, numbers.count)
    case .boolean(let flag): return ([flag ? 1 : 0], 1)
    case .booleans(let flags): return (flags.map { $0 ? 1 : 0 }, flags.count)
    case .choice(let name):
      guard let number = enumerator(name) else { preconditionFailure("\(name) is no \(self.name)") }
      return (try self.bits(Int(number)), 1)
    default: preconditionFailure("\(name) is no number")
    }
  }

  private func bits(_ number: Int) throws(WeighbridgeError) -> [UInt8] {
    let fits =
      switch field.type {
      case PROTOBUF_C_TYPE_UINT32: UInt32(exactly: number) != nil
      case PROTOBUF_C_TYPE_UINT64: number >= 0
      case PROTOBUF_C_TYPE_INT32, PROTOBUF_C_TYPE_ENUM: Int32(exactly: number) != nil
      default: true
      }
    guard fits else {
      throw WeighbridgeError(.unsupported, "\(number) does not fit the field \(name)")
    }
    return ProtobufField.varint(UInt64(bitPattern: Int64(number)))
  }

  private func bits(_ number: Double) -> [UInt8] {
    var bytes: [UInt8] = []
    if field.type == PROTOBUF_C_TYPE_FLOAT {
      bytes.append(littleEndian: Int(Float(number).bitPattern), byteCount: 4)
    } else {
      bytes.append(littleEndian: Int(bitPattern: UInt(number.bitPattern)), byteCount: 8)
    }
    return bytes
  }
}
