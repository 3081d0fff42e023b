package import Bytes
package import CProtobufC

/// A message unpacked by the library, freed when it goes.
package struct UnpackedMessage<Message>: ~Copyable {
  private let base: UnsafeMutablePointer<ProtobufCMessage>

  /// Unpacks a message that ``ProtobufScanner`` has accepted.
  ///
  /// - Parameter descriptor: The descriptor of `Message`.
  /// - Throws: ``WeighbridgeError/Code/malformed``.
  package init(
    _ bytes: RawSpan, as descriptor: ProtobufScanner.Descriptor
  ) throws(WeighbridgeError) {
    precondition(descriptor.pointee.sizeof_message == MemoryLayout<Message>.size)
    let message = bytes.withUnsafeBytes { buffer in
      // The library copies what it keeps.
      protobuf_c_message_unpack(
        descriptor, nil, buffer.count, buffer.bindMemory(to: UInt8.self).baseAddress)
    }
    guard let message else {
      throw WeighbridgeError(.malformed, "is not a message of its schema, or memory is short")
    }
    base = message
  }

  deinit { protobuf_c_message_free_unpacked(base, nil) }

  /// Calls `body` with the message.
  package borrowing func withMessage<Result>(
    _ body: (Message) throws(WeighbridgeError) -> Result
  ) throws(WeighbridgeError) -> Result {
    // The library made a `Message`: its size was compared with the descriptor's.
    try body(UnsafeRawPointer(base).assumingMemoryBound(to: Message.self).pointee)
  }
}

/// Reads the parts of an unpacked message. Counts and pointers are those the library filled in.
package enum MessageParts {
  /// A text; empty when it is not there.
  package static func text(_ pointer: UnsafePointer<CChar>?) -> String {
    pointer.map { String(cString: $0) } ?? ""  // ends with NUL, as the library makes all texts
  }

  /// A list of texts.
  package static func texts(
    _ count: Int, _ list: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
  ) -> [String] {
    UnsafeBufferPointer(start: list, count: count).map { text($0) }
  }

  /// A list of numbers.
  package static func numbers<Number: BitwiseCopyable>(
    _ count: Int, _ list: UnsafeMutablePointer<Number>?
  ) -> [Number] {
    Array(UnsafeBufferPointer(start: list, count: count))
  }

  /// A run of bytes.
  package static func bytes(_ data: ProtobufCBinaryData) -> [UInt8] {
    Array(UnsafeBufferPointer(start: data.data, count: data.len))
  }

  /// The elements of a list of messages, each turned into a record.
  package static func list<Message, Record>(
    _ count: Int, _ list: UnsafeMutablePointer<UnsafeMutablePointer<Message>?>?,
    _ record: (Message) throws(WeighbridgeError) -> Record
  ) throws(WeighbridgeError) -> [Record] {
    var records: [Record] = []
    records.reserveCapacity(count)
    for case let message? in UnsafeBufferPointer(start: list, count: count) {
      records.append(try record(message.pointee))
    }
    return records
  }

  /// The fields that the message's own type does not know.
  package static func unknownFields(_ base: ProtobufCMessage) -> UnknownFields {
    let fields = UnsafeBufferPointer(start: base.unknown_fields, count: Int(base.n_unknown_fields))
    return UnknownFields(
      fields.map { field in
        UnknownFields.Field(
          number: field.tag, wireType: UInt8(field.wire_type.rawValue),
          payload: Array(UnsafeBufferPointer(start: field.data, count: field.len)))
      })
  }
}
