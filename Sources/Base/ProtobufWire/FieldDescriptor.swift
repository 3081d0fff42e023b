import CProtobufC

/// A field of a message in the schema.
///
/// Safe: what it points to is constant data of the program.
@safe package struct FieldDescriptor {
  let base: UnsafePointer<ProtobufCFieldDescriptor>

  /// - Parameter base: A generated descriptor; `nil` gives `nil`.
  @unsafe init?(_ base: UnsafePointer<ProtobufCFieldDescriptor>?) {
    guard let base = unsafe base else { return nil }
    unsafe self.base = base
  }

  package var name: String { unsafe String(cString: base.pointee.name) }
  package var number: Int { unsafe Int(base.pointee.id) }
  package var isOneofMember: Bool { hasFlag(PROTOBUF_C_FIELD_FLAG_ONEOF) }
  var type: ProtobufCType { unsafe base.pointee.type }
  var isRepeated: Bool { unsafe base.pointee.label == PROTOBUF_C_LABEL_REPEATED }
  var isPacked: Bool { hasFlag(PROTOBUF_C_FIELD_FLAG_PACKED) }
  /// Whether an absent field differs from the default: in a oneof, and for `optional` in proto2.
  var hasPresence: Bool {
    unsafe isOneofMember || base.pointee.label == PROTOBUF_C_LABEL_OPTIONAL
  }
  var wireType: UInt8 { WireReader.wireType(of: type) }
  /// The offset of the value in the generated structure.
  var offset: Int { unsafe Int(base.pointee.offset) }
  /// The offset in the generated structure of the count of a list, or of the case of a oneof.
  var quantifierOffset: Int { unsafe Int(base.pointee.quantifier_offset) }

  /// Whether two fields of a message are members of the same oneof.
  func isInOneof(of other: FieldDescriptor) -> Bool {
    isOneofMember && other.isOneofMember && quantifierOffset == other.quantifierOffset
  }

  private func hasFlag(_ flag: ProtobufCFieldFlag) -> Bool {
    unsafe base.pointee.flags & flag.rawValue != 0
  }

  /// The descriptor of a field's message.
  var message: MessageDescriptor? {
    guard type == PROTOBUF_C_TYPE_MESSAGE, let descriptor = unsafe base.pointee.descriptor else {
      return nil
    }
    // A generated field of message type points to the descriptor of that message.
    return unsafe MessageDescriptor(
      descriptor.assumingMemoryBound(to: ProtobufCMessageDescriptor.self))
  }

  /// The descriptor of a field's enumeration.
  private var enumeration: UnsafePointer<ProtobufCEnumDescriptor>? {
    guard type == PROTOBUF_C_TYPE_ENUM, let descriptor = unsafe base.pointee.descriptor else {
      return nil
    }
    // A generated field of enum type points to the descriptor of that enumeration.
    return unsafe descriptor.assumingMemoryBound(to: ProtobufCEnumDescriptor.self)
  }

  /// The name of an enumerator.
  func enumerator(_ number: Int32) -> String? {
    unsafe protobuf_c_enum_descriptor_get_value(enumeration, number).map {
      unsafe String(cString: $0.pointee.name)
    }
  }

  /// The number of an enumerator.
  func enumerator(_ name: String) -> Int32? {
    unsafe protobuf_c_enum_descriptor_get_value_by_name(enumeration, name)?.pointee.value
  }
}
