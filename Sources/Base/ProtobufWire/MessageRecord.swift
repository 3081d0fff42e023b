package import Bytes
import CProtobufC

/// The Swift form of a message, with each field declared once for both reading and writing.
///
/// ```swift
/// mutating func code(_ fields: MessageFields) throws(WeighbridgeError) {
///   try fields.string(1, &name)
///   try fields.records(2, &inputs)
/// }
/// ```
package protocol MessageRecord {
  /// Creates an empty record.
  init()

  /// Reads every field from its message, or writes every field to it, depending on `fields`.
  mutating func code(_ fields: MessageFields) throws(WeighbridgeError)
}

extension MessageRecord {
  /// Returns the bytes of the record's message.
  ///
  /// - Parameter descriptor: The type of the message.
  /// - Throws: ``WeighbridgeError/Code/unsupported`` when a string contains a NUL or a number does
  ///   not fit its field.
  package func serialized(
    as descriptor: MessageDescriptor
  ) throws(WeighbridgeError) -> [UInt8] {
    try unsafe packed(as: descriptor) { unsafe $0.serialized($1) }
  }

  /// Returns the size of the result of ``serialized(as:)`` in bytes.
  ///
  /// - Throws: As ``serialized(as:)``.
  package func serializedByteCount(
    as descriptor: MessageDescriptor
  ) throws(WeighbridgeError) -> Int {
    try unsafe packed(as: descriptor) { unsafe protobuf_c_message_get_packed_size($1) }
  }

  /// Calls `body` with the record as a message, and with the arena that contains it.
  private func packed<Result>(
    as descriptor: MessageDescriptor,
    _ body: (MessageArena, UnsafePointer<ProtobufCMessage>) -> Result
  ) throws(WeighbridgeError) -> Result {
    let arena = MessageArena()
    let message = unsafe arena.message(descriptor)
    var copy = self  // `code` is mutating, but writing changes nothing
    try unsafe copy.code(MessageFields(message, in: arena))
    return unsafe body(arena, message)
  }

  /// Reads a message that ``ProtobufScanner`` has accepted.
  ///
  /// - Parameter descriptor: The type of the message.
  /// - Throws: ``WeighbridgeError/Code/malformed``, and the errors of the record's own rules.
  package init(
    _ bytes: RawSpan, as descriptor: MessageDescriptor
  ) throws(WeighbridgeError) {
    let unpacked = try UnpackedMessage(bytes, as: descriptor)
    self = try unsafe unpacked.withMessage { (message) throws(WeighbridgeError) in
      try unsafe Self(unpacking: message)
    }
  }

  /// Reads an unpacked message.
  init(unpacking message: UnsafeMutablePointer<ProtobufCMessage>) throws(WeighbridgeError) {
    self.init()
    try unsafe code(MessageFields(message, in: nil))
  }
}
