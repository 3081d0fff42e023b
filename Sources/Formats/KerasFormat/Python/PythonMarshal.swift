import Bytes

/// Reads a compiled function as written by Python's `marshal` (versions 0 to 4 of that format).
/// Nothing in it is run.
///
/// Depth and size are bounded, even where a value is referred to repeatedly.
struct PythonMarshal {
  /// A depth that no function exceeds.
  private static let depthLimit = 32
  /// A number of values that no function exceeds. Each is counted again wherever it is referred to.
  private static let valueLimit = 1 << 16

  private let bytes: [UInt8]
  private let layout: PythonCode.Layout
  private var position = 0
  /// The values that later ones refer to, with their sizes; `nil` while one is being read.
  private var references: [(value: PythonValue, size: Int)?] = []
  /// The strings that later ones refer to in Python 2.
  private var interned: [PythonValue] = []
  private var valueCount = 0

  private init(_ bytes: [UInt8], _ layout: PythonCode.Layout) {
    self.bytes = bytes
    self.layout = layout
  }

  /// Reads a function from its bytes.
  ///
  /// - Throws: ``WeighbridgeError/Code/malformed`` when they are not a function, or are followed by
  ///   more bytes; ``WeighbridgeError/Code/limitExceeded`` for more than any function contains.
  static func code(_ bytes: [UInt8]) throws(WeighbridgeError) -> PythonCode {
    var failure = WeighbridgeError(.malformed, "is not a compiled Python function")
    // The layouts differ in the number of integers at the start, so the same bytes are valid in
    // only one.
    for layout in PythonCode.Layout.allCases {
      var reader = PythonMarshal(bytes, layout)
      do throws(WeighbridgeError) {
        if case .code(let code) = try reader.value(depth: 0), reader.position == bytes.count {
          return code
        }
      } catch {
        if error.code == .limitExceeded { failure = error }
      }
    }
    throw failure
  }

  private static let malformed = WeighbridgeError(.malformed, "is not valid marshal data of Python")

  private mutating func byte() throws(WeighbridgeError) -> UInt8 {
    guard position < bytes.count else { throw Self.malformed }
    defer { position += 1 }
    return bytes[position]
  }

  private mutating func take(_ count: Int) throws(WeighbridgeError) -> ArraySlice<UInt8> {
    guard count >= 0, count <= bytes.count - position else { throw Self.malformed }
    defer { position += count }
    return bytes[position..<position + count]
  }

  private mutating func int32() throws(WeighbridgeError) -> Int {
    let bits = try take(4).reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    return Int(Int32(bitPattern: bits))
  }

  private mutating func bits64() throws(WeighbridgeError) -> UInt64 {
    try take(8).reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
  }

  private mutating func value(depth: Int) throws(WeighbridgeError) -> PythonValue {
    guard depth < Self.depthLimit, valueCount < Self.valueLimit else {
      throw .limitExceeded("has compiled code that is too large or too deeply nested")
    }
    let start = valueCount
    valueCount += 1
    let typeByte = try byte()
    let typeCode = typeByte & 0x7F
    guard typeByte & 0x80 != 0, layout != .python2 else { return try value(of: typeCode, depth) }
    let index = references.count
    references.append(nil)
    let value = try value(of: typeCode, depth)
    references[index] = (value, valueCount - start)
    return value
  }

  private mutating func value(
    of typeCode: UInt8, _ depth: Int
  ) throws(WeighbridgeError) -> PythonValue {
    switch UnicodeScalar(typeCode) {
    case "N": return .none
    case "F": return .bool(false)
    case "T": return .bool(true)
    case ".": return .ellipsis
    case "i": return .integer(try int32())
    case "I": return .integer(Int(bitPattern: UInt(try bits64())))
    case "l": return try longInteger()
    case "f": return try decimalFloat()
    case "g": return .float(Double(bitPattern: try bits64()))
    case "y":
      _ = try take(16)
      return .other("a complex number")
    case "s": return .bytes(Array(try take(try int32())))
    case "t": return try internedString()
    case "R": return try internedReference()
    case "u": return .string(String(decoding: try take(try int32()), as: UTF8.self))
    case "a", "A": return .string(Self.ascii(try take(try int32())))
    case "z", "Z": return .string(Self.ascii(try take(Int(try byte()))))
    case "(", "[", "<", ">": return try list(try int32(), depth)
    case ")": return try list(Int(try byte()), depth)
    case ":":
      _ = try list(3, depth)
      return .other("a slice")
    case "r": return try reference()
    case "c": return .code(try code(depth))
    default: throw Self.malformed
    }
  }

