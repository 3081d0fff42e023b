import CProtobufC

/// The set of singular fields of one message that were seen.
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

  /// The position of a field in its message; for a oneof, that of its first member.
  static func group(
    of field: UnsafePointer<ProtobufCFieldDescriptor>, in message: ProtobufScanner.Descriptor
  ) -> Int {
    // `field` points into the message's own array of fields.
    let fields = UnsafeBufferPointer(
      start: message.pointee.fields, count: Int(message.pointee.n_fields))
    let index = fields.baseAddress.map { field - $0 } ?? 0
    guard ProtobufFieldRule(field: field.pointee).isMember else { return index }
    return fields.firstIndex {
      ProtobufFieldRule(field: $0).isMember
        && $0.quantifier_offset == field.pointee.quantifier_offset
    } ?? index
  }
}
