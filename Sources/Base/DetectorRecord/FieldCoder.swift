package import Bytes

/// Reads or writes the fields of a record.
///
/// A record declares each of its fields once, in ``CodedRecord/code(_:)``: its number in
/// `Schemas/wbm.proto`, its name in `Schemas/metadata.schema.json`, and the property that contains
/// it. A coder that reads sets the property; one that writes leaves it unchanged. A property that is
/// `nil` is not written. Each coder decides what an absent field means where it reads.
package protocol FieldCoder {
  /// A required string.
  mutating func string(
    _ number: Int, _ name: String, _ value: inout String) throws(WeighbridgeError)

  /// A boolean.
  mutating func flag(_ number: Int, _ name: String, _ value: inout Bool?) throws(WeighbridgeError)

  /// A count or size.
  mutating func count(_ number: Int, _ name: String, _ value: inout Int?) throws(WeighbridgeError)

  /// A number.
  mutating func number(
    _ number: Int, _ name: String, _ value: inout Double?) throws(WeighbridgeError)

  /// A number with a default.
  mutating func number(
    _ number: Int, _ name: String, _ value: inout Double, default: Double) throws(WeighbridgeError)

  /// Required indices.
  mutating func indices(
    _ number: Int, _ name: String, _ values: inout [Int]) throws(WeighbridgeError)

  /// Required indices, some of which may be absent.
  mutating func optionalIndices(
    _ number: Int, _ name: String, _ values: inout [Int?]) throws(WeighbridgeError)

  /// Pairs of numbers, one after the other.
  mutating func pairs(
    _ number: Int, _ name: String, _ values: inout [Double]) throws(WeighbridgeError)

  /// A required case.
  ///
  /// - Parameter title: What the case is, for errors.
  mutating func choice<Choice: SchemaEnumeration & RawRepresentable<String>>(
    _ number: Int, _ name: String, _ value: inout Choice, _ title: String, default: Choice?
  ) throws(WeighbridgeError)

  /// A case.
  mutating func choice<Choice: SchemaEnumeration & RawRepresentable<String>>(
    _ number: Int, _ name: String, _ value: inout Choice?, _ title: String
  ) throws(WeighbridgeError)

  /// A set of cases.
  mutating func choices<Choice: SchemaEnumeration & RawRepresentable<String>>(
    _ number: Int, _ name: String, _ values: inout Set<Choice>?, _ title: String
  ) throws(WeighbridgeError)

  /// A case that follows from other fields. JSON has no such member.
  ///
  /// - Parameter problem: The error when the file has another case.
  mutating func implied<Choice: SchemaEnumeration>(
    _ number: Int, _ value: Choice, _ title: String, orThrow problem: String
  ) throws(WeighbridgeError)

  /// A record.
  mutating func record<Record: CodedRecord>(
    _ number: Int, _ name: String, _ value: inout Record?) throws(WeighbridgeError)

  /// A list of records.
  mutating func records<Record: CodedRecord>(
    _ number: Int, _ name: String, _ values: inout [Record]?) throws(WeighbridgeError)
}

/// A record whose fields are read and written by any ``FieldCoder``.
package protocol CodedRecord: Hashable, Sendable {
  /// Creates an empty record.
  init()

  /// Reads or writes every field.
  mutating func code<Coder: FieldCoder>(_ coder: inout Coder) throws(WeighbridgeError)
}

/// An enumeration of a schema. Its cases are in the order of their numbers in `Schemas/wbm.proto`;
/// raw values are their names in JSON.
package protocol SchemaEnumeration: CaseIterable, Hashable, Sendable where AllCases == [Self] {
  /// The number of the first case: 1, unless 0 has a meaning other than none.
  static var firstNumber: UInt32 { get }
}

extension SchemaEnumeration {
  package static var firstNumber: UInt32 { 1 }
}
