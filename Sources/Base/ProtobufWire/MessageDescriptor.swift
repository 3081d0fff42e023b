package import CProtobufC

/// The fields of each message whose bytes are never unpacked, by their numbers.
package typealias ProtobufFieldsInPlace = [MessageDescriptor: Set<UInt32>]

/// The type of a message in the schema.
///
/// Safe: what it points to is constant data of the program.
@safe package struct MessageDescriptor: Hashable {
  let base: UnsafePointer<ProtobufCMessageDescriptor>

  /// - Parameter base: A generated descriptor; `nil` gives `nil`.
  @unsafe package init?(_ base: UnsafePointer<ProtobufCMessageDescriptor>?) {
    guard let base = unsafe base else { return nil }
    unsafe self.base = base
  }

  package static func == (one: Self, other: Self) -> Bool { unsafe one.base == other.base }

  package func hash(into hasher: inout Hasher) { unsafe hasher.combine(base) }

  /// The size of the generated structure in bytes.
  var structureSize: Int { unsafe base.pointee.sizeof_message }

  /// The index of a field in its message; for a oneof, that of its first member.
  func slot(of field: FieldDescriptor) -> Int {
    // `field` points into the message's own array of fields.
    guard let first = unsafe base.pointee.fields else { return 0 }
    let index = unsafe field.base - first
    guard field.isOneofMember else { return index }
    return (0..<index).first {
      unsafe FieldDescriptor(first + $0)?.isInOneof(of: field) == true
    } ?? index
  }

  /// The field with a number.
  package func field(_ number: UInt32) -> FieldDescriptor? {
    unsafe FieldDescriptor(protobuf_c_message_descriptor_get_field(base, number))
  }

  /// The field with a name.
  package func field(named name: String) -> FieldDescriptor? {
    unsafe FieldDescriptor(protobuf_c_message_descriptor_get_field_by_name(base, name))
  }
}
