import CProtobufC

/// The singular fields of one message that have occurred so far.
struct FieldSet {
  private var low: UInt64 = 0
  private var high: [Int] = []

  /// Adds a field; returns `false` when it was already in the set.
  mutating func insert(_ index: Int) -> Bool {
    if index < 64 {
      let bit = UInt64(1) << UInt64(index)
      defer { low |= bit }
      return low & bit == 0
    }
    if high.contains(index) { return false }
    high.append(index)
    return true
  }

  /// The index of a field in its message; for a oneof, that of its first member.
  static func slot(
    of field: UnsafePointer<ProtobufCFieldDescriptor>, in message: ProtobufScanner.Descriptor
  ) -> Int {
    // `field` points into the message's own array of fields.
    let fields = UnsafeBufferPointer(
      start: message.pointee.fields, count: Int(message.pointee.n_fields))
    let index = fields.baseAddress.map { field - $0 } ?? 0
    guard FieldDescriptor(field.pointee).isOneofMember else { return index }
    return fields.firstIndex {
      FieldDescriptor($0).isOneofMember
        && $0.quantifier_offset == field.pointee.quantifier_offset
    } ?? index
  }
}
