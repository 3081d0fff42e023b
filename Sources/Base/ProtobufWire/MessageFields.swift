package import Bytes
import CProtobufC

/// The fields of one message while a ``MessageRecord`` is read from it or written to it.
///
/// Each method takes a field's number in the schema and the record's property: it sets the property
/// when the message is read, and the field when it is written. A field that is the only member of a
/// oneof, or a message, is absent where the property is `nil`. That the schema has a field of that
/// number and type is a precondition.
package struct MessageFields {
  private let message: UnsafeMutablePointer<ProtobufCMessage>
  /// What holds the parts of a message that is written; `nil` when one is read.
  private let arena: MessageArena?

  init(_ message: UnsafeMutablePointer<ProtobufCMessage>, in arena: MessageArena?) {
    self.message = message
    self.arena = arena
  }

  /// Whether the record is read from the message.
  package var isReading: Bool { arena == nil }

  /// The number of the member that a oneof has; `nil` when it has none.
  ///
  /// - Parameter member: The number of any of its members.
  package func presentMember(ofOneofWith member: Int) -> Int? {
    let number = Int(presence(field(member)).pointee)
    return number == 0 ? nil : number
  }
}

// Fields of one value.
extension MessageFields {
  /// A text.
  package func text(_ number: Int, _ value: inout String) throws(WeighbridgeError) {
    let place = place(of: number, PROTOBUF_C_TYPE_STRING, UnsafeMutablePointer<CChar>?.self)
    if let arena {
      place.pointee = try arena.text(value)
    } else {
      value = MessageParts.text(place.pointee)
    }
  }

  /// A text that may be absent.
  package func text(_ number: Int, _ value: inout String?) throws(WeighbridgeError) {
    try optional(number, &value, blank: "") { (text) throws(WeighbridgeError) in
      try self.text(number, &text)
    }
  }

  /// An integer, `int64` in the schema.
  package func integer(_ number: Int, _ value: inout Int64) {
    copy(&value, place(of: number, PROTOBUF_C_TYPE_INT64, Int64.self))
  }

  /// A number, `double` in the schema.
  package func real(_ number: Int, _ value: inout Double) {
    copy(&value, place(of: number, PROTOBUF_C_TYPE_DOUBLE, Double.self))
  }

  /// A number that may be absent.
  package func real(_ number: Int, _ value: inout Double?) throws(WeighbridgeError) {
    try optional(number, &value, blank: 0) { real(number, &$0) }
  }

  /// A truth value.
  package func flag(_ number: Int, _ value: inout Bool) {
    var bit: protobuf_c_boolean = value ? 1 : 0
    copy(&bit, place(of: number, PROTOBUF_C_TYPE_BOOL, protobuf_c_boolean.self))
    value = bit != 0
  }

  /// The number of an enumerator.
  package func enumerator(_ number: Int, _ value: inout UInt32) {
    copy(&value, place(of: number, PROTOBUF_C_TYPE_ENUM, UInt32.self))
  }

  /// A run of bytes.
  package func bytes(_ number: Int, _ value: inout [UInt8]) {
    let place = place(of: number, PROTOBUF_C_TYPE_BYTES, ProtobufCBinaryData.self)
    if let arena {
      place.pointee = arena.bytes(value)
    } else {
      value = MessageParts.bytes(place.pointee)
    }
  }

  /// A count, size or position: `uint32`, `uint64` or `int64` in the schema, and never negative.
  ///
  /// - Parameter what: What it is, for errors.
  /// - Throws: ``WeighbridgeError/Code/malformed`` when what is read is negative or no `Int`;
  ///   ``WeighbridgeError/Code/unsupported`` when the field cannot hold what is written.
  package func count(
    _ number: Int, _ value: inout Int, _ what: @autoclosure () -> String
  ) throws(WeighbridgeError) {
    switch field(number).pointee.type {
    case PROTOBUF_C_TYPE_UINT32:
      try count(number, PROTOBUF_C_TYPE_UINT32, UInt32.self, &value, what)
    case PROTOBUF_C_TYPE_INT64: try count(number, PROTOBUF_C_TYPE_INT64, Int64.self, &value, what)
    default: try count(number, PROTOBUF_C_TYPE_UINT64, UInt64.self, &value, what)
    }
  }

  /// A count that may be absent.
  package func count(
    _ number: Int, _ value: inout Int?, _ what: @autoclosure () -> String
  ) throws(WeighbridgeError) {
    try optional(number, &value, blank: 0) { (count) throws(WeighbridgeError) in
      try self.count(number, &count, what())
    }
  }

