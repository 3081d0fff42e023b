import Bytes
package import GraphIR

extension TensorDifference {
  /// Describes the difference in one line: the largest errors, the tolerance and the worst element.
  func description(_ tolerance: Tolerance) -> String {
    if nonFiniteMismatches > 0 {
      return "differs in NaN or infinity at \(nonFiniteMismatches.counted("place")), the first at "
        + "\(worstIndex): \(worstDescription)"
    }
    if tolerance.relativeL2 != nil {
      return "relative L2 \(relativeL2.scientific) (\(tolerance.summary)), "
        + "cosine \(cosine.rounded9)"
    }
    let text =
      "max abs \(maxAbsolute.scientific), max rel \(maxRelative.scientific), "
      + "cosine \(cosine.rounded9) (\(tolerance.summary))"
    guard maxAbsolute > 0 else { return "equal; " + text }
    return text + ", worst at \(worstIndex): \(worstDescription)"
  }
}

extension Tolerance {
  /// `tolerance 1.00e-05 + 1.00e-05 x max|expected|`, or `tolerance 1.00e-02 x ||expected||`.
  package var summary: String {
    if let relativeL2 { return "tolerance \(relativeL2.scientific) x ||expected||" }
    return "tolerance \(absolute.scientific) + \(relative.scientific) x max|expected|"
  }
}

extension Double {
  /// Three significant digits in scientific form, whatever the locale: `1.43e-06`.
  package var scientific: String {
    guard isFinite, self != 0 else { return self == 0 ? "0" : description }
    var exponent = 0
    var mantissa = abs(self)
    while mantissa >= 10 { (mantissa, exponent) = (mantissa / 10, exponent + 1) }
    while mantissa < 1 { (mantissa, exponent) = (mantissa * 10, exponent - 1) }
    var digits = Int((mantissa * 100).rounded())
    if digits == 1000 { (digits, exponent) = (100, exponent + 1) }
    let sign = self < 0 ? "-" : ""
    let power = abs(exponent) < 10 ? "0\(abs(exponent))" : "\(abs(exponent))"
    let fraction = digits % 100 < 10 ? "0\(digits % 100)" : "\(digits % 100)"
    return "\(sign)\(digits / 100).\(fraction)e\(exponent < 0 ? "-" : "+")\(power)"
  }

  fileprivate var rounded9: Double { (self * 1e9).rounded() / 1e9 }
}
