/// A value of a field of a table. Integers are little-endian in files.
package enum FlatBufferValue: Hashable, Sendable {
  /// A number of that many bytes.
  case integer(Int, byteCount: Int)
  /// A number in single precision.
  case float(Float)
  /// A text in UTF-8.
  case string(String)
  /// A vector of numbers of that many bytes each.
  case integers([Int], byteCount: Int)
  /// A vector of numbers in single precision.
  case floats([Float])
  /// Another table.
  case table(FlatBufferTable)
  /// A vector of tables.
  case tables([FlatBufferTable])
  /// A vector of that many bytes, which follow the tables and are aligned to 16.
  case data(byteCount: Int)
}

/// A table, whose fields have a number each in the schema.
package struct FlatBufferTable: Hashable, Sendable {
  /// The fields that are present, by number.
  package var fields: [Int: FlatBufferValue]

  /// Creates a table.
  package init(_ fields: [Int: FlatBufferValue] = [:]) { self.fields = fields }
}

extension FlatBufferValue {
  /// A boolean.
  package static func bool(_ value: Bool) -> Self { .integer(value ? 1 : 0, byteCount: 1) }

  /// A signed or unsigned number of 8 bits.
  package static func byte(_ value: Int) -> Self { .integer(value, byteCount: 1) }

  /// A signed or unsigned number of 32 bits.
  package static func int(_ value: Int) -> Self { .integer(value, byteCount: 4) }

  /// A vector of numbers of 32 bits.
  package static func ints(_ values: [Int]) -> Self { .integers(values, byteCount: 4) }

  /// The number of bytes that the value takes within its table.
  var inlineByteCount: Int {
    if case .integer(_, let byteCount) = self { byteCount } else { 4 }
  }
}
