import Bytes
import DetectorRecord
import Foundation
import JSON
import Testing

/// Lists the fields that a record declares.
private struct FieldLister: FieldCoder {
  /// The number and the name of each field; no name for one that JSON lacks.
  private(set) var fields: [(number: Int, name: String?)] = []
  /// The fields of the records inside, by the name of the field.
  private(set) var inner: [String: [(number: Int, name: String?)]] = [:]

  static func fields<Record: CodedRecord>(of _: Record.Type) throws(WeighbridgeError) -> FieldLister
  {
    var (lister, record) = (FieldLister(), Record())
    try record.code(&lister)
    return lister
  }

  mutating func string(_ number: Int, _ name: String, _ value: inout String) { add(number, name) }
  mutating func flag(_ number: Int, _ name: String, _ value: inout Bool?) { add(number, name) }
  mutating func count(_ number: Int, _ name: String, _ value: inout Int?) { add(number, name) }
  mutating func number(_ number: Int, _ name: String, _ value: inout Double?) { add(number, name) }
  mutating func number(
    _ number: Int, _ name: String, _ value: inout Double, default: Double
  ) { add(number, name) }
  mutating func indices(_ number: Int, _ name: String, _ values: inout [Int]) { add(number, name) }
  mutating func optionalIndices(_ number: Int, _ name: String, _ values: inout [Int?]) {
    add(number, name)
  }
  mutating func pairs(_ number: Int, _ name: String, _ values: inout [Double]) { add(number, name) }
  mutating func choice<Choice: SchemaEnumeration & RawRepresentable<String>>(
    _ number: Int, _ name: String, _ value: inout Choice, _ title: String, default: Choice?
  ) { add(number, name) }
  mutating func choice<Choice: SchemaEnumeration & RawRepresentable<String>>(
    _ number: Int, _ name: String, _ value: inout Choice?, _ title: String
  ) { add(number, name) }
  mutating func choices<Choice: SchemaEnumeration & RawRepresentable<String>>(
    _ number: Int, _ name: String, _ values: inout Set<Choice>?, _ title: String
  ) { add(number, name) }
  mutating func implied<Choice: SchemaEnumeration>(
    _ number: Int, _ value: Choice, _ title: String, orThrow problem: String
  ) { add(number, nil) }
  mutating func record<Record: CodedRecord>(
    _ number: Int, _ name: String, _ value: inout Record?
  ) throws(WeighbridgeError) {
    add(number, name)
    inner[name] = try Self.fields(of: Record.self).fields
  }
  mutating func records<Record: CodedRecord>(
    _ number: Int, _ name: String, _ values: inout [Record]?
  ) throws(WeighbridgeError) {
    add(number, name)
    inner[name] = try Self.fields(of: Record.self).fields
  }

  private mutating func add(_ number: Int, _ name: String?) { fields.append((number, name)) }
}

/// A detector's fields are declared once; both schemas have the same ones.
@Suite struct DetectorFieldTests {
  private static func schema(_ name: String) throws -> String {
    let folder = "/" + #filePath.split(separator: "/").dropLast(4).joined(separator: "/")
    return try String(contentsOfFile: "\(folder)/Schemas/\(name)", encoding: .utf8)
  }

  /// The numbers of a message's fields in the schema of `.wbm`.
  private static func numbers(of message: String) throws -> Set<Int> {
    let text = try schema("wbm.proto")
    let start = try #require(text.range(of: "message \(message) {\n")).upperBound
    let end = try #require(text.range(of: "\n}", range: start..<text.endIndex)).lowerBound
    return Set(text[start..<end].matches(of: /\w+ = (\d+);/).compactMap { Int($0.output.1) })
  }

  /// The names of the members of an object in a metadata file.
  private static func names(of definition: String) throws -> Set<String> {
    let json = try JSONValue(parsing: Array(try schema("metadata.schema.json").utf8))
    let definitions = json.object?["$defs"]?.object
    return Set(try #require(definitions?[definition]?.object?["properties"]?.object).keys)
  }

  @Test("Both schemas have the fields of a detector that are declared, and no others")
  func schemas() throws {
    let detector = try FieldLister.fields(of: DetectorDescription.Fields.self)
    let records = [
      ("Detector", "detector", detector.fields),
      ("DetectorHead", "head", try #require(detector.inner["heads"])),
      ("ClassTree", "classTree", try #require(detector.inner["classTree"])),
    ]
    for (message, definition, fields) in records {
      #expect(try Self.numbers(of: message) == Set(fields.map(\.number)), "\(message)")
      #expect(try Self.names(of: definition) == Set(fields.compactMap(\.name)), "\(definition)")
      #expect(fields.count > 2 && Set(fields.map(\.number)).count == fields.count)
    }
  }
}
