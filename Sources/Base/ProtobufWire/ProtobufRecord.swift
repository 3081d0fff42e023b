/// A message of any type as its fields by their names in the schema.
///
/// For schemas of many messages that are handled alike, and for numbers that are too many to be
/// unpacked: these stay where they are, as ``ProtobufValue/place(_:)``.
package struct ProtobufRecord: Hashable, Sendable {
  /// The fields that are there.
  package var fields: [String: ProtobufValue]

  /// Makes a record.
  package init(_ fields: [String: ProtobufValue] = [:]) { self.fields = fields }

  /// The value of a field, if it is there.
  package subscript(_ name: String) -> ProtobufValue? {
    get { fields[name] }
    set { fields[name] = newValue }
  }
}

extension ProtobufRecord: ExpressibleByDictionaryLiteral {
  /// Makes a record of fields of different names.
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
  /// Bytes, or a packed list of numbers, that stay where they are.
  case place(ProtobufPlace)
  case integers([Int])
  case reals([Double])
  case booleans([Bool])
  case texts([String])
  case records([ProtobufRecord])
}

/// A run of bytes that a record does not hold itself.
package struct ProtobufPlace: Hashable, Sendable {
  /// In a record that was read: the offset of the first byte in what was read. In one to be
  /// written: any number by which its writer knows them.
  package var offset: Int
  /// The number of bytes.
  package var byteCount: Int

  /// Makes a place.
  package init(offset: Int, byteCount: Int) {
    self.offset = offset
    self.byteCount = byteCount
  }

  /// The bytes that were read.
  package var range: Range<Int> { offset..<offset + byteCount }
}

// What a field holds; protobuf's own default where it is not there.
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

  /// A text, or `nil` where it is empty or not there.
  package func nonEmptyText(_ name: String) -> String? {
    let text = text(name)
    return text.isEmpty ? nil : text
  }

  /// An enumerator's name; `nil` where the field is not there, which means the one of number 0.
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
