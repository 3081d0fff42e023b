package import Bytes
package import DetectorRecord
package import ProtobufWire

/// A ``CodedRecord`` as a message of the file.
package struct WBMCodedRecord<Fields: CodedRecord>: MessageRecord, Hashable, Sendable {
  /// The fields that this version knows.
  package var fields = Fields()
  /// The fields of a later version, by the path of the message that contains them: `""`,
  /// `/heads/0`. A message without such fields is not listed.
  package var unknownFields: [String: UnknownFields] = [:]

  package init() {}

  /// Creates a message.
  package init(_ fields: Fields, unknownFields: [String: UnknownFields] = [:]) {
    self.fields = fields
    self.unknownFields = unknownFields
  }

  package mutating func code(_ message: MessageFields) throws(WeighbridgeError) {
    var coder = MessageCoder(message, unknownFields)
    try fields.code(&coder)
    unknownFields = coder.unknownFields
    var own = unknownFields[""] ?? UnknownFields()
    message.unknown(&own)
    unknownFields[""] = own.fields.isEmpty ? nil : own
  }
}

/// Reads or writes the fields of a message.
private struct MessageCoder: FieldCoder {
  private let message: MessageFields
  private(set) var unknownFields: [String: UnknownFields]

  init(_ message: MessageFields, _ unknownFields: [String: UnknownFields]) {
    self.message = message
    self.unknownFields = unknownFields
  }

  func string(_ number: Int, _ name: String, _ value: inout String) throws(WeighbridgeError) {
    try message.string(number, &value)
  }

  func flag(_ number: Int, _ name: String, _ value: inout Bool?) throws(WeighbridgeError) {
    var flag = value ?? false
    message.boolean(number, &flag)
    if message.isReading { value = flag }
  }

  /// A count, which is 0 when it is absent.
  func count(_ number: Int, _ name: String, _ value: inout Int?) throws(WeighbridgeError) {
    var count = value ?? 0
    try message.count(number, &count, "the number \(name)")
    if message.isReading { value = count == 0 ? nil : count }
  }

  func number(_ number: Int, _ name: String, _ value: inout Double?) throws(WeighbridgeError) {
    try message.number(number, &value)
  }

  func number(
    _ number: Int, _ name: String, _ value: inout Double, default: Double
  ) throws(WeighbridgeError) {
    message.number(number, &value)
  }

  func indices(_ number: Int, _ name: String, _ values: inout [Int]) throws(WeighbridgeError) {
    try message.counts(number, &values, "an index in \(name)")
  }

  /// Indices, each plus 1; an absent one is 0.
  func optionalIndices(
    _ number: Int, _ name: String, _ values: inout [Int?]
  ) throws(WeighbridgeError) {
    var numbers = values.map { $0.map { $0 + 1 } ?? 0 }
    try message.counts(number, &numbers, "an index in \(name)")
    if message.isReading { values = numbers.map { $0 == 0 ? nil : $0 - 1 } }
  }

  /// Pairs, each a message.
  mutating func pairs(
    _ number: Int, _ name: String, _ values: inout [Double]
  ) throws(WeighbridgeError) {
    var pairs: [NumberPair]? = stride(from: 0, to: values.count - 1, by: 2).map {
      NumberPair(first: values[$0], second: values[$0 + 1])
    }
    try records(number, name, &pairs)
    if message.isReading { values = (pairs ?? []).flatMap { [$0.first, $0.second] } }
  }

  /// Zero means that the case is absent.
  func choice<Choice: SchemaEnumeration & RawRepresentable<String>>(
    _ number: Int, _ name: String, _ value: inout Choice, _ title: String, default: Choice?
  ) throws(WeighbridgeError) {
    try message.choice(number, &value, title)
  }

  func choice<Choice: SchemaEnumeration & RawRepresentable<String>>(
    _ number: Int, _ name: String, _ value: inout Choice?, _ title: String
  ) throws(WeighbridgeError) {
    try message.choice(number, &value, title)
  }

  /// The cases by rising number, each once.
  func choices<Choice: SchemaEnumeration & RawRepresentable<String>>(
    _ number: Int, _ name: String, _ values: inout Set<Choice>?, _ title: String
  ) throws(WeighbridgeError) {
    var list = Choice.allCases.filter { values?.contains($0) == true }
    try message.choices(number, &list, title)
    guard message.isReading else { return }
    guard zip(list, list.dropFirst()).allSatisfy({ $0.schemaNumber < $1.schemaNumber }) else {
      throw .malformed("a \(title) is named twice or out of order")
    }
    values = Set(list)
  }

  func implied<Choice: SchemaEnumeration>(
    _ number: Int, _ value: Choice, _ title: String, orThrow problem: String
  ) throws(WeighbridgeError) {
    var stored = value
    try message.choice(number, &stored, title)
    guard stored == value else { throw .malformed(problem) }
  }

  mutating func record<Record: CodedRecord>(
    _ number: Int, _ name: String, _ value: inout Record?
  ) throws(WeighbridgeError) {
    var record = value.map { WBMCodedRecord($0, unknownFields: unknownFields(at: "/\(name)")) }
    try message.record(number, &record)
    guard message.isReading else { return }
    value = record?.fields
    if let record { keep(record.unknownFields, at: "/\(name)") }
  }

  mutating func records<Record: CodedRecord>(
    _ number: Int, _ name: String, _ values: inout [Record]?
  ) throws(WeighbridgeError) {
    var records = (values ?? []).enumerated().map { index, value in
      WBMCodedRecord(value, unknownFields: unknownFields(at: "/\(name)/\(index)"))
    }
    try message.records(number, &records)
    guard message.isReading else { return }
    values = records.map(\.fields)
    for (index, record) in records.enumerated() {
      keep(record.unknownFields, at: "/\(name)/\(index)")
    }
  }

  /// The unknown fields of the messages at and below a path.
  private func unknownFields(at path: String) -> [String: UnknownFields] {
    var inner: [String: UnknownFields] = [:]
    for (key, fields) in unknownFields where key == path || key.hasPrefix("\(path)/") {
      inner[String(key.dropFirst(path.count))] = fields
    }
    return inner
  }

  private mutating func keep(_ inner: [String: UnknownFields], at path: String) {
    for (key, fields) in inner { unknownFields[path + key] = fields }
  }
}

/// Two numbers in a message of their own.
private struct NumberPair: CodedRecord {
  var first = 0.0
  var second = 0.0

  mutating func code<Coder: FieldCoder>(_ coder: inout Coder) throws(WeighbridgeError) {
    try coder.number(1, "first", &first, default: 0)
    try coder.number(2, "second", &second, default: 0)
  }
}
