/// Steps whose ratios are powers of 2 with exponents in eighths, so that a row's step takes one
/// byte.
package enum StepScale {
  /// 2^(k/8) in single precision, for k = 0...7.
  private static let powers: [Float] = [
    1, 1.0905077, 1.1892071, 1.2968396, 1.4142135, 1.5422108, 1.6817929, 1.8340081,
  ]

  /// Returns a step times 2^(eighths/8): times the constant for the remainder of the exponent,
  /// rounded, then times a power of 2.
  package static func multiply(_ step: Float, eighths: Int8) -> Float {
    let exponent = Int(eighths) >> 3
    return Float(sign: .plus, exponent: exponent, significand: step * powers[Int(eighths) & 7])
  }

  /// Returns steps as the first one and eighths relative to it, if that is exact.
  static func eighths(of steps: [Float]) -> (step: Float, eighths: [Int8])? {
    guard let first = steps.first, first > 0, first.isFinite else { return nil }
    var result: [Int8] = []
    for step in steps {
      guard step > 0, step.isFinite else { return nil }
      let eighth = (8 * Logarithms.base2(Double(step) / Double(first))).rounded()
      guard let eighth = Int8(exactly: eighth), multiply(first, eighths: eighth) == step else {
        return nil
      }
      result.append(eighth)
    }
    return (first, result)
  }
}
