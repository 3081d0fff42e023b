import Bytes
import DetectorRecord

/// Reads the fields of a record from an object of a metadata file.
struct MetadataFieldReader: FieldCoder {
  private var members: MetadataMembers

  /// Reads a record.
  ///
  /// - Throws: ``WeighbridgeError/Code/mismatch`` for a member that is missing, unknown or has the
  ///   wrong type.
  static func record<Record: CodedRecord>(
    _ members: MetadataMembers, as type: Record.Type = Record.self
  ) throws(WeighbridgeError) -> Record {
    var (reader, record) = (MetadataFieldReader(members: members), Record())
    try record.code(&reader)
    try reader.members.finish()
    return record
  }

  mutating func string(
    _ number: Int, _ name: String, _ value: inout String
  ) throws(WeighbridgeError) {
    value = try required(try members.string(name), name)
  }

  mutating func flag(
    _ number: Int, _ name: String, _ value: inout Bool?
  ) throws(WeighbridgeError) {
    value = try members.flag(name)
  }

  mutating func count(
    _ number: Int, _ name: String, _ value: inout Int?
  ) throws(WeighbridgeError) {
    value = try members.integer(name)
  }

  mutating func number(
    _ number: Int, _ name: String, _ value: inout Double?
  ) throws(WeighbridgeError) {
    value = try members.number(name)
  }

  mutating func number(
    _ number: Int, _ name: String, _ value: inout Double, default: Double
  ) throws(WeighbridgeError) {
    value = try members.number(name) ?? `default`
  }

  mutating func indices(
    _ number: Int, _ name: String, _ values: inout [Int]
  ) throws(WeighbridgeError) {
    values = try required(try members.integers(name), name)
  }

  mutating func optionalIndices(
    _ number: Int, _ name: String, _ values: inout [Int?]
  ) throws(WeighbridgeError) {
    values = try required(try members.optionalIntegers(name), name)
  }

  mutating func pairs(
    _ number: Int, _ name: String, _ values: inout [Double]
  ) throws(WeighbridgeError) {
    values = try members.numbers(name) ?? []
  }

  mutating func choice<Choice: SchemaEnumeration & RawRepresentable<String>>(
    _ number: Int, _ name: String, _ value: inout Choice, _ title: String, default: Choice?
  ) throws(WeighbridgeError) {
    value = try required(try members.choice(name) ?? `default`, name)
  }

  mutating func choice<Choice: SchemaEnumeration & RawRepresentable<String>>(
    _ number: Int, _ name: String, _ value: inout Choice?, _ title: String
  ) throws(WeighbridgeError) {
    value = try members.choice(name)
  }

  mutating func choices<Choice: SchemaEnumeration & RawRepresentable<String>>(
    _ number: Int, _ name: String, _ values: inout Set<Choice>?, _ title: String
  ) throws(WeighbridgeError) {
    values = try members.choices(name).map { Set($0) }
  }

  func implied<Choice: SchemaEnumeration>(
    _ number: Int, _ value: Choice, _ title: String, orThrow problem: String
  ) {}

  mutating func record<Record: CodedRecord>(
    _ number: Int, _ name: String, _ value: inout Record?
  ) throws(WeighbridgeError) {
    value = try members.object(name).map { (object) throws(WeighbridgeError) in
      try Self.record(object)
    }
  }

  mutating func records<Record: CodedRecord>(
    _ number: Int, _ name: String, _ values: inout [Record]?
  ) throws(WeighbridgeError) {
    guard members.has(name) else { return values = nil }
    values = try members.list(name).map { (object) throws(WeighbridgeError) in
      try Self.record(object)
    }
  }

  private func required<Value>(_ value: Value?, _ name: String) throws(WeighbridgeError) -> Value {
    guard let value else { throw members.error(at: name, "is missing") }
    return value
  }
}
