import CProtobufC

/// The location of a field in a message, and its description in the schema.
struct MessageField {
  private let message: UnsafeMutableRawPointer
  private let descriptor: UnsafePointer<ProtobufCFieldDescriptor>

  /// The field with a number. Precondition: the schema numbers the message's fields from 1 without
  /// gaps.
  init(_ number: Int, of message: UnsafeMutablePointer<ProtobufCMessage>) {
    let fields = UnsafeBufferPointer(
      start: message.pointee.descriptor.pointee.fields,
      count: Int(message.pointee.descriptor.pointee.n_fields))
    precondition(fields.indices ~= number - 1 && fields[number - 1].id == number)
    self.message = UnsafeMutableRawPointer(message)
    descriptor = message.pointee.descriptor.pointee.fields + (number - 1)
  }

  var number: UInt32 { descriptor.pointee.id }
  var type: ProtobufCType { descriptor.pointee.type }
  var isOneofMember: Bool { descriptor.pointee.flags & PROTOBUF_C_FIELD_FLAG_ONEOF.rawValue != 0 }

  /// The location of the number of the oneof's present member: a C enumeration of 32 bits.
  var oneofCase: UnsafeMutablePointer<UInt32> {
    precondition(isOneofMember)
    return (message + Int(descriptor.pointee.quantifier_offset))
      .assumingMemoryBound(to: UInt32.self)
  }

  /// The descriptor of the field's message.
  var messageType: ProtobufScanner.Descriptor {
    guard let type = FieldDescriptor(descriptor.pointee).message else {
      preconditionFailure("field \(number) is no message")
    }
    return type
  }

  /// The location of the field's single value.
  func value<Value: BitwiseCopyable>(of _: Value.Type) -> UnsafeMutablePointer<Value> {
    precondition(descriptor.pointee.label != PROTOBUF_C_LABEL_REPEATED && holds(Value.self))
    // The generated structure contains a value of the field's type at this offset.
    return (message + Int(descriptor.pointee.offset)).assumingMemoryBound(to: Value.self)
  }

  /// The locations of a repeated field's element count and elements.
  func list<Element: BitwiseCopyable>(
    of _: Element.Type
  ) -> (
    count: UnsafeMutablePointer<Int>,
    elements: UnsafeMutablePointer<UnsafeMutablePointer<Element>?>
  ) {
    precondition(descriptor.pointee.label == PROTOBUF_C_LABEL_REPEATED && holds(Element.self))
    // The generated structure contains a size_t and a pointer at these offsets.
    let count = message + Int(descriptor.pointee.quantifier_offset)
    let elements = message + Int(descriptor.pointee.offset)
    return (
      count.assumingMemoryBound(to: Int.self),
      elements.assumingMemoryBound(to: UnsafeMutablePointer<Element>?.self)
    )
  }

  /// Whether values of a Swift type have the size of the field's values.
  private func holds<Value: BitwiseCopyable>(_: Value.Type) -> Bool {
    switch type {
    case PROTOBUF_C_TYPE_STRING, PROTOBUF_C_TYPE_MESSAGE:
      MemoryLayout<Value>.size == MemoryLayout<UnsafeRawPointer>.size
    case PROTOBUF_C_TYPE_BYTES:
      MemoryLayout<Value>.size == MemoryLayout<ProtobufCBinaryData>.size
    case PROTOBUF_C_TYPE_INT64, PROTOBUF_C_TYPE_UINT64, PROTOBUF_C_TYPE_DOUBLE:
      MemoryLayout<Value>.size == 8
    default: MemoryLayout<Value>.size == 4
    }
  }
}
