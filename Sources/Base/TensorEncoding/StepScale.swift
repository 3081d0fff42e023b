/// Steps that differ by eighths of powers of 2, so that a row's step takes one byte.
package enum StepScale {
  /// 2^(k/8) in single precision, for k = 0...7.
  private static let powers: [Float] = [
    1, 1.0905077, 1.1892071, 1.2968396, 1.4142135, 1.5422108, 1.6817929, 1.8340081,
  ]

  /// A step times 2^(eighths/8): times the constant of the remainder, rounded, then times a power
  /// of 2.
  package static func multiply(_ step: Float, eighths: Int8) -> Float {
    let whole = Int(eighths) >> 3
    return Float(sign: .plus, exponent: whole, significand: step * powers[Int(eighths) & 7])
  }

  /// Returns steps as a first one and eighths, where that is exact.
  static func eighths(of steps: [Float]) -> (step: Float, eighths: [Int8])? {
    guard let first = steps.first, first > 0, first.isFinite else { return nil }
    var all: [Int8] = []
    for step in steps {
      guard step > 0, step.isFinite else { return nil }
      let eighth = (8 * Logarithms.base2(Double(step) / Double(first))).rounded()
      guard let eighth = Int8(exactly: eighth), multiply(first, eighths: eighth) == step else {
        return nil
      }
      all.append(eighth)
    }
    return (first, all)
  }
}
