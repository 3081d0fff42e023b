/// Elementary functions in float32 arithmetic without branches, so that loops over rows of numbers
/// run in vector registers. NaN stays NaN.
extension Float {
  /// The exponential function, within 3 ULP.
  @inline(__always)
  var exponential: Float {
    // Beyond these bounds, the result is 0 or infinite.
    let high: Float = self > 89 ? 89 : self
    let (rest, exponent) = (high < -104 ? -104 : high).reduced
    // 2^n as the product of two numbers, neither of which is too large or too small for float32.
    let half = exponent &>> 1
    return (rest.seriesOfRest + 1) * Self.powerOfTwo(half) * Self.powerOfTwo(exponent &- half)
  }

  /// r and n with x = n ln 2 + r, n an integer and |r| at most ln 2 / 2.
  @inline(__always)
  private var reduced: (rest: Float, exponent: Int32) {
    // Adding 1.5 * 2^23 rounds to an integer in the lowest bits.
    let rounding: Float = 12_582_912
    let shifted = self * 1.442_695_04 + rounding
    let whole = shifted - rounding
    // ln 2 in two parts; the first has so few bits that its product is exact.
    let rest = (self - whole * 0.693_359_375) + whole * 2.121_944_4e-4
    return (
      rest, Int32(bitPattern: shifted.bitPattern) &- Int32(bitPattern: rounding.bitPattern)
    )
  }

  /// e^r - 1 of a rest r, by its Taylor series.
  @inline(__always)
  private var seriesOfRest: Float {
    var power: Float = 1 / 5040
    power = power * self + 1 / 720
    power = power * self + 1 / 120
    power = power * self + 1 / 24
    power = power * self + 1 / 6
    power = power * self + 0.5
    power = power * self + 1
    return power * self
  }

  @inline(__always)
  private static func powerOfTwo(_ exponent: Int32) -> Float {
    Float(bitPattern: UInt32(bitPattern: (exponent &+ 127) &<< 23))
  }

  /// 1 / (1 + e^-x), within 4 ULP also where it is nearly 0.
  @inline(__always)
  var logistic: Float {
    let power = (-magnitude).exponential
    return (self < 0 ? power : 1) / (1 + power)
  }

  /// The hyperbolic tangent, within 5 ULP also near 0.
  @inline(__always)
  var hyperbolicTangent: Float {
    // p = e^(-2 |x|) - 1, which is -1 from some point on.
    let double = -2 * magnitude
    let (rest, exponent) = (double < -40 ? -40 : double).reduced
    let factor = Self.powerOfTwo(exponent)
    let power = factor * rest.seriesOfRest + (factor - 1)
    let result = -power / (2 + power)
    return self < 0 ? -result : result
  }
}

/// Rows of float32 numbers.
extension UnsafeMutableBufferPointer<Float> {
  /// Replaces each element by a function of it.
  @inline(__always)
  func apply(_ function: (Float) -> Float) {
    for index in indices { unsafe self[index] = unsafe function(self[index]) }
  }

  /// The sum, in eight partial sums.
  var sum: Float { unsafe fold(0) { $0 + $1 }.sum() }

  /// The largest element, unspecified if there is a NaN; -∞ if empty.
  var largest: Float { unsafe fold(-.infinity) { $0.replacing(with: $1, where: $1 .> $0) }.max() }

  /// The dot product with as many other numbers, in eight partial sums.
  func product(with others: UnsafePointer<Float>) -> Float {
    var sums = SIMD8<Float>()
    let whole = count / 8 * 8
    let own = UnsafeRawBufferPointer(self)
    let other = unsafe UnsafeRawPointer(others)
    for start in stride(from: 0, to: whole * 4, by: 32) {
      // Both have eight more elements from here on.
      unsafe sums +=
        own.loadUnaligned(fromByteOffset: start, as: SIMD8<Float>.self)
        * (other + start).loadUnaligned(as: SIMD8<Float>.self)
    }
    return (whole..<count).reduce(sums.sum()) { unsafe $0 + self[$1] * others[$1] }
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
      let next = unsafe UnsafeRawBufferPointer(self).loadUnaligned(
        fromByteOffset: index * MemoryLayout<Float>.stride, as: SIMD8<Float>.self)
      result = combine(result, next)
    }
    var rest = SIMD8<Float>(repeating: start)
    for index in whole..<count { rest[index - whole] = unsafe self[index] }
    return combine(result, rest)
  }
}
