import GraphIR

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// How often numbers of some sizes were seen in a layer's input.
///
/// The bins lie around 0 and become twice as wide whenever a number lies beyond them, so that one pass over
/// the examples is enough and their order does not matter.
struct ActivationHistogram: Sendable {
  /// How many numbers fell in each bin.
  private(set) var counts = [Int](repeating: 0, count: binCount)
  /// The bins reach from -reach to reach; a power of 2.
  private var reach: Float = 0
  private(set) var least: Float = 0
  private(set) var greatest: Float = 0
  /// Whether no number was infinite, none, or so large that its arithmetic could become so.
  private(set) var isFinite = true

  private static let binCount = 8192
  /// The bins reach no less and no more far.
  private static let reaches: ClosedRange<Float> = 0x1p-100...0x1p100

  /// The width of a bin.
  private var width: Float { 2 * reach / Float(Self.binCount) }

  /// Takes numbers.
  mutating func add(_ numbers: [Float]) {
    let (low, high) = numbers.reduce((least, greatest)) { (min($0.0, $1), max($0.1, $1)) }
    let largest = max(-low, high)
    guard largest < Self.reaches.upperBound, numbers.allSatisfy(\.isFinite) else {
      isFinite = false
      return
    }
    (least, greatest) = (low, high)
    while largest > reach { widen(to: largest) }
    guard reach > 0 else { return }
    let (factor, half) = (1 / width, Self.binCount / 2)
    for number in numbers {
      counts[min(Self.binCount - 1, Int((number * factor).rounded(.down)) + half)] += 1
    }
  }

  private mutating func widen(to largest: Float) {
    guard reach > 0 else {
      reach = max(Self.reaches.lowerBound, exp2(Float(largest.exponent) + 1))
      return
    }
    var merged = counts.map { _ in 0 }
    let half = Self.binCount / 2
    for (bin, count) in counts.enumerated() { merged[(bin - half) >> 1 + half] += count }
    (counts, reach) = (merged, 2 * reach)
  }

  /// The quantizations of the ranges that all methods choose, without those that hardly differ from one
  /// before; none where all numbers were 0 or some not finite.
  var quantizations: [IntegerQuantization] {
    IntegerQuantization.Method.allCases.compactMap(quantization).reduce(into: []) { found, new in
      let isKnown = found.contains {
        abs($0.scale / new.scale - 1) < Self.leastDifference && $0.zeroPoint == new.zeroPoint
      }
      if !isKnown { found.append(new) }
    }
  }

  /// The quantization of the range that a method chooses; `nil` where all numbers were 0 or some not finite.
  func quantization(_ method: IntegerQuantization.Method) -> IntegerQuantization? {
    guard isFinite, reach > 0 else { return nil }
    let range = range(method)
    return IntegerQuantization(from: range.lowerBound, to: range.upperBound, method: method)
  }

  /// Scales that differ by less give the same results but for chance.
  private static let leastDifference: Float = 0.02

  private func range(_ method: IntegerQuantization.Method) -> ClosedRange<Float> {
    switch method {
    case .maximum: least...greatest
    case .percentile999: range(without: 1e-3)
    case .percentile9999: range(without: 1e-4)
    case .percentile99999: range(without: 1e-5)
    case .entropy: entropyRange
    }
  }

  /// The range that leaves such a share of all numbers out at each end.
  private func range(without share: Double) -> ClosedRange<Float> {
    let most = Int(share * Double(counts.reduce(0, +)))
    func edge(_ bins: some Sequence<Int>) -> Int {
      var seen = 0
      for bin in bins {
        seen += counts[bin]
        if seen > most { return bin }
      }
      return Self.binCount / 2
    }
    let half = Self.binCount / 2
    let low = Float(edge(counts.indices) - half) * width
    let high = Float(edge(counts.indices.reversed()) + 1 - half) * width
    return min(0, max(least, low))...max(0, min(greatest, high))
  }

  /// The range with the least divergence of what its integers say from what was seen.
  private var entropyRange: ClosedRange<Float> {
    let largest = max(-least, greatest)
    var best = (divergence: Double.infinity, range: least...greatest)
    for part in stride(from: Float(1), to: 0.2, by: -0.02) {
      let range = max(least, -largest * part)...min(greatest, largest * part)
      let divergence = divergence(of: range)
      if divergence < best.divergence { best = (divergence, range) }
    }
    return best.range
  }

  /// The Kullback-Leibler divergence of the counts, those outside of a range at its ends, from the same
  /// spread over what each of 256 integers stands for.
  private func divergence(of range: ClosedRange<Float>) -> Double {
    let half = Self.binCount / 2
    let first = Int((range.lowerBound / width).rounded(.down)) + half
    let end = min(Self.binCount, Int((range.upperBound / width).rounded(.up)) + half)
    guard end > first else { return .infinity }
    var seen = counts[first..<end].map(Double.init)
    let inside = seen
    seen[0] += Double(counts[..<first].reduce(0, +))
    seen[seen.count - 1] += Double(counts[end...].reduce(0, +))
    let total = seen.reduce(0, +)
    var divergence = 0.0
    for integer in 0..<256 {
      let bins = seen.count * integer / 256..<seen.count * (integer + 1) / 256
      let used = Double(bins.count { seen[$0] > 0 })
      let share = bins.reduce(0) { $0 + inside[$1] } / max(1, used)
      for bin in bins where seen[bin] > 0 {
        // A bin that holds only what was outside has no share of its own.
        divergence += seen[bin] / total * log(seen[bin] / max(share, 1e-3))
      }
    }
    return divergence
  }
}
