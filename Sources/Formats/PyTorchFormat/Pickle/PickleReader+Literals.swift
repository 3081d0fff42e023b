import Bytes

/// Numbers and texts.
extension PickleReader {
  /// Reads the value of an instruction that makes one alone; `nil` for others.
  mutating func literal(
    _ opcode: PickleOpcode, _ bytes: RawSpan
  ) throws(WeighbridgeError) -> PickleValue? {
    switch opcode {
    case .none: return PickleValue.none
    case .newTrue: return .bool(true)
    case .newFalse: return .bool(false)
    case .emptyTuple: return .tuple(0)
    case .binaryInteger: return .integer(Int(Int32(bitPattern: try cursor.integer(from: bytes))))
    case .binaryInteger1: return .integer(Int(try cursor.integer(UInt8.self, from: bytes)))
    case .binaryInteger2: return .integer(Int(try cursor.integer(UInt16.self, from: bytes)))
    case .integer:
      let text = try line(bytes)
      if text == "00" || text == "01" { return .bool(text == "01") }
      return .integer(try decimal(text))
    case .long:
      let text = try line(bytes)
      return .integer(try decimal(text.hasSuffix("L") ? String(text.dropLast()) : text))
    case .long1, .long4:
      let count = try count(opcode == .long1 ? 1 : 4, bytes)
      return Self.integer(try cursor.bytes(count, from: bytes))
    case .float:
      let text = try line(bytes)
      guard let number = Double(text) else { throw .malformed("has \(text), expected a number") }
      return .float(number)
    case .binaryFloat:
      let bits = try cursor.integer(UInt64.self, from: bytes)
      return .float(Double(bitPattern: bits.byteSwapped))
    default: return try text(opcode, bytes)
    }
  }

  private mutating func text(
    _ opcode: PickleOpcode, _ bytes: RawSpan
  ) throws(WeighbridgeError) -> PickleValue? {
    switch opcode {
    case .string, .unicode:
      let text = try line(bytes)
      return .string(opcode == .string ? String(text.dropFirst().dropLast()) : text)
    case .binaryString, .binaryUnicode: return try string(4, bytes)
    case .shortBinaryString, .shortBinaryUnicode: return try string(1, bytes)
    case .binaryUnicode8: return try string(8, bytes)
    case .shortBinaryBytes: return .bytes(try cursor.bytes(try count(1, bytes), from: bytes))
    case .binaryBytes: return .bytes(try cursor.bytes(try count(4, bytes), from: bytes))
    case .binaryBytes8: return .bytes(try cursor.bytes(try count(8, bytes), from: bytes))
    default: return nil
    }
  }

  private mutating func string(
    _ width: Int, _ bytes: RawSpan
  ) throws(WeighbridgeError) -> PickleValue {
    let content = try cursor.bytes(try count(width, bytes), from: bytes)
    guard let text = String(validating: content, as: UTF8.self) else {
      throw .malformed("has a text that is not UTF-8")
    }
    return .string(text)
  }

  /// A number of bytes, itself in `width` bytes.
  private mutating func count(_ width: Int, _ bytes: RawSpan) throws(WeighbridgeError) -> Int {
    let count: UInt64 =
      switch width {
      case 1: UInt64(try cursor.integer(UInt8.self, from: bytes))
      case 4: UInt64(try cursor.integer(UInt32.self, from: bytes))
      default: try cursor.integer(UInt64.self, from: bytes)
      }
    guard let result = Int(exactly: count), result <= cursor.remaining else {
      throw .malformed("has a value of \(count) bytes, and \(cursor.remaining) are left")
    }
    return result
  }

  /// The text up to the end of the line.
  mutating func line(_ bytes: RawSpan) throws(WeighbridgeError) -> String {
    var content: [UInt8] = []
    while true {
      let byte = try cursor.integer(UInt8.self, from: bytes)
      if byte == UInt8(ascii: "\n") { break }
      content.append(byte)
    }
    guard let text = String(validating: content, as: UTF8.self) else {
      throw .malformed("has a line that is not UTF-8")
    }
    return text
  }

  func decimal(_ text: String) throws(WeighbridgeError) -> Int {
    guard let integer = Int(text) else {
      throw .malformed("has \(text.prefix(40)), expected an integer of 64 bits")
    }
    return integer
  }

  /// An integer in two's complement, least significant byte first.
  private static func integer(_ bytes: [UInt8]) -> PickleValue {
    guard bytes.count <= 8 else { return .longInteger(bytes) }
    let isNegative = (bytes.last ?? 0) & 0x80 != 0
    var bits: UInt64 = isNegative ? .max : 0
    for byte in bytes.reversed() { bits = bits << 8 | UInt64(byte) }
    return .integer(Int(Int64(bitPattern: bits)))
  }
}
