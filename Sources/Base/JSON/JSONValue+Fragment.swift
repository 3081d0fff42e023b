import Bytes

extension JSONValue {
  /// Reads what it can of a JSON text that ``init(parsing:limits:)`` rejects: all complete values
  /// before the error, with the arrays and objects around them closed.
  ///
  /// - Returns: `nil` where the text does not begin with an array or an object.
  package init?(fragmentOf text: [UInt8], limits: Limits = Limits()) {
    do throws(WeighbridgeError) {
      try self.init(parsing: text, limits: limits)
    } catch {
      guard case .byte(let offset) = error.place.spot, offset <= text.count else { return nil }
      try? self.init(parsing: Self.closed(text[..<offset]), limits: limits)
    }
  }

  /// The start of a text up to its last complete value, with the brackets open there closed.
  private static func closed(_ start: ArraySlice<UInt8>) -> [UInt8] {
    var ends: [UInt8] = []
    var (whole, wholeEnds) = (start.startIndex, ends)
    var isInString = false
    var isEscaped = false
    for (index, byte) in zip(start.indices, start) {
      if isInString {
        if !isEscaped, byte == UInt8(ascii: "\"") { isInString = false }
        isEscaped = byte == UInt8(ascii: "\\") && !isEscaped
        continue
      }
      switch byte {
      case UInt8(ascii: "\""): isInString = true
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        ends.append(byte + 2)  // the bracket that closes it, in ASCII
        (whole, wholeEnds) = (index + 1, ends)
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        _ = ends.popLast()
        (whole, wholeEnds) = (index + 1, ends)
      case UInt8(ascii: ","): (whole, wholeEnds) = (index, ends)
      default: break
      }
    }
    return start[..<whole] + wholeEnds.reversed()
  }
}
