import Bytes

/// Parses the dictionary of a `.npy` header, a Python literal that is only accepted in this form,
/// apart from whitespace: `{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }`.
struct NPYDictionary {
  private let text: [UInt8]
  private let axisLimit: Int
  private var offset = 0

  /// Returns the header that a text describes.
  static func header(_ text: [UInt8], axisLimit: Int) throws(WeighbridgeError) -> NPYHeader {
    var parser = NPYDictionary(text: text, axisLimit: axisLimit)
    return try parser.header()
  }

  private init(text: [UInt8], axisLimit: Int) {
    self.text = text
    self.axisLimit = axisLimit
  }

  private mutating func header() throws(WeighbridgeError) -> NPYHeader {
    var type: (elementType: ElementType, isBigEndian: Bool)?
    var isFortranOrder: Bool?
    var shape: [Int]?
    try expect("{")
    while !accept("}") {
      let key = try string()
      try expect(":")
      switch key {
      case "descr" where type == nil: type = try NPYElementType.parse(description())
      case "fortran_order" where isFortranOrder == nil: isFortranOrder = try boolean()
      case "shape" where shape == nil: shape = try tuple()
      default:
        throw malformed("has the key \(key), expected descr, fortran_order and shape once each")
      }
      if !accept(",") {
        try expect("}")
        break
      }
    }
    skipWhitespace()
    guard offset == text.count else { throw malformed("has data after its dictionary") }
    guard let type, let isFortranOrder, let shape else {
      throw malformed("lacks one of the keys descr, fortran_order and shape")
    }
    var header = NPYHeader(elementType: type.elementType, shape: shape)
    header.isBigEndian = type.isBigEndian
    header.isFortranOrder = isFortranOrder
    return header
  }

  /// Reads the value of `descr`, which must be a string.
  private mutating func description() throws(WeighbridgeError) -> String {
    if accept("[") || accept("(") {
      throw .unsupported("is an array of structures; arrays of numbers are read")
    }
    return try string()
  }

  private mutating func string() throws(WeighbridgeError) -> String {
    skipWhitespace()
    guard let quote = peek, quote == UInt8(ascii: "'") || quote == UInt8(ascii: "\"") else {
      throw malformed("lacks a quoted string at \(offset)")
    }
    offset += 1
    let start = offset
    while let byte = peek, byte != quote, byte != UInt8(ascii: "\\"), byte >= 0x20 { offset += 1 }
    guard peek == quote, let result = String(validating: text[start..<offset], as: UTF8.self) else {
      throw malformed("has a string at \(start) that is unterminated or has an escape")
    }
    offset += 1
    return result
  }

  private mutating func boolean() throws(WeighbridgeError) -> Bool {
    if accept("True") { return true }
    if accept("False") { return false }
    throw malformed("has a fortran_order that is neither True nor False")
  }

  private mutating func tuple() throws(WeighbridgeError) -> [Int] {
    var dimensions: [Int] = []
    var endsWithComma = true
    try expect("(")
    while !accept(")") {
      guard endsWithComma else { throw malformed("lacks a comma in its shape at \(offset)") }
      guard dimensions.count < axisLimit else {
        throw .limitExceeded("has more axes than the limit of \(axisLimit)")
      }
      dimensions.append(try integer())
      endsWithComma = accept(",")
    }
    guard dimensions.count != 1 || endsWithComma else {
      throw malformed("has a number for a shape, expected a tuple")
    }
    return dimensions
  }

  private mutating func integer() throws(WeighbridgeError) -> Int {
    skipWhitespace()
    let start = offset
    while let byte = peek, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { offset += 1 }
    guard let value = Int(String(decoding: text[start..<offset], as: UTF8.self)) else {
      throw malformed("has a size at \(start) that is not an integer or is too large")
    }
    if peek == UInt8(ascii: "L") { offset += 1 }  // written by Python 2
    return value
  }

  private var peek: UInt8? { offset < text.count ? text[offset] : nil }

  private mutating func skipWhitespace() {
    while let byte = peek, byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\n") { offset += 1 }
  }

  private mutating func accept(_ token: StaticString) -> Bool {
    skipWhitespace()
    let token = Array(token.description.utf8)
    guard text[offset...].starts(with: token) else { return false }
    offset += token.count
    return true
  }

  private mutating func expect(_ token: StaticString) throws(WeighbridgeError) {
    guard accept(token) else { throw malformed("lacks \(token) at \(offset)") }
  }

  private func malformed(_ reason: String) -> WeighbridgeError {
    WeighbridgeError(.malformed, "the header of the array \(reason)")
  }
}
