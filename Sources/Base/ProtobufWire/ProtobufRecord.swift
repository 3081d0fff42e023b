/// A message of any type, as a dictionary of its fields by their names in the schema.
///
/// It is used for schemas with many messages that are treated alike, and for lists that are too
/// large to be unpacked: these stay where they are, as ``ProtobufValue/place(_:)``.
package struct ProtobufRecord: Hashable, Sendable {
  /// The fields that are present.
  package var fields: [String: ProtobufValue]

  /// Makes a record.
  package init(_ fields: [String: ProtobufValue] = [:]) { self.fields = fields }

  /// The value of a field, if it is present.
  package subscript(_ name: String) -> ProtobufValue? {
    get { fields[name] }
    set { fields[name] = newValue }
  }
}

extension ProtobufRecord: ExpressibleByDictionaryLiteral {
  /// Makes a record; the names must be unique.
  package init(dictionaryLiteral elements: (String, ProtobufValue)...) {
    fields = Dictionary(uniqueKeysWithValues: elements)
  }
}

/// The value of a field.
package enum ProtobufValue: Hashable, Sendable {
  case integer(Int)
  case real(Double)
  case boolean(Bool)
  case text(String)
  /// An enumerator, by its name.
  case choice(String)
  case record(ProtobufRecord)
  /// Bytes, or a packed list of numbers, left where they are.
  case place(ProtobufPlace)
  case integers([Int])
  case reals([Double])
  case booleans([Bool])
  case texts([String])
  case records([ProtobufRecord])
}

/// A run of bytes outside of a record.
package struct ProtobufPlace: Hashable, Sendable {
  /// The offset of the first byte in the bytes read; in a record to be written, any number that its
  /// writer assigns.
  package var offset: Int
  /// The number of bytes.
  package var byteCount: Int

  /// Makes a place from an offset and a size.
  package init(offset: Int, byteCount: Int) {
    self.offset = offset
    self.byteCount = byteCount
  }

  /// The range of the bytes read.
  package var range: Range<Int> { offset..<offset + byteCount }
}

// The value of a field; protobuf's default where it is absent.
extension ProtobufRecord {
  package func integer(_ name: String) -> Int {
    if case .integer(let number)? = fields[name] { number } else { 0 }
  }

  package func real(_ name: String) -> Double {
    if case .real(let number)? = fields[name] { number } else { 0 }
  }

  package func boolean(_ name: String) -> Bool {
    if case .boolean(let flag)? = fields[name] { flag } else { false }
  }

  package func text(_ name: String) -> String {
    if case .text(let text)? = fields[name] { text } else { "" }
  }

  /// A string, or `nil` where it is empty or absent.
  package func nonEmptyText(_ name: String) -> String? {
    let text = text(name)
    return text.isEmpty ? nil : text
  }

  /// An enumerator's name; `nil` where the field is absent, which means the enumerator numbered 0.
  package func choice(_ name: String) -> String? {
    if case .choice(let name)? = fields[name] { name } else { nil }
  }

  package func record(_ name: String) -> ProtobufRecord? {
    if case .record(let record)? = fields[name] { record } else { nil }
  }

  package func place(_ name: String) -> ProtobufPlace? {
    if case .place(let place)? = fields[name] { place } else { nil }
  }

  package func integers(_ name: String) -> [Int] {
    if case .integers(let numbers)? = fields[name] { numbers } else { [] }
  }

  package func reals(_ name: String) -> [Double] {
    if case .reals(let numbers)? = fields[name] { numbers } else { [] }
  }

  package func booleans(_ name: String) -> [Bool] {
    if case .booleans(let flags)? = fields[name] { flags } else { [] }
  }

  package func texts(_ name: String) -> [String] {
    if case .texts(let texts)? = fields[name] { texts } else { [] }
  }

  package func records(_ name: String) -> [ProtobufRecord] {
    if case .records(let records)? = fields[name] { records } else { [] }
  }
}
