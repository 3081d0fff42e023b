package import Bytes
package import CProtobufC

/// Memory for messages that are being built, freed together.
///
/// Everything it returns is valid while the arena lives, and initialized.
package final class MessageArena {
  private static let chunkSize = 1 << 16
  private var chunks: [UnsafeMutableRawBufferPointer] = []
  private var used = 0

  /// Makes an empty arena.
  package init() {}

  deinit {
    for chunk in chunks { chunk.deallocate() }
  }

  /// A message set up by its generated `init` function.
  package func message<Message>(
    _ initialize: (UnsafeMutablePointer<Message>?) -> Void
  ) -> UnsafeMutablePointer<Message> {
    let message = allocate(Message.self, count: 1)
    initialize(message)  // writes the whole structure
    return message
  }

  /// A text that ends with NUL.
  ///
  /// - Throws: ``WeighbridgeError/Code/unsupported`` when the text itself holds a NUL.
  package func text(_ text: String) throws(WeighbridgeError) -> UnsafeMutablePointer<CChar> {
    var text = text
    let copy = text.withUTF8 { units -> UnsafeMutablePointer<CChar>? in
      guard !units.contains(0) else { return nil }
      let copy = allocate(CChar.self, count: units.count + 1)
      for (index, unit) in units.enumerated() { copy[index] = CChar(bitPattern: unit) }
      copy[units.count] = 0
      return copy
    }
    guard let copy else {
      throw WeighbridgeError(.unsupported, "the text \"\(text)\" holds a NUL character")
    }
    return copy
  }

  /// A list of texts.
  ///
  /// - Throws: ``WeighbridgeError/Code/unsupported`` when one holds a NUL.
  package func texts(
    _ texts: [String]
  ) throws(WeighbridgeError) -> UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? {
    try list(texts) { (text) throws(WeighbridgeError) in try self.text(text) }
  }

  /// A list of messages, each packed from its record.
  package func list<Record, Message>(
    _ records: [Record],
    _ pack: (Record) throws(WeighbridgeError) -> UnsafeMutablePointer<Message>
  ) throws(WeighbridgeError) -> UnsafeMutablePointer<UnsafeMutablePointer<Message>?>? {
    guard !records.isEmpty else { return nil }
    let list = allocate(UnsafeMutablePointer<Message>?.self, count: records.count)
    for index in records.indices { (list + index).initialize(to: try pack(records[index])) }
    return list
  }

  /// A list of numbers; `nil` for an empty one.
  package func numbers<Number: BitwiseCopyable>(
    _ numbers: [Number]
  ) -> UnsafeMutablePointer<Number>? {
    guard !numbers.isEmpty else { return nil }
    let result = allocate(Number.self, count: numbers.count)
    for index in numbers.indices { (result + index).initialize(to: numbers[index]) }
    return result
  }

  /// A run of bytes.
  package func bytes(_ bytes: [UInt8]) -> ProtobufCBinaryData {
    ProtobufCBinaryData(len: bytes.count, data: numbers(bytes))
  }

  /// Adds fields that the message's own type does not know.
  package func keep(_ unknown: UnknownFields, in base: inout ProtobufCMessage) {
    let fields = unknown.fields.map { field in
      ProtobufCMessageUnknownField(
        tag: field.number, wire_type: ProtobufCWireType(UInt32(field.wireType)),
        len: field.payload.count, data: numbers(field.payload))
    }
    base.n_unknown_fields = UInt32(fields.count)
    base.unknown_fields = numbers(fields)
  }

  /// The serialized form of a message built in this arena.
  package func serialized<Message>(_ message: UnsafeMutablePointer<Message>) -> [UInt8] {
    // Every generated message begins with a ProtobufCMessage.
    let base = UnsafeRawPointer(message).assumingMemoryBound(to: ProtobufCMessage.self)
    let size = protobuf_c_message_get_packed_size(base)
    return [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
      count = protobuf_c_message_pack(base, buffer.baseAddress)  // writes just `size` bytes
    }
  }

  private func allocate<Element>(
    _ type: Element.Type, count: Int
  ) -> UnsafeMutablePointer<Element> {
    let size = count * MemoryLayout<Element>.stride
    if used + size > (chunks.last?.count ?? 0) {
      chunks.append(.allocate(byteCount: max(size, Self.chunkSize), alignment: 16))
      used = 0
    }
    let chunk = UnsafeMutableRawBufferPointer(rebasing: chunks[chunks.count - 1][used...])
    used = (used + size + 15) / 16 * 16
    guard let start = chunk.baseAddress else { return .allocate(capacity: count) }
    // Inside the chunk, aligned to 16 bytes, and used for nothing else.
    return start.bindMemory(to: type, capacity: count)
  }
}
