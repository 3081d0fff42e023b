#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The error that at most one in 20 other inputs exceeds, estimated from errors that were measured.
///
/// Errors of inputs of one kind are spread about as a log-normal distribution, of one width for all
/// kinds. For each kind, its one-sided tolerance limit for 95 % of the inputs with 95 % confidence
/// is estimated (Natrella 1963, section 2-2.3). The bound is the largest limit, and at least the
/// largest error measured, with a margin, since inputs of other sources are not spread about in the
/// same way. With few inputs the width is hardly known, and a typical one counts too.
enum ErrorBound {
  /// The standard deviation of the logarithms of errors that is typical of trained networks.
  private static let typicalSpread = 0.4
  /// The number of inputs that the typical spread counts as.
  private static let typicalCount = 2.0
  /// The least margins for inputs of other sources, where at least 8 inputs were given, where fewer
  /// were, and where there are generated ones of one kind only, such as noise; and how many standard
  /// deviations the mean of another source may be higher: what trained networks needed
  /// (`Benchmarks/Compaction/bound.py`).
  private static let (margin, marginOfFew, marginOfNoise, shift) = (1.12, 1.2, 1.5, 1.0)
  /// The quantile of the standard normal distribution for 95 % of the inputs, and for 95 %
  /// confidence.
  private static let quantile = 1.645

  /// - Parameters:
  ///   - errors: The error of each input.
  ///   - kinds: The kind of each input, 0 for given ones; all are given when empty.
  static func value(_ errors: [Double], kinds: [Int]) -> Double {
    let worst = errors.max() ?? 0
    guard worst > 0, worst.isFinite else { return worst }
    let numbers = kinds.isEmpty ? [Int](repeating: 0, count: errors.count) : kinds
    let logarithms = Dictionary(grouping: zip(numbers, errors), by: \.0).values.map { errors in
      errors.map { log(max($0.1, worst * 1e-4)) }
    }
    let means = logarithms.map { $0.reduce(0, +) / Double($0.count) }
    let squares = zip(logarithms, means).map { logarithms, mean in
      logarithms.reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
    }
    let freedom = Double(errors.count - means.count) + typicalCount
    // Sorted so that the sum is reproducible.
    let square = squares.sorted().reduce(typicalCount * typicalSpread * typicalSpread, +)
    let spread = (square / freedom).squareRoot()
    let limits = zip(logarithms, means).map { logarithms, mean in
      exp(mean + factor(Double(logarithms.count), freedom) * spread)
    }
    let hasMany = numbers.count { $0 == 0 } >= 8
    let least = hasMany ? margin : means.count == 1 && numbers[0] > 0 ? marginOfNoise : marginOfFew
    return limits.reduce(worst, max) * max(least, exp(shift * spread))
  }

  /// How many standard deviations the limit is above the mean.
  private static func factor(_ count: Double, _ freedom: Double) -> Double {
    let first = 1 - quantile * quantile / (2 * freedom)
    let second = quantile * quantile * (1 - 1 / count)
    return (quantile + (quantile * quantile - first * second).squareRoot()) / first
  }
}
