import Bytes
import CProtobufC

/// Memory for messages that are being built, freed together.
///
/// Everything it returns is valid while the arena lives, and initialized.
final class MessageArena {
  private static let chunkSize = 1 << 16
  private var chunks: [UnsafeMutableRawBufferPointer] = []
  private var used = 0

  /// Creates an empty arena.
  init() {}

  deinit {
    for chunk in chunks { chunk.deallocate() }
  }

  /// A message with empty fields.
  func message(
    _ descriptor: ProtobufScanner.Descriptor
  ) -> UnsafeMutablePointer<ProtobufCMessage> {
    // Every generated structure begins with a ProtobufCMessage.
    let message = allocate(byteCount: descriptor.pointee.sizeof_message)
      .bindMemory(to: ProtobufCMessage.self, capacity: 1)
    descriptor.pointee.message_init(message)  // writes the whole structure
    return message
  }

  /// A list of messages with empty fields.
  func messages(
    _ descriptor: ProtobufScanner.Descriptor, count: Int
  ) -> UnsafeMutableBufferPointer<UnsafeMutablePointer<ProtobufCMessage>> {
    guard count > 0 else { return .init(start: nil, count: 0) }
    let list = allocate(UnsafeMutablePointer<ProtobufCMessage>.self, count: count)
    for index in 0..<count { (list + index).initialize(to: message(descriptor)) }
    return .init(start: list, count: count)
  }

  /// A NUL-terminated string.
  ///
  /// - Throws: ``WeighbridgeError/Code/unsupported`` when the string itself contains a NUL.
  func string(_ string: String) throws(WeighbridgeError) -> UnsafeMutablePointer<CChar> {
    var string = string
    let copy = string.withUTF8 { units -> UnsafeMutablePointer<CChar>? in
      guard !units.contains(0) else { return nil }
      let copy = allocate(CChar.self, count: units.count + 1)
      for (index, unit) in units.enumerated() { copy[index] = CChar(bitPattern: unit) }
      copy[units.count] = 0
      return copy
    }
    guard let copy else {
      throw .unsupported(
        "the string \"\(string)\" contains a NUL character, "
          + "which cannot be stored")
    }
    return copy
  }

  /// A list with the element that a closure returns for each value; `nil` for an empty one.
  func list<Value, Element: BitwiseCopyable>(
    _ values: [Value], _ element: (Value) throws(WeighbridgeError) -> Element
  ) throws(WeighbridgeError) -> UnsafeMutablePointer<Element>? {
    guard !values.isEmpty else { return nil }
    let list = allocate(Element.self, count: values.count)
    for index in values.indices { (list + index).initialize(to: try element(values[index])) }
    return list
  }

  /// A list of values; `nil` for an empty one.
  func numbers<Number: BitwiseCopyable>(
    _ numbers: [Number]
  ) -> UnsafeMutablePointer<Number>? {
    guard !numbers.isEmpty else { return nil }
    let result = allocate(Number.self, count: numbers.count)
    for index in numbers.indices { (result + index).initialize(to: numbers[index]) }
    return result
  }

  /// A run of bytes.
  func bytes(_ bytes: [UInt8]) -> ProtobufCBinaryData {
    ProtobufCBinaryData(len: bytes.count, data: numbers(bytes))
  }

  /// Adds fields that the message's schema does not know.
  func addUnknownFields(_ unknown: UnknownFields, to base: inout ProtobufCMessage) {
    let fields = unknown.fields.map { field in
      ProtobufCMessageUnknownField(
        tag: field.number, wire_type: ProtobufCWireType(UInt32(field.wireType)),
        len: field.payload.count, data: numbers(field.payload))
    }
    base.n_unknown_fields = UInt32(fields.count)
    base.unknown_fields = numbers(fields)
  }

  /// The serialized form of a message built in this arena.
  func serialized(_ message: UnsafePointer<ProtobufCMessage>) -> [UInt8] {
    let size = protobuf_c_message_get_packed_size(message)
    return [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
      count = protobuf_c_message_pack(message, buffer.baseAddress)  // writes exactly `size` bytes
    }
  }

  private func allocate<Element>(
    _ type: Element.Type, count: Int
  ) -> UnsafeMutablePointer<Element> {
    // This memory is used for nothing else.
    allocate(byteCount: count * MemoryLayout<Element>.stride).bindMemory(to: type, capacity: count)
  }

  /// Allocates memory, aligned to 16 bytes.
  private func allocate(byteCount: Int) -> UnsafeMutableRawPointer {
    if used + byteCount > (chunks.last?.count ?? 0) {
      chunks.append(.allocate(byteCount: max(byteCount, Self.chunkSize), alignment: 16))
      used = 0
    }
    guard let chunk = chunks.last?.baseAddress else { preconditionFailure("there is a chunk") }
    let start = chunk + used
    used = (used + byteCount + 15) / 16 * 16
    return start
  }
}
