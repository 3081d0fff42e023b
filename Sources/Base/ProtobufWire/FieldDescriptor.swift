import CProtobufC

/// The fields of each message whose bytes are never unpacked, by their numbers.
package typealias ProtobufFieldsInPlace = [ProtobufScanner.Descriptor: Set<UInt32>]

/// The descriptor of a field in the schema.
struct FieldDescriptor {
  private let base: ProtobufCFieldDescriptor

  init(_ base: ProtobufCFieldDescriptor) { self.base = base }

  var name: String { String(cString: base.name) }  // constant data of the program
  var number: Int { Int(base.id) }
  var type: ProtobufCType { base.type }
  var isRepeated: Bool { base.label == PROTOBUF_C_LABEL_REPEATED }
  var isPacked: Bool { base.flags & PROTOBUF_C_FIELD_FLAG_PACKED.rawValue != 0 }
  var isOneofMember: Bool { base.flags & PROTOBUF_C_FIELD_FLAG_ONEOF.rawValue != 0 }
  /// Whether an absent field differs from the default: in a oneof, and for `optional` in proto2.
  var hasPresence: Bool { isOneofMember || base.label == PROTOBUF_C_LABEL_OPTIONAL }
  var wireType: UInt8 { WireReader.wireType(of: type) }

  /// The descriptor of a field's message.
  var message: ProtobufScanner.Descriptor? {
    guard type == PROTOBUF_C_TYPE_MESSAGE, let descriptor = base.descriptor else {
      return nil
    }
    // A generated field of message type points to the descriptor of that message.
    return descriptor.assumingMemoryBound(to: ProtobufCMessageDescriptor.self)
  }

  /// The descriptor of a field's enumeration.
  private var enumeration: UnsafePointer<ProtobufCEnumDescriptor>? {
    guard type == PROTOBUF_C_TYPE_ENUM, let descriptor = base.descriptor else {
      return nil
    }
    // A generated field of enum type points to the descriptor of that enumeration.
    return descriptor.assumingMemoryBound(to: ProtobufCEnumDescriptor.self)
  }

  /// The name of an enumerator.
  func enumerator(_ number: Int32) -> String? {
    guard let value = protobuf_c_enum_descriptor_get_value(enumeration, number) else { return nil }
    return String(cString: value.pointee.name)  // constant data of the program
  }

  /// The number of an enumerator.
  func enumerator(_ name: String) -> Int32? {
    protobuf_c_enum_descriptor_get_value_by_name(enumeration, name)?.pointee.value
  }
}
