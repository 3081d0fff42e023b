/// Parses numbers as C's `atoi` and `atof` do: characters after the number are ignored.
package enum DarknetNumber {
  /// Parses the integer at the start of a string.
  ///
  /// - Returns: The number, and whether the string ends with it; `nil` where there is none (C reads
  ///   0) or where it does not fit in 32 bits.
  package static func integer(_ text: String) -> (value: Int, isWhole: Bool)? {
    let bytes = Array(text.utf8)
    var position = signLength(bytes[...])
    let start = position
    while position < bytes.count, isDigit(bytes[position]) { position += 1 }
    guard position > start, position - start <= 10,
      let value = Int(String(decoding: bytes[..<position], as: UTF8.self)),
      Int32(exactly: value) != nil
    else { return nil }
    return (value, position == bytes.count)
  }

  /// Parses the number at the start of a string.
  ///
  /// - Returns: The number, and whether the string ends with it; `nil` where there is none.
  package static func real(_ text: String) -> (value: Double, isWhole: Bool)? {
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
    guard let value = Double(padded(bytes[..<end])), value.isFinite else { return nil }
    return (value, end == bytes.count)
  }

  /// Swift requires a digit on both sides of the point.
  private static func padded(_ bytes: ArraySlice<UInt8>) -> String {
    var result: [UInt8] = []
    for (position, byte) in bytes.enumerated() {
      let isPoint = byte == UInt8(ascii: ".")
      if isPoint, result.last.map({ !isDigit($0) }) ?? true { result.append(UInt8(ascii: "0")) }
      result.append(byte)
      let next = bytes.startIndex + position + 1
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
