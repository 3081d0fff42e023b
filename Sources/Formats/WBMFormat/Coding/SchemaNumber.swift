import Bytes

/// Turns counts and positions of the records into the schema's unsigned integers.
enum SchemaNumber {
  /// One number.
  ///
  /// - Throws: ``WeighbridgeError/Code/unsupported`` when it is negative or too large.
  static func of<Number: FixedWidthInteger & UnsignedInteger>(
    _ value: Int, _ what: @autoclosure () -> String
  ) throws(WeighbridgeError) -> Number {
    guard let number = Number(exactly: value) else {
      throw WeighbridgeError(.unsupported, "\(what()) is \(value), which the file cannot hold")
    }
    return number
  }

  /// A list of numbers.
  ///
  /// - Throws: ``WeighbridgeError/Code/unsupported`` when one is negative or too large.
  static func list<Number: FixedWidthInteger & UnsignedInteger>(
    _ values: [Int], _ type: Number.Type, _ what: @autoclosure () -> String
  ) throws(WeighbridgeError) -> [Number] {
    var numbers: [Number] = []
    for value in values { numbers.append(try of(value, what())) }
    return numbers
  }
}
