import Bytes

/// Reads a type of NumPy's array protocol, for example `<f4`.
enum NPYElementType {
  /// Returns the type and its byte order.
  ///
  /// - Throws: ``WeighbridgeError/Code/unsupported``, with the name, for types that are not
  ///   supported.
  static func parse(
    _ text: String
  ) throws(WeighbridgeError) -> (elementType: ElementType, isBigEndian: Bool) {
    let order = text.first
    let name = String(text.dropFirst())
    guard let order, "<>|".contains(order) else {
      throw .unsupported("has the type \(text), whose byte order is not one of <, > and |")
    }
    guard let type = types[name], name != "V2" || order != "|" else {
      throw .unsupported(
        "holds \(describe(name)) (type \(text)); only numbers and "
          + "booleans can be read")
    }
    guard order != "|" || type.byteCount == 1 else {
      throw .malformed("has the type \(text), which lacks its byte order")
    }
    return (type, order == ">" && type.byteCount > 1)
  }

  private static let types: [String: ElementType] = [
    "f2": .float16, "f4": .float32, "f8": .float64,
    "i1": .int8, "i2": .int16, "i4": .int32, "i8": .int64,
    "u1": .uint8, "u2": .uint16, "u4": .uint32, "u8": .uint64,
    "b1": .bool,
    "V2": .bfloat16,  // as NumPy writes bfloat16 of ml_dtypes, without a type
  ]

  private static func describe(_ name: String) -> String {
    switch name.first {
    case "O": "pickled Python objects, which are never executed"
    case "V" where name == "V2": "raw elements of two bytes, which are bfloat16 as <V2 only"
    case "V": "raw elements without a type"
    case "c": "complex numbers"
    case "f": "floating-point numbers of a width other than 2, 4 or 8 bytes"
    case "U", "S", "a": "strings"
    case "M", "m": "dates or durations"
    default: "elements of an unknown type"
    }
  }
}
