/// The discrete Fourier transform of real numbers at the frequencies up to half of the sampling rate:
/// y[k] = sum over j of x[j] · exp(-2πi j k / n), k from 0 to floor(n / 2).
struct RealFourierTransform: Sendable {
  private let count: Int
  /// exp(-2πi j / count) for each j.
  private let roots: [Complex]
  /// Of half as many complex numbers, if the count is even.
  private let inner: FourierTransform

  /// - Parameter count: The count of the numbers, at least 1.
  init(count: Int) {
    self.count = count
    roots = Complex.roots(count)
    inner = FourierTransform(count: count.isMultiple(of: 2) ? count / 2 : count)
  }

  /// Returns the transform. NaN and infinities affect each frequency as they do in its sum.
  func callAsFunction(_ numbers: [Double]) -> [Complex] {
    guard numbers.allSatisfy(\.isFinite) else { return sums(numbers) }
    guard count.isMultiple(of: 2) else {
      return Array(inner(numbers.map { Complex($0, 0) }).prefix(count / 2 + 1))
    }
    // The numbers at even and at odd indices are the real and the imaginary parts of others, from
    // whose transform theirs follow by symmetry.
    let half = count / 2
    let both = inner((0..<half).map { Complex(numbers[2 * $0], numbers[2 * $0 + 1]) })
    return (0...half).map { frequency in
      let (number, mirrored) = (both[frequency % half], both[(half - frequency) % half].conjugate)
      let even = (number + mirrored) * 0.5
      let odd = (number - mirrored).timesMinusI * 0.5
      return even + odd.times(frequency < half ? roots[frequency] : Complex(-1, 0))
    }
  }

  /// The transform of numbers of which some are NaN or infinite, by its definition. Where they are, the
  /// others make no difference.
  private func sums(_ numbers: [Double]) -> [Complex] {
    let special = numbers.enumerated().filter { !$0.element.isFinite }
    return (0...count / 2).map { frequency in
      special.reduce(Complex()) { $0 + $1.element * roots[frequency * $1.offset % count] }
    }
  }
}
