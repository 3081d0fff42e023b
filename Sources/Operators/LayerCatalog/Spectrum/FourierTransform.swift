/// A complex number: the real and the imaginary part.
typealias Complex = SIMD2<Double>

/// The discrete Fourier transform of complex numbers, in a time proportional to n log n for every
/// count: y[k] = sum over j of x[j] · exp(-2πi j k / n).
///
/// A count without large prime factors is transformed factor by factor (Cooley and Tukey 1965), in
/// the self-sorting order of Stockham; any other by a convolution with a chirp (Bluestein 1970).
struct FourierTransform: Sendable {
  /// The count of the numbers.
  let count: Int
  private let method: Method

  private enum Method: Sendable {
    /// The factors, of which the product is the count, and exp(-2πi j / count) for each j.
    case factors([Int], roots: [Complex])
    indirect case chirp(ChirpTransform)
  }

  /// Larger prime factors take longer than a convolution.
  private static let largestFactor = 13

  /// - Parameter count: At least 1.
  init(count: Int) {
    self.count = count
    var (factors, rest) = ([Int](), count)
    for factor in [4] + Array(2...Self.largestFactor) {
      while rest.isMultiple(of: factor) {
        factors.append(factor)
        rest /= factor
      }
    }
    method =
      rest == 1
      ? .factors(factors, roots: Complex.roots(count)) : .chirp(ChirpTransform(count: count))
  }

  /// Returns the transform.
  func callAsFunction(_ numbers: [Complex]) -> [Complex] {
    switch method {
    case .chirp(let transform): return transform(numbers)
    case .factors(let factors, let roots):
      var (source, target) = (numbers, [Complex](repeating: Complex(), count: count))
      // `stride` transforms, interleaved, are left to do, each of `count / stride` numbers.
      var stride = 1
      for factor in factors {
        let pass = Pass(factor: factor, stride: stride, count: count, roots: roots)
        if factor == 4 {
          pass.transformFours(source, into: &target)
        } else {
          pass.transform(source, into: &target)
        }
        swap(&source, &target)
        stride *= factor
      }
      return source
    }
  }

  /// One factor's part of the transforms.
  private struct Pass {
    let factor: Int
    let stride: Int
    let count: Int
    let roots: [Complex]

    /// The number of numbers in an output of the factor's own transforms.
    private var parts: Int { count / factor / stride }

    /// Sums `factor` numbers with the powers of each root, and turns the sums.
    func transform(_ source: [Complex], into target: inout [Complex]) {
      let (source, parts) = (source.span, parts)
      var target = target.mutableSpan
      for part in 0..<parts {
        for output in 0..<factor {
          let turn = roots[part * output * stride]
          for lane in 0..<stride {
            var sum = source[lane + stride * part]
            for input in 1..<factor {
              let number = source[lane + stride * (part + parts * input)]
              let root = roots[input * output % factor * (count / factor)]
              sum += number.times(root)
            }
            target[lane + stride * (factor * part + output)] = sum.times(turn)
          }
        }
      }
    }

    /// The same with a factor of 4, whose roots are 1, -i, -1 and i.
    func transformFours(_ source: [Complex], into target: inout [Complex]) {
      let (source, parts, distance) = (source.span, parts, count / 4)
      var target = target.mutableSpan
      for part in 0..<parts {
        let (first, second) = (roots[part * stride], roots[2 * part * stride])
        let third = roots[3 * part * stride]
        for lane in 0..<stride {
          let (from, to) = (lane + stride * part, lane + 4 * stride * part)
          let (even, odd) = (source[from], source[from + 2 * distance])
          let (left, right) = (source[from + distance], source[from + 3 * distance])
          let (sum, difference) = (even + odd, even - odd)
          let (outer, turned) = (left + right, (left - right).timesMinusI)
          target[to] = sum + outer
          target[to + stride] = (difference + turned).times(first)
          target[to + 2 * stride] = (sum - outer).times(second)
          target[to + 3 * stride] = (difference - turned).times(third)
        }
      }
    }
  }
}

/// The transform as a convolution with a chirp, from j k = (j² + k² - (j - k)²) / 2.
private struct ChirpTransform: Sendable {
  /// exp(-πi j² / count)
  private let chirp: [Complex]
  /// The transform of the conjugate chirp, whose negative indices are at the end.
  private let spectrum: [Complex]
  /// Of a power of two at least 2 · count - 1.
  private let inner: FourierTransform

  init(count: Int) {
    var size = 1
    while size < 2 * count - 1 { size *= 2 }
    let roots = Complex.roots(2 * count)
    chirp = (0..<count).map { roots[$0 * $0 % (2 * count)] }
    var conjugate = [Complex](repeating: Complex(), count: size)
    for (index, number) in chirp.enumerated() {
      conjugate[index] = number.conjugate
      conjugate[(size - index) % size] = number.conjugate
    }
    inner = FourierTransform(count: size)
    spectrum = inner(conjugate)
  }

  func callAsFunction(_ numbers: [Complex]) -> [Complex] {
    var turned = [Complex](repeating: Complex(), count: inner.count)
    for index in chirp.indices { turned[index] = numbers[index].times(chirp[index]) }
    // The inverse transform is that of the conjugates, conjugated and divided by the count.
    let product = zip(inner(turned), spectrum).map { $0.times($1).conjugate }
    let convolved = inner(product)
    let factor = 1 / Double(inner.count)
    return chirp.indices.map { (convolved[$0].conjugate * factor).times(chirp[$0]) }
  }
}

extension Complex {
  /// exp(-2πi j / count) for each j below the count.
  static func roots(_ count: Int) -> [Complex] {
    (0..<count).map { index in
      let angle = 2 * Double.pi * Double(index) / Double(count)
      return Complex(angle.cosine, -angle.sine)
    }
  }

  /// The product of complex numbers.
  func times(_ other: Complex) -> Complex {
    Complex(x * other.x - y * other.y, x * other.y + y * other.x)
  }

  /// The product with -i.
  var timesMinusI: Complex { Complex(y, -x) }

  /// The complex conjugate.
  var conjugate: Complex { Complex(x, -y) }
}
