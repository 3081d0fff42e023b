package import Bytes
import CProtobufC

/// The fields of one message while a ``MessageRecord`` is read from it or written to it.
///
/// Each method takes a field's number in the schema and the record's property: it sets the property
/// when the message is read, and the field when it is written. A message field or the only member
/// of a oneof is absent where the property is `nil`. Precondition: the schema has a field of that
/// number and type.
@safe package struct MessageFields {
  private let message: UnsafeMutablePointer<ProtobufCMessage>
  /// The memory for the parts of a message that is written; `nil` when one is read.
  private let arena: MessageArena?

  init(_ message: UnsafeMutablePointer<ProtobufCMessage>, in arena: MessageArena?) {
    unsafe self.message = unsafe message
    self.arena = arena
  }

  /// Whether the record is read from the message.
  package var isReading: Bool { arena == nil }

  /// The number of the member that a oneof contains; `nil` when it contains none.
  ///
  /// - Parameter member: The number of any of its members.
  package func presentMember(ofOneofWith member: Int) -> Int? {
    let number = Int(field(member).oneofCase)
    return number == 0 ? nil : number
  }

  private func field(_ number: Int) -> MessageField { unsafe MessageField(number, of: message) }
}

// Singular fields.
extension MessageFields {
  /// A string.
  package func string(_ number: Int, _ value: inout String) throws(WeighbridgeError) {
    let pointer = unsafe pointer(to: field(number), of: UnsafeMutablePointer<CChar>?.self)
    if let arena {
      unsafe pointer.pointee = try unsafe arena.string(value)
    } else {
      value = unsafe MessageParts.string(pointer.pointee)
    }
  }

  /// A string that may be absent.
  package func string(_ number: Int, _ value: inout String?) throws(WeighbridgeError) {
    try optional(number, &value, initial: "") { (string) throws(WeighbridgeError) in
      try self.string(number, &string)
    }
  }

  /// A number of the same size as in the schema; `UInt32` for an enumerator.
  package func number<Number: BitwiseCopyable>(_ number: Int, _ value: inout Number) {
    let pointer = unsafe pointer(to: field(number), of: Number.self)
    if isReading { value = unsafe pointer.pointee } else { unsafe pointer.pointee = value }
  }

  /// A number that may be absent.
  package func number<Number: BitwiseCopyable & Numeric>(
    _ number: Int, _ value: inout Number?
  ) throws(WeighbridgeError) {
    try optional(number, &value, initial: 0) { self.number(number, &$0) }
  }

  /// A boolean.
  package func boolean(_ number: Int, _ value: inout Bool) {
    var boolean: protobuf_c_boolean = value ? 1 : 0
    self.number(number, &boolean)
    value = boolean != 0
  }

  /// A run of bytes.
  package func bytes(_ number: Int, _ value: inout [UInt8]) {
    let pointer = unsafe pointer(to: field(number), of: ProtobufCBinaryData.self)
    if let arena {
      unsafe pointer.pointee = unsafe arena.bytes(value)
    } else {
      value = unsafe MessageParts.bytes(pointer.pointee)
    }
  }

  /// A count, size or index, which is never negative.
  ///
  /// - Parameter what: What is counted, for errors.
  /// - Throws: ``WeighbridgeError/Code/malformed`` when the value read is negative or does not fit
  ///   an `Int`; ``WeighbridgeError/Code/unsupported`` when the value to write does not fit the
  ///   field.
  package func count(
    _ number: Int, _ value: inout Int, _ what: @autoclosure () -> String
  ) throws(WeighbridgeError) {
    let field = field(number)
    if field.type == PROTOBUF_C_TYPE_UINT32 {
      try unsafe count(pointer(to: field, of: UInt32.self), &value, what)
    } else {
      try unsafe count(pointer(to: field, of: UInt64.self), &value, what)
    }
  }

  /// A count that may be absent.
  package func count(
    _ number: Int, _ value: inout Int?, _ what: @autoclosure () -> String
  ) throws(WeighbridgeError) {
    try optional(number, &value, initial: 0) { (count) throws(WeighbridgeError) in
      try self.count(number, &count, what())
    }
  }

  private func count<Number: FixedWidthInteger>(
    _ pointer: UnsafeMutablePointer<Number>, _ value: inout Int, _ what: () -> String
  ) throws(WeighbridgeError) {
    if isReading {
      value = try unsafe Self.count(pointer.pointee, what)
    } else {
      unsafe pointer.pointee = try Self.stored(value, what)
    }
  }

  /// A required message.
  ///
  /// - Parameter problem: The error message when it is absent.
  /// - Throws: ``WeighbridgeError/Code/malformed``.
  package func record(
    _ number: Int, _ value: inout some MessageRecord, orThrow problem: String
  ) throws(WeighbridgeError) {
    guard let inner = message(number) else { throw .malformed(problem) }
    try value.code(inner)
  }

  /// A message that may be absent.
  package func record<Record: MessageRecord>(
    _ number: Int, _ value: inout Record?
  ) throws(WeighbridgeError) {
    guard isReading || value != nil, let inner = message(number) else {
      value = nil
      return
    }
    var record = value ?? Record()
    try record.code(inner)
    value = record
  }

  /// The fields of a message; `nil` when it is absent from the message that is read.
  package func message(_ number: Int) -> MessageFields? {
    let field = field(number)
    guard !isReading || !field.isOneofMember || field.oneofCase == field.number else {
      return nil
    }
    let pointer = unsafe pointer(to: field, of: UnsafeMutablePointer<ProtobufCMessage>?.self)
    if let arena { unsafe pointer.pointee = unsafe arena.message(field.messageType) }
    return unsafe pointer.pointee.map { unsafe MessageFields($0, in: arena) }
  }

