package import Bytes
import CProtobufC

/// A serialized message in which some bytes are not yet filled in.
package struct ProtobufPieces: Sendable {
  /// A part of the message.
  package enum Piece: Hashable, Sendable {
    case bytes([UInt8])
    /// Bytes that the writer of the message will provide.
    case byteRange(ProtobufByteRange)
  }

  /// The parts, in order.
  package private(set) var pieces: [Piece] = []
  /// The number of bytes of all parts.
  package private(set) var byteCount = 0

  /// Serializes a record: fields by ascending numbers, without fields that have protobuf's default
  /// where that is the same as absence.
  ///
  /// - Parameter descriptor: The type of the message. Precondition: it has every field of the
  ///   record, with its type.
  /// - Throws: ``WeighbridgeError/Code/unsupported`` for a number that does not fit its field, or a
  ///   string that contains a NUL.
  package init(
    _ record: ProtobufRecord, as descriptor: MessageDescriptor
  ) throws(WeighbridgeError) {
    let fields = record.fields.map { name, value in
      guard let field = descriptor.field(named: name) else {
        preconditionFailure("no message of the schema has the field \(name)")
      }
      return (descriptor: field, value: value)
    }
    for field in fields.sorted(by: { $0.descriptor.number < $1.descriptor.number }) {
      try append(field.value, field.descriptor)
    }
  }

  /// Returns the bytes of a record without ``ProtobufValue/byteRange(_:)`` values.
  ///
  /// - Throws: As ``init(_:as:)``.
  package static func bytes(
    _ record: ProtobufRecord, as descriptor: MessageDescriptor
  ) throws(WeighbridgeError) -> [UInt8] {
    try ProtobufPieces(record, as: descriptor).pieces.flatMap { piece in
      guard case .bytes(let bytes) = piece else { preconditionFailure("a record has a byte range") }
      return bytes
    }
  }

  private mutating func append(
    _ value: ProtobufValue, _ field: FieldDescriptor
  ) throws(WeighbridgeError) {
    switch value {
    case .byteRange(let range):
      append(ProtobufField.header(field.number, byteCount: range.byteCount))
      pieces.append(.byteRange(range))
      byteCount += range.byteCount
    case .bytes(let bytes):
      append(ProtobufField.header(field.number, byteCount: bytes.count) + bytes)
    case .record(let record): try append(record, field)
    case .records(let records):
      for record in records { try append(record, field) }
    case .strings(let strings):
      for string in strings { append(try field.encoded(string)) }
    case .string(let string):
      if field.hasPresence || !string.isEmpty { append(try field.encoded(string)) }
    default: append(numbers: try field.numbers(value), field)
    }
  }

  private mutating func append(numbers: [[UInt8]], _ field: FieldDescriptor) {
    if field.isRepeated, field.isPacked {
      let bytes = numbers.flatMap { $0 }
      if !bytes.isEmpty {
        append(ProtobufField.header(field.number, byteCount: bytes.count) + bytes)
      }
    } else {
      for bytes in numbers
      where field.isRepeated || field.hasPresence || bytes.contains(where: { $0 != 0 }) {
        append(ProtobufField.tag(field.number, wireType: field.wireType) + bytes)
      }
    }
  }

  private mutating func append(
    _ record: ProtobufRecord, _ field: FieldDescriptor
  ) throws(WeighbridgeError) {
    guard let message = field.message else { preconditionFailure("\(field.name) is no message") }
    let inner = try ProtobufPieces(record, as: message)
    append(ProtobufField.header(field.number, byteCount: inner.byteCount))
    for piece in inner.pieces {
      switch piece {
      case .bytes(let bytes): append(bytes)
      case .byteRange(let range):
        pieces.append(.byteRange(range))
        byteCount += range.byteCount
      }
    }
  }

  private mutating func append(_ bytes: [UInt8]) {
    byteCount += bytes.count
    if case .bytes(var last)? = pieces.last {
      pieces.removeLast()  // avoids copying it
      last += bytes
      pieces.append(.bytes(last))
    } else {
      pieces.append(.bytes(bytes))
    }
  }
}

extension FieldDescriptor {
  /// A string with its tag and length.
  fileprivate func encoded(_ string: String) throws(WeighbridgeError) -> [UInt8] {
    guard !string.utf8.contains(0) else {
      throw .unsupported(
        "the string \"\(string)\" contains a NUL character, "
          + "which cannot be stored")
    }
    return ProtobufField.header(number, byteCount: string.utf8.count) + string.utf8
  }

  /// The bytes of each number.
  fileprivate func numbers(_ value: ProtobufValue) throws(WeighbridgeError) -> [[UInt8]] {
    switch value {
    case .integer(let number): return [try bits(number)]
    case .integers(let numbers):
      return try numbers.map { (number) throws(WeighbridgeError) in try bits(number) }
    case .double(let number): return [bits(number)]
    case .doubles(let numbers): return numbers.map { bits($0) }
    case .boolean(let flag): return [[flag ? 1 : 0]]
    case .booleans(let flags): return flags.map { [$0 ? 1 : 0] }
    case .choice(let name):
      guard let number = enumerator(name) else { preconditionFailure("\(name) is no \(self.name)") }
      return [try bits(Int(number))]
    default: preconditionFailure("\(name) is not a number")
    }
  }

  private func bits(_ number: Int) throws(WeighbridgeError) -> [UInt8] {
    let fits =
      switch type {
      case PROTOBUF_C_TYPE_UINT32: UInt32(exactly: number) != nil
      case PROTOBUF_C_TYPE_UINT64: number >= 0
      case PROTOBUF_C_TYPE_INT32, PROTOBUF_C_TYPE_ENUM: Int32(exactly: number) != nil
      default: true
      }
    guard fits else { throw .unsupported("\(number) does not fit the field \(name)") }
    return ProtobufField.varint(UInt64(bitPattern: Int64(number)))
  }

  private func bits(_ number: Double) -> [UInt8] {
    var bytes: [UInt8] = []
    if type == PROTOBUF_C_TYPE_FLOAT {
      bytes.append(littleEndian: Int(Float(number).bitPattern), byteCount: 4)
    } else {
      bytes.append(littleEndian: Int(bitPattern: UInt(number.bitPattern)), byteCount: 8)
    }
    return bytes
  }
}