  private func count<Number: FixedWidthInteger & BitwiseCopyable>(
    _ number: Int, _ type: ProtobufCType, _: Number.Type, _ value: inout Int, _ what: () -> String
  ) throws(WeighbridgeError) {
    let place = place(of: number, type, Number.self)
    if isReading {
      value = try Checked.count(place.pointee, of: what())
    } else {
      place.pointee = try Self.number(value, what)
    }
  }

  /// A message that must be there.
  ///
  /// - Parameter problem: What the error says when it is not.
  /// - Throws: ``WeighbridgeError/Code/malformed``.
  package func record<Record: MessageRecord>(
    _ number: Int, _ value: inout Record, orThrow problem: String
  ) throws(WeighbridgeError) {
    var found = isReading ? nil : Optional(value)
    try record(number, &found)
    guard let found else { throw WeighbridgeError(.malformed, problem) }
    value = found
  }

  /// A message that may be absent.
  package func record<Record: MessageRecord>(
    _ number: Int, _ value: inout Record?
  ) throws(WeighbridgeError) {
    guard isReading || value != nil else { return }
    guard let inner = message(number) else {
      value = nil
      return
    }
    var record = value ?? Record()
    try record.code(inner)
    value = record
  }

  /// The fields of a message; `nil` when it is absent from what is read.
  package func message(_ number: Int) -> MessageFields? {
    let rule = ProtobufFieldRule(field: field(number).pointee)
    guard !isReading || !rule.isMember || presence(field(number)).pointee == number else {
      return nil
    }
    let place = place(
      of: number, PROTOBUF_C_TYPE_MESSAGE, UnsafeMutablePointer<ProtobufCMessage>?.self)
    if let arena, let type = rule.message { place.pointee = arena.message(type) }
    return place.pointee.map { MessageFields($0, in: arena) }
  }

  /// The fields that the schema does not know.
  package func unknown(_ value: inout UnknownFields) {
    if let arena {
      arena.keep(value, in: &message.pointee)
    } else {
      value = MessageParts.unknownFields(message.pointee)
    }
  }
}

// Fields of any number of values.
extension MessageFields {
  /// A list of texts.
  package func texts(_ number: Int, _ values: inout [String]) throws(WeighbridgeError) {
    try list(number, PROTOBUF_C_TYPE_STRING, &values) { (text: UnsafeMutablePointer<CChar>?) in
      MessageParts.text(text)
    } writing: { (text, arena) throws(WeighbridgeError) in
      try arena.text(text)
    }
  }

  /// A list of integers, `int64` in the schema.
  package func integers(_ number: Int, _ values: inout [Int64]) throws(WeighbridgeError) {
    try list(
      number, PROTOBUF_C_TYPE_INT64, &values, reading: { $0 }, writing: { number, _ in number })
  }

  /// A list of numbers, `double` in the schema.
  package func reals(_ number: Int, _ values: inout [Double]) throws(WeighbridgeError) {
    try list(
      number, PROTOBUF_C_TYPE_DOUBLE, &values, reading: { $0 }, writing: { number, _ in number })
  }

  /// The numbers of enumerators.
  package func enumerators(_ number: Int, _ values: inout [UInt32]) throws(WeighbridgeError) {
    try list(
      number, PROTOBUF_C_TYPE_ENUM, &values, reading: { $0 }, writing: { number, _ in number })
  }

  /// Counts, sizes or positions: `uint32` or `uint64` in the schema.
  ///
  /// - Parameter what: What one of them is, for errors.
  /// - Throws: As ``count(_:_:_:)``.
  package func counts(
    _ number: Int, _ values: inout [Int], _ what: @autoclosure () -> String
  ) throws(WeighbridgeError) {
    if field(number).pointee.type == PROTOBUF_C_TYPE_UINT32 {
      try counts(number, PROTOBUF_C_TYPE_UINT32, UInt32.self, &values, what)
    } else {
      try counts(number, PROTOBUF_C_TYPE_UINT64, UInt64.self, &values, what)
    }
  }

  private func counts<Number: FixedWidthInteger & BitwiseCopyable>(
    _ number: Int, _ type: ProtobufCType, _: Number.Type, _ values: inout [Int],
    _ what: () -> String
  ) throws(WeighbridgeError) {
    try list(number, type, &values) { (number: Number) throws(WeighbridgeError) in
      try Checked.count(number, of: what())
    } writing: { (value, _) throws(WeighbridgeError) in
      try Self.number(value, what)
    }
  }

