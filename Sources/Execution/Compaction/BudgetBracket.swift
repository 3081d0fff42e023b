#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Brackets the factor that just meets a budget, from the trials so far; all in logarithms.
struct BudgetBracket {
  private struct Point {
    let position: Double
    let use: Double
  }

  private var points: [Point] = []
  private let grows: Bool
  private let limits: ClosedRange<Double>

  /// The targeted use of the budget: 99 %.
  private static let goal = log(0.99)
  /// The width below which an interval is not divided further.
  private static let precision = 0.01

  /// - Parameters:
  ///   - grows: Whether the use increases with the factor; otherwise it decreases.
  ///   - limits: The factors that may be tried.
  init(grows: Bool, limits: ClosedRange<Double>) {
    (self.grows, self.limits) = (grows, limits)
  }

  /// Records a trial's use of the budget: at most 1 if it was met.
  mutating func add(_ factor: Double, use: Double) {
    points.append(Point(position: log(factor) * (grows ? 1 : -1), use: log(max(use, 1e-300))))
  }

  /// The next factor to try; `nil` when there is none.
  var next: Double? {
    guard let last = points.last else { return nil }
    let met = points.filter { $0.use <= 0 }.max { $0.position < $1.position }
    let unmet = points.filter { $0.use > 0 && $0.position > (met?.position ?? -.infinity) }
      .min { $0.position < $1.position }
    let position: Double
    if let met, let unmet, unmet.position - met.position > Self.precision {
      let fraction = (Self.goal - met.use) / (unmet.use - met.use)
      let clampedFraction = fraction.isFinite ? min(0.9, max(0.1, fraction)) : 0.5
      position = met.position + (unmet.position - met.position) * clampedFraction
    } else if let met, unmet != nil {
      guard let gap = widestGap(above: met) else { return nil }
      position = gap
    } else {
      position = beyond(met ?? last)
    }
    let factor = exp(position * (grows ? 1 : -1))
    let limited = min(max(factor, limits.lowerBound), limits.upperBound)
    let isKnown = points.contains { abs(abs($0.position) - abs(log(limited))) < 1e-9 }
    return isKnown ? nil : limited
  }

  /// Rounding makes errors fluctuate by more than the step changes, so a larger factor may meet the
  /// budget although a smaller one did not. Returns the middle of the widest interval up to
  /// slightly beyond the median of the trials' extrapolations to the goal.
  private func widestGap(above met: Point) -> Double? {
    let goals = points.map { $0.position + Self.goal - $0.use }.sorted()
    let end = goals[goals.count / 2] + 0.1
    var positions = points.map(\.position).filter { $0 >= met.position && $0 < end }.sorted()
    positions.append(max(end, met.position))
    let gap = zip(positions, positions.dropFirst()).max { $0.1 - $0.0 < $1.1 - $1.0 }
    guard let gap, gap.1 - gap.0 > 2 * Self.precision else { return nil }
    return (gap.0 + gap.1) / 2
  }

  /// Extrapolates to the goal when all trials lie on one side, with the slope of the last two, or
  /// 1.
  private func beyond(_ point: Point) -> Double {
    let others = points.filter { $0.position != point.position && $0.use != point.use }
    var slope = 1.0
    if let other = others.last {
      slope = min(4, max(0.2, (point.use - other.use) / (point.position - other.position)))
    }
    let distance = (Self.goal - point.use) / slope
    return point.position + (distance.isFinite ? min(5, max(-5, distance)) : -5)
  }
}
