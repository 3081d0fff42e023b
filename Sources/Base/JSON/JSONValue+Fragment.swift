import Bytes

extension JSONValue {
  /// Reads as much as possible of a JSON text that ``init(parsing:limits:)`` rejects: all complete
  /// values before the error, with the arrays and objects around them closed.
  ///
  /// - Returns: `nil` if the text does not begin with an array or an object.
  package init?(fragmentOf text: [UInt8], limits: Limits = Limits()) {
    do throws(WeighbridgeError) {
      try self.init(parsing: text, limits: limits)
    } catch {
      guard case .byte(let offset) = error.place.position, offset <= text.count else { return nil }
      try? self.init(parsing: Self.closed(text[..<offset]), limits: limits)
    }
  }

  /// Returns the start of a text up to its last complete value, followed by the brackets that close
  /// those open there.
  private static func closed(_ start: ArraySlice<UInt8>) -> [UInt8] {
    var closers: [UInt8] = []
    var (completeEnd, completeClosers) = (start.startIndex, closers)
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
        closers.append(byte + 2)  // the bracket that closes it, in ASCII
        (completeEnd, completeClosers) = (index + 1, closers)
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        _ = closers.popLast()
        (completeEnd, completeClosers) = (index + 1, closers)
      case UInt8(ascii: ","): (completeEnd, completeClosers) = (index, closers)
      default: break
      }
    }
    return start[..<completeEnd] + completeClosers.reversed()
  }
}
