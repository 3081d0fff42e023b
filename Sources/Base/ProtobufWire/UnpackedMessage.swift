package import Bytes
package import CProtobufC

/// A message unpacked by the library, freed at the end of its lifetime.
@safe package struct UnpackedMessage: ~Copyable {
  private let base: UnsafeMutablePointer<ProtobufCMessage>

  /// Unpacks a message that ``ProtobufScanner`` has accepted.
  ///
  /// - Throws: ``WeighbridgeError/Code/malformed``.
  package init(
    _ bytes: RawSpan, as descriptor: MessageDescriptor
  ) throws(WeighbridgeError) {
    let message = unsafe bytes.withUnsafeBytes { buffer in
      // The library copies what it keeps.
      unsafe protobuf_c_message_unpack(
        descriptor.base, nil, buffer.count, buffer.bindMemory(to: UInt8.self).baseAddress)
    }
    guard let message = unsafe message else {
      throw .malformed("does not match its schema, or there is not enough memory")
    }
    unsafe base = unsafe message
  }

  deinit { unsafe protobuf_c_message_free_unpacked(base, nil) }

  /// Calls `body` with the message, the first member of the generated structure of its type.
  package borrowing func withMessage<Result>(
    _ body: (UnsafeMutablePointer<ProtobufCMessage>) throws(WeighbridgeError) -> Result
  ) throws(WeighbridgeError) -> Result {
    try unsafe body(base)
  }
}

/// Reads the parts of an unpacked message. Counts and pointers are those that the library filled
/// in.
package enum MessageParts {
  /// A string; empty when it is absent.
  package static func string(_ pointer: UnsafePointer<CChar>?) -> String {
    unsafe pointer.map { unsafe String(cString: $0) } ?? ""  // the library's strings end with NUL
  }

  /// A run of bytes.
  package static func bytes(_ data: ProtobufCBinaryData) -> [UInt8] {
    unsafe Array(UnsafeBufferPointer(start: data.data, count: data.len))
  }

  /// The fields that the message's schema does not know.
  static func unknownFields(_ base: ProtobufCMessage) -> UnknownFields {
    let fields = unsafe UnsafeBufferPointer(
      start: base.unknown_fields, count: Int(base.n_unknown_fields))
    return unsafe UnknownFields(
      fields.map { field in
        unsafe UnknownFields.Field(
          number: field.tag, wireType: UInt8(field.wire_type.rawValue),
          payload: Array(UnsafeBufferPointer(start: field.data, count: field.len)))
      })
  }
}
