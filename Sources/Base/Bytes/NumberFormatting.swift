extension Int {
  /// The number with a comma between groups of three digits.
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

extension BinaryInteger {
  /// The number with a noun: `1 input`, `2 inputs`, `1 spatial axis`, `2 classes`, `3 entries`.
  package func counted(_ noun: String) -> String {
    guard self != 1 else { return "1 \(noun)" }
    if noun.hasSuffix("axis") { return "\(self) \(noun.dropLast(2))es" }
    if noun.hasSuffix("ry") { return "\(self) \(noun.dropLast())ies" }
    return "\(self) \(noun)\(noun.hasSuffix("s") || noun.hasSuffix("x") ? "es" : "s")"
  }
}

extension Double {
  /// The fraction as a percentage with one decimal, whatever the locale; `nan%` and `inf%` if it is
  /// not finite.
  package var percentage: String {
    guard let tenths = Int(exactly: (self * 1000).rounded()) else { return "\(self * 100)%" }
    let (whole, tenth) = tenths.magnitude.quotientAndRemainder(dividingBy: 10)
    return "\(tenths < 0 ? "-" : "")\(whole).\(tenth)%"
  }
}

extension [UInt8] {
  /// The bytes as two lowercase hexadecimal digits each.
  package var hexadecimal: String {
    map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }.joined()
  }
}
