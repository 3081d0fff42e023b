/// Parses numbers as C's `atoi` and `atof` do: characters after the number are ignored.
package enum DarknetNumber {
  /// Parses the integer at the start of a string.
  ///
  /// - Returns: The number, and whether it is the entire string; `nil` if there is none (C reads 0)
  ///   or if it does not fit in 32 bits.
  package static func integer(_ text: String) -> (value: Int, isEntireText: Bool)? {
    let bytes = Array(text.utf8)
    var end = signLength(bytes[...])
    let start = end
    while end < bytes.count, isDigit(bytes[end]) { end += 1 }
    guard end > start, end - start <= 10,
      let value = Int(String(decoding: bytes[..<end], as: UTF8.self)),
      Int32(exactly: value) != nil
    else { return nil }
    return (value, end == bytes.count)
  }

  /// Parses the floating-point number at the start of a string.
  ///
  /// - Returns: The number, and whether it is the entire string; `nil` if there is none.
  package static func double(_ text: String) -> (value: Double, isEntireText: Bool)? {
    let bytes = Array(text.utf8)
    var end = signLength(bytes[...])
    let start = end
    while end < bytes.count, isDigit(bytes[end]) { end += 1 }
    var digits = end - start
    if end < bytes.count, bytes[end] == UInt8(ascii: ".") {
      end += 1
      while end < bytes.count, isDigit(bytes[end]) {
        end += 1
        digits += 1
      }
    }
    guard digits > 0 else { return nil }
    end += exponentLength(bytes[end...])
    guard let value = Double(withDigitsAroundPoint(bytes[..<end])), value.isFinite else {
      return nil
    }
    return (value, end == bytes.count)
  }

  /// Adds zeros next to a decimal point: Swift requires a digit on both sides of it.
  private static func withDigitsAroundPoint(_ bytes: ArraySlice<UInt8>) -> String {
    var result: [UInt8] = []
    for (index, byte) in bytes.enumerated() {
      let isPoint = byte == UInt8(ascii: ".")
      if isPoint, result.last.map({ !isDigit($0) }) ?? true { result.append(UInt8(ascii: "0")) }
      result.append(byte)
      let next = bytes.startIndex + index + 1
      if isPoint, next >= bytes.endIndex || !isDigit(bytes[next]) {
        result.append(UInt8(ascii: "0"))
      }
    }
    return String(decoding: result, as: UTF8.self)
  }

  private static func exponentLength(_ bytes: ArraySlice<UInt8>) -> Int {
    guard let first = bytes.first, first | 0x20 == UInt8(ascii: "e") else { return 0 }
    let rest = bytes.dropFirst()
    let sign = signLength(rest)
    let digits = rest.dropFirst(sign).prefix(while: isDigit).count
    return digits == 0 ? 0 : 1 + sign + digits
  }

  private static func signLength(_ bytes: ArraySlice<UInt8>) -> Int {
    bytes.first == UInt8(ascii: "-") || bytes.first == UInt8(ascii: "+") ? 1 : 0
  }

  private static func isDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
  }
}
