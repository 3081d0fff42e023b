extension Int {
  /// With a comma between groups of three digits.
  package var grouped: String {
    let digits = String(magnitude)
    var text = ""
    for (index, digit) in digits.enumerated() {
      if index > 0, (digits.count - index) % 3 == 0 { text += "," }
      text.append(digit)
    }
    return self < 0 ? "-\(text)" : text
  }
}

extension Double {
  /// As a percentage with one decimal, whatever the locale.
  package var percentage: String {
    let tenths = Int((self * 1000).rounded())
    return "\(tenths / 10).\(tenths % 10)%"
  }
}

extension [UInt8] {
  /// Two lowercase hexadecimal digits for each byte.
  package var hexadecimal: String {
    map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }.joined()
  }
}
