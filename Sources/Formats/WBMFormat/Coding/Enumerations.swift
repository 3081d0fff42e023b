package import Bytes
import ProtobufWire

/// An enumeration of the schema. Its cases are in the schema's order, in which the first has number
/// 1; number 0 means none.
package protocol SchemaEnumeration: CaseIterable, Equatable where AllCases == [Self] {}

extension SchemaEnumeration {
  /// The enumerator's number in the schema; never 0.
  var schemaNumber: UInt32 {
    guard let index = Self.allCases.firstIndex(of: self) else {
      preconditionFailure("allCases has all cases")
    }
    return UInt32(index + 1)
  }

  /// Creates the value with a number in the schema.
  ///
  /// - Parameter title: What the value is, for error messages, for example `color order`.
  /// - Throws: ``WeighbridgeError/Code/malformed`` for 0, ``WeighbridgeError/Code/unsupported`` for
  ///   a number unknown to this version.
  init(schemaNumber number: UInt32, _ title: String) throws(WeighbridgeError) {
    guard number != 0 else { throw .malformed("the \(title) is missing") }
    guard number <= Self.allCases.count else {
      throw .unsupported("the \(title) \(number) is not one this version knows")
    }
    self = Self.allCases[Int(number) - 1]
  }
}

extension MessageFields {
  /// A required enumerator.
  ///
  /// - Parameter title: What it is, for error messages.
  /// - Throws: As ``SchemaEnumeration/init(schemaNumber:_:)``.
  func choice<Choice: SchemaEnumeration>(
    _ number: Int, _ value: inout Choice, _ title: String
  ) throws(WeighbridgeError) {
    var enumerator = value.schemaNumber
    self.number(number, &enumerator)
    if isReading { value = try Choice(schemaNumber: enumerator, title) }
  }

  /// An enumerator that may be absent.
  func choice<Choice: SchemaEnumeration>(
    _ number: Int, _ value: inout Choice?, _ title: String
  ) throws(WeighbridgeError) {
    var enumerator = value?.schemaNumber ?? 0
    self.number(number, &enumerator)
    guard isReading else { return }
    value = enumerator == 0 ? nil : try Choice(schemaNumber: enumerator, title)
  }

  /// A list of enumerators.
  func choices<Choice: SchemaEnumeration>(
    _ number: Int, _ values: inout [Choice], _ title: String
  ) throws(WeighbridgeError) {
    var enumerators = values.map(\.schemaNumber)
    try numbers(number, &enumerators)
    guard isReading else { return }
    values = try enumerators.map { (enumerator) throws(WeighbridgeError) in
      try Choice(schemaNumber: enumerator, title)
    }
  }
}

extension ElementType: SchemaEnumeration {}
