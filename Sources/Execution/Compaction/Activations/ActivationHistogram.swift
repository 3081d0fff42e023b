import GraphIR

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// A histogram of the values of a layer's input.
///
/// The bins are symmetric around 0 and double in width whenever a value falls outside, so a single
/// pass over the examples suffices and their order does not matter.
struct ActivationHistogram: Sendable {
  /// The number of values in each bin.
  private(set) var counts = [Int](repeating: 0, count: binCount)
  /// The bins cover -halfRange to halfRange; a power of 2.
  private var halfRange: Float = 0
  private(set) var minimum: Float = 0
  private(set) var maximum: Float = 0
  /// Whether no value was infinite, NaN, or large enough that arithmetic on it could overflow.
  private(set) var isFinite = true

  private static let binCount = 8192
  /// The smallest and largest half range.
  private static let halfRangeLimits: ClosedRange<Float> = 0x1p-100...0x1p100

  /// The width of a bin.
  private var width: Float { 2 * halfRange / Float(Self.binCount) }

  /// Counts values.
  mutating func add(_ numbers: [Float]) {
    let (low, high) = numbers.reduce((minimum, maximum)) { (min($0.0, $1), max($0.1, $1)) }
    let largest = max(-low, high)
    guard largest < Self.halfRangeLimits.upperBound, numbers.allSatisfy(\.isFinite) else {
      isFinite = false
      return
    }
    (minimum, maximum) = (low, high)
    while largest > halfRange { widen(to: largest) }
    guard halfRange > 0 else { return }
    let (factor, half) = (1 / width, Self.binCount / 2)
    for number in numbers {
      counts[min(Self.binCount - 1, Int((number * factor).rounded(.down)) + half)] += 1
    }
  }

  private mutating func widen(to largest: Float) {
    guard halfRange > 0 else {
      halfRange = max(Self.halfRangeLimits.lowerBound, exp2(Float(largest.exponent) + 1))
      return
    }
    var merged = counts.map { _ in 0 }
    let half = Self.binCount / 2
    for (bin, count) in counts.enumerated() { merged[(bin - half) >> 1 + half] += count }
    (counts, halfRange) = (merged, 2 * halfRange)
  }

  /// The quantizations that the methods choose, without near duplicates; empty if all values were 0
  /// or any was not finite.
  var quantizations: [IntegerQuantization] {
    IntegerQuantization.Method.allCases.compactMap(quantization).reduce(into: []) { found, new in
      let isKnown = found.contains {
        abs($0.scale / new.scale - 1) < Self.minimumScaleDifference && $0.zeroPoint == new.zeroPoint
      }
      if !isKnown { found.append(new) }
    }
  }

  /// The quantization for the range that a method chooses; `nil` if all values were 0 or any was
  /// not finite.
  func quantization(_ method: IntegerQuantization.Method) -> IntegerQuantization? {
    guard isFinite, halfRange > 0 else { return nil }
    let range = range(method)
    return IntegerQuantization(from: range.lowerBound, to: range.upperBound, method: method)
  }

  /// The smallest relative difference of scales that is worth distinguishing.
  private static let minimumScaleDifference: Float = 0.02

  private func range(_ method: IntegerQuantization.Method) -> ClosedRange<Float> {
    switch method {
    case .maximum: minimum...maximum
    case .percentile999: range(excluding: 1e-3)
    case .percentile9999: range(excluding: 1e-4)
    case .percentile99999: range(excluding: 1e-5)
    case .entropy: entropyRange
    }
  }

  /// The range that excludes this fraction of the values at each end.
  private func range(excluding fraction: Double) -> ClosedRange<Float> {
    let maximumCount = Int(fraction * Double(counts.reduce(0, +)))
    func edge(_ bins: some Sequence<Int>) -> Int {
      var cumulativeCount = 0
      for bin in bins {
        cumulativeCount += counts[bin]
        if cumulativeCount > maximumCount { return bin }
      }
      return Self.binCount / 2
    }
    let half = Self.binCount / 2
    let low = Float(edge(counts.indices) - half) * width
    let high = Float(edge(counts.indices.reversed()) + 1 - half) * width
    return min(0, max(minimum, low))...max(0, min(maximum, high))
  }

  /// The range whose quantized distribution diverges least from the observed one.
  private var entropyRange: ClosedRange<Float> {
    let largest = max(-minimum, maximum)
    var best = (divergence: Double.infinity, range: minimum...maximum)
    for fraction in stride(from: Float(1), to: 0.2, by: -0.02) {
      let range = max(minimum, -largest * fraction)...min(maximum, largest * fraction)
      let divergence = divergence(of: range)
      if divergence < best.divergence { best = (divergence, range) }
    }
    return best.range
  }

  /// The Kullback-Leibler divergence of the distribution clipped to a range from its quantization
  /// to 256 levels.
  private func divergence(of range: ClosedRange<Float>) -> Double {
    let half = Self.binCount / 2
    let first = Int((range.lowerBound / width).rounded(.down)) + half
    let end = min(Self.binCount, Int((range.upperBound / width).rounded(.up)) + half)
    guard end > first else { return .infinity }
    var clippedCounts = counts[first..<end].map(Double.init)
    let innerCounts = clippedCounts
    clippedCounts[0] += Double(counts[..<first].reduce(0, +))
    clippedCounts[clippedCounts.count - 1] += Double(counts[end...].reduce(0, +))
    let total = clippedCounts.reduce(0, +)
    var divergence = 0.0
    for level in 0..<256 {
      let bins = clippedCounts.count * level / 256..<clippedCounts.count * (level + 1) / 256
      let occupiedCount = Double(bins.count { clippedCounts[$0] > 0 })
      let average = bins.reduce(0) { $0 + innerCounts[$1] } / max(1, occupiedCount)
      for bin in bins where clippedCounts[bin] > 0 {
        // A level that holds only clipped values averages to 0.
        divergence += clippedCounts[bin] / total * log(clippedCounts[bin] / max(average, 1e-3))
      }
    }
    return divergence
  }
}
