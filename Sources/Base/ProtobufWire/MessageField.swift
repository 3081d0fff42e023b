import CProtobufC

/// The location of a field in a message, and its description in the schema.
@safe struct MessageField {
  private let message: UnsafeMutableRawPointer
  private let descriptor: FieldDescriptor

  /// The field with a number. Precondition: the schema numbers the message's fields from 1 without
  /// gaps.
  @unsafe init(_ number: Int, of message: UnsafeMutablePointer<ProtobufCMessage>) {
    let fields = unsafe UnsafeBufferPointer(
      start: message.pointee.descriptor.pointee.fields,
      count: Int(message.pointee.descriptor.pointee.n_fields))
    guard fields.indices ~= number - 1,
      let descriptor = unsafe FieldDescriptor(fields.baseAddress.map { unsafe $0 + (number - 1) }),
      descriptor.number == number
    else { preconditionFailure("the message has no field \(number)") }
    unsafe self.message = UnsafeMutableRawPointer(message)
    self.descriptor = descriptor
  }

  var number: UInt32 { UInt32(descriptor.number) }
  var type: ProtobufCType { descriptor.type }
  var isOneofMember: Bool { descriptor.isOneofMember }

  /// The number of the oneof's present member: a C enumeration of 32 bits.
  var oneofCase: UInt32 {
    get { unsafe oneofCasePointer.pointee }
    nonmutating set { unsafe oneofCasePointer.pointee = newValue }
  }

  private var oneofCasePointer: UnsafeMutablePointer<UInt32> {
    precondition(isOneofMember)
    return unsafe (message + descriptor.quantifierOffset).assumingMemoryBound(to: UInt32.self)
  }

  /// The descriptor of the field's message.
  var messageType: MessageDescriptor {
    guard let type = descriptor.message else {
      preconditionFailure("field \(number) is no message")
    }
    return type
  }

  /// The location of the field's single value.
  func value<Value: BitwiseCopyable>(of _: Value.Type) -> UnsafeMutablePointer<Value> {
    precondition(!descriptor.isRepeated && holds(Value.self))
    // The generated structure contains a value of the field's type at this offset.
    return unsafe (message + descriptor.offset).assumingMemoryBound(to: Value.self)
  }

  /// The locations of a repeated field's element count and elements.
  func list<Element: BitwiseCopyable>(
    of _: Element.Type
  ) -> (
    count: UnsafeMutablePointer<Int>,
    elements: UnsafeMutablePointer<UnsafeMutablePointer<Element>?>
  ) {
    precondition(descriptor.isRepeated && holds(Element.self))
    // The generated structure contains a size_t and a pointer at these offsets.
    let count = unsafe message + descriptor.quantifierOffset
    let elements = unsafe message + descriptor.offset
    return unsafe (
      count.assumingMemoryBound(to: Int.self),
      elements.assumingMemoryBound(to: UnsafeMutablePointer<Element>?.self)
    )
  }

  /// Whether values of a Swift type have the size of the field's values.
  private func holds<Value: BitwiseCopyable>(_: Value.Type) -> Bool {
    switch type {
    case PROTOBUF_C_TYPE_STRING, PROTOBUF_C_TYPE_MESSAGE:
      unsafe MemoryLayout<Value>.size == MemoryLayout<UnsafeRawPointer>.size
    case PROTOBUF_C_TYPE_BYTES:
      unsafe MemoryLayout<Value>.size == MemoryLayout<ProtobufCBinaryData>.size
    case PROTOBUF_C_TYPE_INT64, PROTOBUF_C_TYPE_UINT64, PROTOBUF_C_TYPE_DOUBLE:
      MemoryLayout<Value>.size == 8
    default: MemoryLayout<Value>.size == 4
    }
  }
}
