/// Elementary functions in float32 arithmetic without branches, so that loops over rows of numbers
/// run in vector registers. NaN stays NaN.
extension Float {
  /// The exponential function, within 3 ULP.
  ///
  /// e^x = 2^n e^r with n = x / ln 2, rounded, and |r| at most ln 2 / 2, where the Taylor series is
  /// short.
  @inline(__always)
  var exponential: Float {
    // Beyond these bounds, the result is 0 or infinite.
    let high: Float = self > 89 ? 89 : self
    let x: Float = high < -104 ? -104 : high
    // Adding 1.5 * 2^23 rounds to an integer in the lowest bits.
    let rounding: Float = 12_582_912
    let shifted = x * 1.442_695_04 + rounding
    let whole = shifted - rounding
    // ln 2 in two parts; the first has so few bits that its product is exact.
    let rest = (x - whole * 0.693_359_375) + whole * 2.121_944_4e-4
    var power: Float = 1 / 5040
    power = power * rest + 1 / 720
    power = power * rest + 1 / 120
    power = power * rest + 1 / 24
    power = power * rest + 1 / 6
    power = power * rest + 0.5
    power = power * rest + 1
    power = power * rest + 1
    // 2^n as the product of two numbers, neither of which is too large or too small for float32.
    let exponent = Int32(bitPattern: shifted.bitPattern) &- Int32(bitPattern: rounding.bitPattern)
    let half = exponent &>> 1
    return power * Self.powerOfTwo(half) * Self.powerOfTwo(exponent &- half)
  }

  @inline(__always)
  private static func powerOfTwo(_ exponent: Int32) -> Float {
    Float(bitPattern: UInt32(bitPattern: (exponent &+ 127) &<< 23))
  }

  /// 1 / (1 + e^-x), within 1e-7.
  @inline(__always)
  var logistic: Float { 1 / (1 + (-self).exponential) }

  /// The hyperbolic tangent, within 1e-7.
  @inline(__always)
  var hyperbolicTangent: Float {
    let power = (-2 * magnitude).exponential
    let result = (1 - power) / (1 + power)
    return self < 0 ? -result : result
  }
}

/// Rows of float32 numbers.
extension UnsafeMutableBufferPointer<Float> {
  /// Replaces each element by a function of it.
  @inline(__always)
  func apply(_ function: (Float) -> Float) {
    for index in indices { self[index] = function(self[index]) }
  }

  /// The sum, in eight partial sums.
  var sum: Float { fold(0) { $0 + $1 }.sum() }

  /// The largest element, unspecified if there is a NaN; -∞ if empty.
  var largest: Float { fold(-.infinity) { $0.replacing(with: $1, where: $1 .> $0) }.max() }

  /// The dot product with as many other numbers, in eight partial sums.
  func product(with others: UnsafePointer<Float>) -> Float {
    var sums = SIMD8<Float>()
    let whole = count / 8 * 8
    let own = UnsafeRawBufferPointer(self)
    let other = UnsafeRawPointer(others)
    for start in stride(from: 0, to: whole * 4, by: 32) {
      // Both have eight more elements from here on.
      sums +=
        own.loadUnaligned(fromByteOffset: start, as: SIMD8<Float>.self)
        * (other + start).loadUnaligned(as: SIMD8<Float>.self)
    }
    return (whole..<count).reduce(sums.sum()) { $0 + self[$1] * others[$1] }
  }

  /// Combines every eighth element into a lane; missing elements are `start`.
  @inline(__always)
  private func fold(
    _ start: Float, _ combine: (SIMD8<Float>, SIMD8<Float>) -> SIMD8<Float>
  ) -> SIMD8<Float> {
    var result = SIMD8<Float>(repeating: start)
    let whole = count / 8 * 8
    for index in stride(from: 0, to: whole, by: 8) {
      // There are eight more elements from here on.
      let next = UnsafeRawBufferPointer(self).loadUnaligned(
        fromByteOffset: index * MemoryLayout<Float>.stride, as: SIMD8<Float>.self)
      result = combine(result, next)
    }
    var rest = SIMD8<Float>(repeating: start)
    for index in whole..<count { rest[index - whole] = self[index] }
    return combine(result, rest)
  }
}
