import Bytes

/// Reads a datatype message and the types nested in it.
struct DatatypeParser {
  /// The deepest nesting of types.
  private static let depthLimit = 32
  /// The number of types that may still occur within the type.
  private var remainingTypeCount = 1 << 16

  /// Returns the type that a message describes.
  ///
  /// - Throws: ``WeighbridgeError/Code/malformed``; ``WeighbridgeError/Code/unsupported`` for an
  ///   unknown class; ``WeighbridgeError/Code/limitExceeded``.
  static func type(_ body: Cursor) throws(WeighbridgeError) -> Datatype {
    var (parser, body) = (DatatypeParser(), body)
    return try parser.type(&body, depth: 0)
  }

  /// Reads a type that is nested so deeply.
  mutating func type(
    _ body: inout Cursor, depth: Int
  ) throws(WeighbridgeError) -> Datatype {
    let field = body
    remainingTypeCount -= 1
    guard depth < Self.depthLimit, remainingTypeCount > 0 else {
      throw field.failure(
        "the datatype nests types deeper than \(Self.depthLimit), or has too many",
        .limitExceeded)
    }
    let classAndVersion = try body.byte()
    let version = classAndVersion >> 4
    guard (1...5).contains(version) else {
      throw field.failure(
        "the datatype has version \(version); 1 to 5 can be read", .unsupported)
    }
    let flags = try body.count(3)
    let size = try body.count(4)
    guard size > 0 else { throw field.failure("the datatype has elements of 0 bytes") }
    let kind = try kind(classAndVersion & 0xF, version, flags, size, &body, field, depth)
    return Datatype(kind: kind, size: size)
  }

  private mutating func kind(
    _ typeClass: UInt8, _ version: UInt8, _ flags: Int, _ size: Int, _ body: inout Cursor,
    _ field: Cursor, _ depth: Int
  ) throws(WeighbridgeError) -> Datatype.Kind {
    switch typeClass {
    case 0: return .integer(try integer(flags, size, &body))
    case 1: return .float(try float(flags, size, &body, field))
    case 2:
      try body.skip(2)
      return .time
    case 3:
      guard let padding = Datatype.Padding(rawValue: UInt8(flags & 0xF)) else {
        throw field.failure("the datatype has strings with padding of an unknown kind")
      }
      return .string(padding)
    case 4:
      try body.skip(4)
      return .bitField
    case 5:
      return .opaque(hasTag: try body.bytes(flags & 0xFF).contains { $0 != 0 })
    case 6: return .compound(try members(flags & 0xFFFF, version, size, &body, depth))
    case 7: return .reference
    case 8: return try enumeration(flags & 0xFFFF, version, size, &body, depth)
    case 9:
      _ = try self.type(&body, depth: depth + 1)
      return flags & 0xF == 1 ? .variableString : .variableList
    case 10: return try array(version, size, &body, depth)
    case 11:
      _ = try self.type(&body, depth: depth + 1)
      return .complex
    default:
      throw field.failure("the datatype is of class \(typeClass), which is not known", .unsupported)
    }
  }

  private func integer(
    _ flags: Int, _ size: Int, _ body: inout Cursor
  ) throws(WeighbridgeError) -> IntegerLayout {
    IntegerLayout(
      isBigEndian: flags & 1 != 0, isSigned: flags & 0b1000 != 0, bits: try bits(size, &body))
  }

  /// Reads the bits of an element that contain the number.
  private func bits(_ size: Int, _ body: inout Cursor) throws(WeighbridgeError) -> BitRange {
    let field = body
    let bits = BitRange(start: try body.count(2), count: try body.count(2))
    guard bits.count > 0, bits.start + bits.count <= 8 * size else {
      throw field.failure(
        "the datatype has numbers of \(bits.count) bits from bit \(bits.start) in \(size) bytes")
    }
    return bits
  }

  private func float(
    _ flags: Int, _ size: Int, _ body: inout Cursor, _ field: Cursor
  ) throws(WeighbridgeError) -> FloatLayout {
    let bits = try bits(size, &body)
    let exponent = BitRange(start: Int(try body.byte()), count: Int(try body.byte()))
    let fraction = BitRange(start: Int(try body.byte()), count: Int(try body.byte()))
    let bias = try body.count(4)
    let sign = flags >> 8 & 0xFF
    let ends = [
      sign + 1, exponent.start + exponent.count, fraction.start + fraction.count,
    ]
    guard let normalization = FloatLayout.Normalization(rawValue: UInt8(flags >> 4 & 0b11)),
      ends.allSatisfy({ $0 <= 8 * size }), exponent.count > 0, fraction.count > 0
    else { throw field.failure("the datatype has floating-point numbers whose parts do not fit") }
    return FloatLayout(
      isBigEndian: flags & 1 != 0, isVAX: flags & 0x40 != 0, bits: bits, sign: sign,
      exponent: exponent, fraction: fraction, bias: bias, normalization: normalization)
  }
}
