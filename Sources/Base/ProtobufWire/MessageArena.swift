import Bytes
import CProtobufC

/// Memory for messages that are being built, freed together.
///
/// Everything it returns is valid while the arena lives, and initialized.
@safe final class MessageArena {
  private static let chunkSize = 1 << 16
  private var chunks: [UnsafeMutableRawBufferPointer] = unsafe []
  private var used = 0

  /// Creates an empty arena.
  init() {}

  deinit {
    unsafe chunks.forEach { unsafe $0.deallocate() }
  }

  /// A message with empty fields.
  func message(
    _ descriptor: MessageDescriptor
  ) -> UnsafeMutablePointer<ProtobufCMessage> {
    // Every generated structure begins with a ProtobufCMessage.
    let message = unsafe allocate(byteCount: descriptor.structureSize)
      .bindMemory(to: ProtobufCMessage.self, capacity: 1)
    unsafe descriptor.base.pointee.message_init(message)  // writes the whole structure
    return unsafe message
  }

  /// A list of messages with empty fields.
  func messages(
    _ descriptor: MessageDescriptor, count: Int
  ) -> UnsafeMutableBufferPointer<UnsafeMutablePointer<ProtobufCMessage>> {
    guard count > 0 else { return unsafe .init(start: nil, count: 0) }
    let list = unsafe allocate(UnsafeMutablePointer<ProtobufCMessage>.self, count: count)
    for index in 0..<count { unsafe (list + index).initialize(to: message(descriptor)) }
    return unsafe .init(start: list, count: count)
  }

  /// A NUL-terminated string.
  ///
  /// - Throws: ``WeighbridgeError/Code/unsupported`` when the string itself contains a NUL.
  func string(_ string: String) throws(WeighbridgeError) -> UnsafeMutablePointer<CChar> {
    var string = string
    let copy = string.withUTF8 { units -> UnsafeMutablePointer<CChar>? in
      guard unsafe !units.contains(0) else { return nil }
      let copy = unsafe allocate(CChar.self, count: units.count + 1)
      for index in units.indices { unsafe copy[index] = CChar(bitPattern: units[index]) }
      unsafe copy[units.count] = 0
      return unsafe copy
    }
    guard let copy = unsafe copy else {
      throw .unsupported(
        "the string \"\(string)\" contains a NUL character, "
          + "which cannot be stored")
    }
    return unsafe copy
  }

  /// A list with the element that a closure returns for each value; `nil` for an empty one.
  func list<Value, Element: BitwiseCopyable>(
    _ values: [Value], _ element: (Value) throws(WeighbridgeError) -> Element
  ) throws(WeighbridgeError) -> UnsafeMutablePointer<Element>? {
    guard !values.isEmpty else { return nil }
    let list = unsafe allocate(Element.self, count: values.count)
    for index in values.indices { unsafe (list + index).initialize(to: try element(values[index])) }
    return unsafe list
  }

  /// A list of values; `nil` for an empty one.
  func numbers<Number: BitwiseCopyable>(
    _ numbers: [Number]
  ) -> UnsafeMutablePointer<Number>? {
    guard !numbers.isEmpty else { return nil }
    let result = unsafe allocate(Number.self, count: numbers.count)
    for index in numbers.indices { unsafe (result + index).initialize(to: numbers[index]) }
    return unsafe result
  }

  /// A run of bytes.
  func bytes(_ bytes: [UInt8]) -> ProtobufCBinaryData {
    unsafe ProtobufCBinaryData(len: bytes.count, data: numbers(bytes))
  }

  /// Adds fields that the message's schema does not know.
  func addUnknownFields(_ unknown: UnknownFields, to base: inout ProtobufCMessage) {
    let fields = unsafe unknown.fields.map { field in
      unsafe ProtobufCMessageUnknownField(
        tag: field.number, wire_type: ProtobufCWireType(UInt32(field.wireType)),
        len: field.payload.count, data: numbers(field.payload))
    }
    unsafe base.n_unknown_fields = unsafe UInt32(fields.count)
    unsafe base.unknown_fields = unsafe numbers(fields)
  }

  /// The serialized form of a message built in this arena.
  func serialized(_ message: UnsafePointer<ProtobufCMessage>) -> [UInt8] {
    let size = unsafe protobuf_c_message_get_packed_size(message)
    return unsafe [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
      // It writes exactly `size` bytes.
      count = unsafe protobuf_c_message_pack(message, buffer.baseAddress)
    }
  }

  private func allocate<Element>(
    _ type: Element.Type, count: Int
  ) -> UnsafeMutablePointer<Element> {
    // This memory is used for nothing else.
    unsafe allocate(byteCount: count * MemoryLayout<Element>.stride).bindMemory(
      to: type, capacity: count)
  }

  /// Allocates memory, aligned to 16 bytes.
  private func allocate(byteCount: Int) -> UnsafeMutableRawPointer {
    if unsafe used + byteCount > (chunks.last?.count ?? 0) {
      unsafe chunks.append(.allocate(byteCount: max(byteCount, Self.chunkSize), alignment: 16))
      used = 0
    }
    guard let chunk = unsafe chunks.last?.baseAddress else {
      preconditionFailure("there is a chunk")
    }
    let start = unsafe chunk + used
    used = (used + byteCount + 15) / 16 * 16
    return unsafe start
  }
}