  /// A list of messages.
  package func records<Record: MessageRecord>(
    _ number: Int, _ values: inout [Record]
  ) throws(WeighbridgeError) {
    guard let type = ProtobufFieldRule(field: field(number).pointee).message else {
      preconditionFailure("field \(number) is no message")
    }
    try list(number, PROTOBUF_C_TYPE_MESSAGE, &values) {
      (message: UnsafeMutablePointer<ProtobufCMessage>) throws(WeighbridgeError) in
      try Record(unpacking: message)
    } writing: { (record, arena) throws(WeighbridgeError) in
      try record.packed(as: type, in: arena)
    }
  }

  private func list<Value, Element: BitwiseCopyable>(
    _ number: Int, _ type: ProtobufCType, _ values: inout [Value],
    reading: (Element) throws(WeighbridgeError) -> Value,
    writing: (Value, MessageArena) throws(WeighbridgeError) -> Element
  ) throws(WeighbridgeError) {
    let field = field(number)
    precondition(field.pointee.type == type && field.pointee.label == PROTOBUF_C_LABEL_REPEATED)
    // A repeated field is a count and a pointer to that many elements, which the library filled in.
    let start = UnsafeMutableRawPointer(message)
    let count = (start + Int(field.pointee.quantifier_offset)).assumingMemoryBound(to: Int.self)
    let elements = (start + Int(field.pointee.offset))
      .assumingMemoryBound(to: UnsafeMutablePointer<Element>?.self)
    if let arena {
      count.pointee = values.count
      elements.pointee = try arena.list(values) { (value) throws(WeighbridgeError) in
        try writing(value, arena)
      }
    } else {
      values = []
      values.reserveCapacity(count.pointee)
      for element in UnsafeBufferPointer(start: elements.pointee, count: count.pointee) {
        values.append(try reading(element))
      }
    }
  }
}

extension MessageFields {
  /// Copies a value from its place in the message, or to it.
  private func copy<Value: BitwiseCopyable>(
    _ value: inout Value, _ place: UnsafeMutablePointer<Value>
  ) {
    if isReading { value = place.pointee } else { place.pointee = value }
  }

  /// Codes a member of a oneof that may be absent.
  private func optional<Value>(
    _ number: Int, _ value: inout Value?, blank: Value,
    code: (inout Value) throws(WeighbridgeError) -> Void
  ) throws(WeighbridgeError) {
    let isPresent = isReading ? presence(field(number)).pointee == number : value != nil
    guard isPresent else {
      value = nil
      return
    }
    var present = value ?? blank
    try code(&present)
    value = present
  }

  /// What the descriptor of the message says of a field.
  private func field(_ number: Int) -> UnsafePointer<ProtobufCFieldDescriptor> {
    guard
      let field = protobuf_c_message_descriptor_get_field(
        message.pointee.descriptor, UInt32(number))
    else { preconditionFailure("the schema has no field \(number) here") }
    return field
  }

  /// Where a field of one value stands in the message. A oneof notes that it is written.
  private func place<Value: BitwiseCopyable>(
    of number: Int, _ type: ProtobufCType, _: Value.Type
  ) -> UnsafeMutablePointer<Value> {
    let field = field(number)
    precondition(field.pointee.type == type && field.pointee.label != PROTOBUF_C_LABEL_REPEATED)
    if !isReading, ProtobufFieldRule(field: field.pointee).isMember {
      presence(field).pointee = UInt32(number)
    }
    // The generated structure has a value of the field's type at this offset.
    return (UnsafeMutableRawPointer(message) + Int(field.pointee.offset))
      .assumingMemoryBound(to: Value.self)
  }

  /// Where a oneof notes which of its members is there: a C enumeration, which takes 32 bits.
  private func presence(
    _ field: UnsafePointer<ProtobufCFieldDescriptor>
  ) -> UnsafeMutablePointer<UInt32> {
    precondition(ProtobufFieldRule(field: field.pointee).isMember)
    return (UnsafeMutableRawPointer(message) + Int(field.pointee.quantifier_offset))
      .assumingMemoryBound(to: UInt32.self)
  }

  private static func number<Number: FixedWidthInteger>(
    _ value: Int, _ what: () -> String
  ) throws(WeighbridgeError) -> Number {
    guard let number = Number(exactly: value) else {
      throw WeighbridgeError(.unsupported, "\(what()) is \(value), which the file cannot hold")
    }
    return number
  }
}
