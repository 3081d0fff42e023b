package import Bytes
import DetectorRecord
import ProtobufWire

extension SchemaEnumeration {
  /// The enumerator's number in the schema.
  var schemaNumber: UInt32 {
    guard let index = Self.allCases.firstIndex(of: self) else {
      preconditionFailure("allCases has all cases")
    }
    return Self.firstNumber + UInt32(index)
  }

  /// Creates the value with a number in the schema.
  ///
  /// - Parameter title: What the value is, for error messages, for example `color order`.
  /// - Throws: ``WeighbridgeError/Code/malformed`` when 0 means none, ``WeighbridgeError/Code/unsupported`` for
  ///   a number unknown to this version.
  init(schemaNumber number: UInt32, _ title: String) throws(WeighbridgeError) {
    guard number >= Self.firstNumber else { throw .malformed("the \(title) is missing") }
    let index = Int(number - Self.firstNumber)
    guard index < Self.allCases.count else {
      throw .unsupported("the \(title) \(number) is not one this version knows")
    }
    self = Self.allCases[index]
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
