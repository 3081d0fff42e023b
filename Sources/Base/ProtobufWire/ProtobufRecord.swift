/// A message of any type, as a dictionary of its fields by their names in the schema.
///
/// It serves schemas with many messages that are handled alike, and lists that are too large to be
/// copied: these are only located, by ``ProtobufValue/byteRange(_:)``.
package struct ProtobufRecord: Hashable, Sendable {
  /// The fields that are present.
  package var fields: [String: ProtobufValue]

  /// Creates a record.
  package init(_ fields: [String: ProtobufValue] = [:]) { self.fields = fields }

  /// The value of a field, if it is present.
  package subscript(_ name: String) -> ProtobufValue? {
    get { fields[name] }
    set { fields[name] = newValue }
  }
}

extension ProtobufRecord: ExpressibleByDictionaryLiteral {
  /// Creates a record; the names must be unique.
  package init(dictionaryLiteral elements: (String, ProtobufValue)...) {
    fields = Dictionary(uniqueKeysWithValues: elements)
  }
}

/// The value of a field.
package enum ProtobufValue: Hashable, Sendable {
  case integer(Int)
  case double(Double)
  case boolean(Bool)
  case string(String)
  /// Bytes to be written; those that are read are a ``byteRange(_:)``.
  case bytes([UInt8])
  /// An enumerator, by its name.
  case choice(String)
  case record(ProtobufRecord)
  /// Bytes, or a packed list of numbers, that are not copied.
  case byteRange(ProtobufByteRange)
  case integers([Int])
  case doubles([Double])
  case booleans([Bool])
  case strings([String])
  case records([ProtobufRecord])
}

/// The location of bytes outside of a record.
package struct ProtobufByteRange: Hashable, Sendable {
  /// The offset of the first byte in the bytes read; in a record to be written, any number that its
  /// writer assigns.
  package var offset: Int
  /// The number of bytes.
  package var byteCount: Int

  /// Creates a byte range from an offset and a size.
  package init(offset: Int, byteCount: Int) {
    self.offset = offset
    self.byteCount = byteCount
  }

  /// The range in the bytes read.
  package var range: Range<Int> { offset..<offset + byteCount }
}

// The value of a field; protobuf's default where it is absent.
extension ProtobufRecord {
  package func integer(_ name: String) -> Int {
    if case .integer(let number)? = fields[name] { number } else { 0 }
  }

  package func double(_ name: String) -> Double {
    if case .double(let number)? = fields[name] { number } else { 0 }
  }

  package func boolean(_ name: String) -> Bool {
    if case .boolean(let flag)? = fields[name] { flag } else { false }
  }

  package func string(_ name: String) -> String {
    if case .string(let string)? = fields[name] { string } else { "" }
  }

  /// A string, or `nil` where it is empty or absent.
  package func nonEmptyString(_ name: String) -> String? {
    let string = string(name)
    return string.isEmpty ? nil : string
  }

  /// An enumerator's name; `nil` where the field is absent, which means the enumerator numbered 0.
  package func choice(_ name: String) -> String? {
    if case .choice(let name)? = fields[name] { name } else { nil }
  }

  package func record(_ name: String) -> ProtobufRecord? {
    if case .record(let record)? = fields[name] { record } else { nil }
  }

  package func byteRange(_ name: String) -> ProtobufByteRange? {
    if case .byteRange(let range)? = fields[name] { range } else { nil }
  }

  package func integers(_ name: String) -> [Int] {
    if case .integers(let numbers)? = fields[name] { numbers } else { [] }
  }

  package func doubles(_ name: String) -> [Double] {
    if case .doubles(let numbers)? = fields[name] { numbers } else { [] }
  }

  package func booleans(_ name: String) -> [Bool] {
    if case .booleans(let flags)? = fields[name] { flags } else { [] }
  }

  package func strings(_ name: String) -> [String] {
    if case .strings(let strings)? = fields[name] { strings } else { [] }
  }

  package func records(_ name: String) -> [ProtobufRecord] {
    if case .records(let records)? = fields[name] { records } else { [] }
  }
}
