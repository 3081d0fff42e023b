package import Bytes
import CProtobufC

/// A record whose fields are those of a message of a schema, each declared once for both directions.
///
/// ```swift
/// mutating func code(_ fields: MessageFields) throws(WeighbridgeError) {
///   try fields.text(1, &name)
///   try fields.records(2, &inputs)
/// }
/// ```
package protocol MessageRecord {
  /// Makes a record that says nothing yet.
  init()

  /// Reads every field from its message, or writes every field to it, as `fields` does.
  mutating func code(_ fields: MessageFields) throws(WeighbridgeError)
}

extension MessageRecord {
  /// The bytes of the record's message.
  ///
  /// - Parameter descriptor: The type of the message.
  /// - Throws: ``WeighbridgeError/Code/unsupported`` when a text holds a NUL or a number does not fit
  ///   its field.
  package func serialized(
    as descriptor: ProtobufScanner.Descriptor
  ) throws(WeighbridgeError) -> [UInt8] {
    try packed(as: descriptor) { $0.serialized($1) }
  }

  /// How many bytes ``serialized(as:)`` gives.
  ///
  /// - Throws: As ``serialized(as:)``.
  package func serializedByteCount(
    as descriptor: ProtobufScanner.Descriptor
  ) throws(WeighbridgeError) -> Int {
    try packed(as: descriptor) { protobuf_c_message_get_packed_size($1) }
  }

  /// Gives `body` the record as a message, and the arena that holds it.
  private func packed<Result>(
    as descriptor: ProtobufScanner.Descriptor,
    _ body: (MessageArena, UnsafePointer<ProtobufCMessage>) -> Result
  ) throws(WeighbridgeError) -> Result {
    let arena = MessageArena()
    let message = arena.message(descriptor)
    var copy = self  // writing a field leaves it as it is
    try copy.code(MessageFields(message, in: arena))
    return body(arena, message)
  }

  /// Reads a message that ``ProtobufScanner`` has accepted.
  ///
  /// - Parameter descriptor: The type of the message.
  /// - Throws: ``WeighbridgeError/Code/malformed``, and what the record's own rules throw.
  package init(
    _ bytes: RawSpan, as descriptor: ProtobufScanner.Descriptor
  ) throws(WeighbridgeError) {
    let unpacked = try UnpackedMessage(bytes, as: descriptor)
    self = try unpacked.withMessage { (message) throws(WeighbridgeError) in
      try Self(unpacking: message)
    }
  }

  /// Reads an unpacked message.
  init(unpacking message: UnsafeMutablePointer<ProtobufCMessage>) throws(WeighbridgeError) {
    self.init()
    try code(MessageFields(message, in: nil))
  }
}