  private static func ascii(_ bytes: ArraySlice<UInt8>) -> String {
    String(decoding: bytes, as: UTF8.self)
  }

  private mutating func list(_ count: Int, _ depth: Int) throws(WeighbridgeError) -> PythonValue {
    // Each element takes at least a byte.
    guard count >= 0, count <= bytes.count - position else { throw Self.malformed }
    var values: [PythonValue] = []
    for _ in 0..<count { values.append(try value(depth: depth + 1)) }
    return .tuple(values)
  }

  /// An integer in digits of 15 bits, the least significant first.
  private mutating func longInteger() throws(WeighbridgeError) -> PythonValue {
    let count = try int32()
    let size = count.magnitude
    guard size <= UInt(bytes.count) else { throw Self.malformed }
    let digits = try take(Int(size) * 2)
    guard size <= 4 else { return .other("an integer of \(size * 15) bits") }
    var value = 0
    for end in stride(from: digits.endIndex, to: digits.startIndex, by: -2) {
      value = value << 15 | Int(digits[end - 2]) | Int(digits[end - 1] & 0x7F) << 8
    }
    return .integer(count < 0 ? -value : value)
  }

  private mutating func decimalFloat() throws(WeighbridgeError) -> PythonValue {
    guard let value = Double(Self.ascii(try take(Int(try byte())))) else { throw Self.malformed }
    return .float(value)
  }

  private mutating func internedString() throws(WeighbridgeError) -> PythonValue {
    let bytes = try take(try int32())
    let value: PythonValue =
      layout == .python2 ? .bytes(Array(bytes)) : .string(String(decoding: bytes, as: UTF8.self))
    if layout == .python2 { interned.append(value) }
    return value
  }

  private mutating func internedReference() throws(WeighbridgeError) -> PythonValue {
    let index = try int32()
    guard interned.indices.contains(index) else { throw Self.malformed }
    return interned[index]
  }

  private mutating func reference() throws(WeighbridgeError) -> PythonValue {
    let index = try int32()
    guard references.indices.contains(index), let (value, size) = references[index] else {
      throw Self.malformed
    }
    valueCount += size
    return value
  }

  private mutating func code(_ depth: Int) throws(WeighbridgeError) -> PythonCode {
    let counts = layout == .python38 ? 6 : layout == .python2 ? 4 : 5
    let argumentCount = try int32()
    for _ in 1..<counts { _ = try int32() }
    guard (0..<256).contains(argumentCount),
      case .bytes(let instructions) = try value(depth: depth + 1),
      case .tuple(let constants) = try value(depth: depth + 1)
    else { throw Self.malformed }
    let names = try strings(depth)
    let variables = try strings(depth)
    var (cells, free): ([String], [String]) = ([], [])
    if layout == .python311 {
      guard case .bytes(let kinds) = try value(depth: depth + 1), kinds.count == variables.count
      else { throw Self.malformed }
      // The flag of a variable that an enclosing function defines.
      free = zip(variables, kinds).filter { $0.1 & 0x80 != 0 }.map(\.0)
    } else {
      free = try strings(depth)
      cells = try strings(depth) + free
    }
    _ = try string(depth)  // the file name
    let name = try string(depth)
    if layout == .python311 { _ = try string(depth) }
    _ = try int32()  // the first line number
    for _ in 0..<(layout == .python311 ? 2 : 1) {
      guard case .bytes = try value(depth: depth + 1) else { throw Self.malformed }
    }
    return PythonCode(
      layout: layout, name: name, argumentCount: argumentCount, instructions: instructions,
      constants: constants.map(decodingStrings), names: names, variables: variables,
      cellNames: cells, freeNames: free)
  }

  /// A constant with strings in place of the bytes that Python 2 uses for them.
  private func decodingStrings(_ value: PythonValue) -> PythonValue {
    switch value {
    case .bytes(let bytes)
    where layout == .python2 && bytes.allSatisfy({ (32..<127).contains($0) }):
      .string(String(decoding: bytes, as: UTF8.self))
    case .tuple(let values): .tuple(values.map(decodingStrings))
    default: value
    }
  }

  private mutating func string(_ depth: Int) throws(WeighbridgeError) -> String {
    guard let string = try value(depth: depth + 1).name else { throw Self.malformed }
    return string
  }

  private mutating func strings(_ depth: Int) throws(WeighbridgeError) -> [String] {
    guard let strings = try value(depth: depth + 1).names else { throw Self.malformed }
    return strings
  }
}
