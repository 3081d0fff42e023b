/// The fields of a message that this version's schema does not know, kept unchanged for the next
/// writer.
package struct UnknownFields: Hashable, Sendable {
  /// One field.
  package struct Field: Hashable, Sendable {
    /// The field's number.
    package let number: UInt32
    /// The wire type: 0, 1, 2 or 5.
    package let wireType: UInt8
    /// The field's bytes after its tag; for wire type 2, they begin with the length.
    package let payload: [UInt8]

    /// Creates a field.
    package init(number: UInt32, wireType: UInt8, payload: [UInt8]) {
      self.number = number
      self.wireType = wireType
      self.payload = payload
    }
  }

  /// The fields in the order of the file.
  package var fields: [Field]

  /// Creates a list of fields, by default an empty one.
  package init(_ fields: [Field] = []) {
    self.fields = fields
  }
}
