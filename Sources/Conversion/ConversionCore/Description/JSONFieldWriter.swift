import Bytes
import DetectorRecord
import JSON

/// Writes the fields of a record as the members of an object.
struct JSONFieldWriter: FieldCoder {
  private var object = JSONObject()

  /// The record as JSON.
  static func json(_ record: some CodedRecord) -> JSONValue {
    // `code` is mutating, but writing changes nothing.
    var (writer, copy) = (JSONFieldWriter(), record)
    do throws(WeighbridgeError) {
      try copy.code(&writer)
    } catch {
      preconditionFailure("no field is refused here: \(error)")
    }
    return .object(writer.object)
  }

  mutating func string(_ number: Int, _ name: String, _ value: inout String) {
    object[name] = .string(value)
  }

  mutating func flag(_ number: Int, _ name: String, _ value: inout Bool?) {
    object[name] = value.map(JSONValue.bool)
  }

  mutating func count(_ number: Int, _ name: String, _ value: inout Int?) {
    object[name] = value.map(JSONValue.integer)
  }

  mutating func number(_ number: Int, _ name: String, _ value: inout Double?) {
    object[name] = value.map(JSONValue.real)
  }

  mutating func number(
    _ number: Int, _ name: String, _ value: inout Double, default: Double
  ) {
    object[name] = .real(value)
  }

  mutating func indices(_ number: Int, _ name: String, _ values: inout [Int]) {
    object[name] = .array(values.map(JSONValue.integer))
  }

  mutating func optionalIndices(_ number: Int, _ name: String, _ values: inout [Int?]) {
    object[name] = .array(values.map { $0.map(JSONValue.integer) ?? .null })
  }

  mutating func pairs(_ number: Int, _ name: String, _ values: inout [Double]) {
    object[name] = .array(values.map(JSONValue.real))
  }

  mutating func choice<Choice: SchemaEnumeration & RawRepresentable<String>>(
    _ number: Int, _ name: String, _ value: inout Choice, _ title: String, default: Choice?
  ) {
    object[name] = .string(value.rawValue)
  }

  mutating func choice<Choice: SchemaEnumeration & RawRepresentable<String>>(
    _ number: Int, _ name: String, _ value: inout Choice?, _ title: String
  ) {
    object[name] = value.map { .string($0.rawValue) }
  }

  mutating func choices<Choice: SchemaEnumeration & RawRepresentable<String>>(
    _ number: Int, _ name: String, _ values: inout Set<Choice>?, _ title: String
  ) {
    object[name] = values.map { values in
      .array(Choice.allCases.filter(values.contains).map { .string($0.rawValue) })
    }
  }

  func implied<Choice: SchemaEnumeration>(
    _ number: Int, _ value: Choice, _ title: String, orThrow problem: String
  ) {}

  mutating func record<Record: CodedRecord>(
    _ number: Int, _ name: String, _ value: inout Record?
  ) {
    object[name] = value.map(Self.json)
  }

  mutating func records<Record: CodedRecord>(
    _ number: Int, _ name: String, _ values: inout [Record]?
  ) {
    object[name] = values.map { .array($0.map(Self.json)) }
  }
}