  /// The fields that the schema does not know.
  package func unknown(_ value: inout UnknownFields) {
    if let arena {
      unsafe arena.addUnknownFields(value, to: &message.pointee)
    } else {
      value = unsafe MessageParts.unknownFields(message.pointee)
    }
  }

  /// Reads or writes a member of a oneof if it is present.
  ///
  /// - Parameter initial: The value that reading starts from.
  private func optional<Value>(
    _ number: Int, _ value: inout Value?, initial: Value,
    code: (inout Value) throws(WeighbridgeError) -> Void
  ) throws(WeighbridgeError) {
    let field = field(number)
    guard isReading ? field.oneofCase == field.number : value != nil else {
      value = nil
      return
    }
    var present = value ?? initial
    try code(&present)
    value = present
  }

  /// The location of a singular field's value; when writing, makes it the member of its oneof.
  private func pointer<Value: BitwiseCopyable>(
    to field: MessageField, of type: Value.Type
  ) -> UnsafeMutablePointer<Value> {
    if !isReading, field.isOneofMember { field.oneofCase = field.number }
    return unsafe field.value(of: type)
  }

  private static func count<Number: FixedWidthInteger>(
    _ stored: Number, _ what: () -> String
  ) throws(WeighbridgeError) -> Int {
    // `Checked.count` is in another module and not specialized for each type.
    if let count = Int(exactly: stored), count >= 0 { return count }
    return try Checked.count(stored, of: what())
  }

  private static func stored<Number: FixedWidthInteger>(
    _ value: Int, _ what: () -> String
  ) throws(WeighbridgeError) -> Number {
    guard let number = Number(exactly: value) else {
      throw .unsupported("\(what()) is \(value), which the file cannot hold")
    }
    return number
  }
}

// Repeated fields.
extension MessageFields {
  /// A list of strings.
  package func strings(_ number: Int, _ values: inout [String]) throws(WeighbridgeError) {
    try unsafe list(field(number), &values) { (pointer: UnsafeMutablePointer<CChar>?) in
      unsafe MessageParts.string(pointer)
    } writing: { (string, arena) throws(WeighbridgeError) in
      try unsafe arena.string(string)
    }
  }

  /// A list of numbers of the same size as in the schema; `UInt32` for enumerators.
  package func numbers<Number: BitwiseCopyable>(
    _ number: Int, _ values: inout [Number]
  ) throws(WeighbridgeError) {
    try list(field(number), &values, reading: { $0 }, writing: { number, _ in number })
  }

  /// Counts, sizes or indices.
  ///
  /// - Parameter what: What is counted, for errors.
  /// - Throws: As ``count(_:_:_:)``.
  package func counts(
    _ number: Int, _ values: inout [Int], _ what: @autoclosure () -> String
  ) throws(WeighbridgeError) {
    let field = field(number)
    if field.type == PROTOBUF_C_TYPE_UINT32 {
      try counts(field, of: UInt32.self, &values, what)
    } else {
      try counts(field, of: UInt64.self, &values, what)
    }
  }

  private func counts<Number: FixedWidthInteger & BitwiseCopyable>(
    _ field: MessageField, of _: Number.Type, _ values: inout [Int], _ what: () -> String
  ) throws(WeighbridgeError) {
    try list(field, &values) { (number: Number) throws(WeighbridgeError) in
      try Self.count(number, what)
    } writing: { (value, _) throws(WeighbridgeError) in
      try Self.stored(value, what)
    }
  }

  /// A list of messages.
  package func records<Record: MessageRecord>(
    _ number: Int, _ values: inout [Record]
  ) throws(WeighbridgeError) {
    // Not via ``list(_:_:reading:writing:)``: a file has so many of them that generic closures are
    // too slow.
    let field = field(number)
    let (count, elements) = unsafe field.list(of: UnsafeMutablePointer<ProtobufCMessage>.self)
    if let arena {
      let messages = unsafe arena.messages(field.messageType, count: values.count)
      unsafe (count.pointee, elements.pointee) = (values.count, messages.baseAddress)
      for index in messages.indices {
        var copy = values[index]
        try unsafe copy.code(MessageFields(messages[index], in: arena))
      }
    } else {
      values = []
      unsafe values.reserveCapacity(count.pointee)
      let messages = unsafe UnsafeBufferPointer(start: elements.pointee, count: count.pointee)
      for index in messages.indices {
        values.append(try unsafe Record(unpacking: messages[index]))
      }
    }
  }

  private func list<Value, Element: BitwiseCopyable>(
    _ field: MessageField, _ values: inout [Value],
    reading: (Element) throws(WeighbridgeError) -> Value,
    writing: (Value, MessageArena) throws(WeighbridgeError) -> Element
  ) throws(WeighbridgeError) {
    let (count, elements) = unsafe field.list(of: Element.self)
    if let arena {
      unsafe count.pointee = values.count
      unsafe elements.pointee = try unsafe arena.list(values) { (value) throws(WeighbridgeError) in
        try writing(value, arena)
      }
    } else {
      values = []
      unsafe values.reserveCapacity(count.pointee)
      // The library filled in the list and its count.
      let list = unsafe UnsafeBufferPointer(start: elements.pointee, count: count.pointee)
      for index in list.indices { values.append(try unsafe reading(list[index])) }
    }
  }
}
