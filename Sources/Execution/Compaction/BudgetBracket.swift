#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Where a budget is just met, as far as trials have shown; all in logarithms.
struct BudgetBracket {
  private struct Point {
    let place: Double
    let use: Double
  }

  private var points: [Point] = []
  private let grows: Bool
  private let limits: ClosedRange<Double>

  /// The part of a budget that is aimed at: 99 %.
  private static let goal = log(0.99)
  /// A smaller interval is not divided any more.
  private static let precision = 0.01

  /// - Parameters:
  ///   - grows: Whether the use grows with the factor; it falls otherwise.
  ///   - limits: The factors that may be tried.
  init(grows: Bool, limits: ClosedRange<Double>) {
    (self.grows, self.limits) = (grows, limits)
  }

  /// Takes what a trial used of the budget: at most 1 when it was met.
  mutating func add(_ factor: Double, use: Double) {
    points.append(Point(place: log(factor) * (grows ? 1 : -1), use: log(max(use, 1e-300))))
  }

  /// The next factor to try; `nil` when there is none.
  var next: Double? {
    guard let last = points.last else { return nil }
    let met = points.filter { $0.use <= 0 }.max { $0.place < $1.place }
    let unmet = points.filter { $0.use > 0 && $0.place > (met?.place ?? -.infinity) }
      .min { $0.place < $1.place }
    let place: Double
    if let met, let unmet, unmet.place - met.place > Self.precision {
      let part = (Self.goal - met.use) / (unmet.use - met.use)
      let share = part.isFinite ? min(0.9, max(0.1, part)) : 0.5
      place = met.place + (unmet.place - met.place) * share
    } else if let met, unmet != nil {
      guard let gap = widestGap(above: met) else { return nil }
      place = gap
    } else {
      place = beyond(met ?? last)
    }
    let factor = exp(place * (grows ? 1 : -1))
    let limited = min(max(factor, limits.lowerBound), limits.upperBound)
    let isKnown = points.contains { abs(abs($0.place) - abs(log(limited))) < 1e-9 }
    return isKnown ? nil : limited
  }

  /// Rounding makes errors jump up and down by more than the step does: what is met may lie above what
  /// is not. The middle of the widest interval up to where the trials, taken together, let the goal
  /// expect, and somewhat more.
  private func widestGap(above met: Point) -> Double? {
    let goals = points.map { $0.place + Self.goal - $0.use }.sorted()
    let end = goals[goals.count / 2] + 0.1
    var places = points.map(\.place).filter { $0 >= met.place && $0 < end }.sorted()
    places.append(max(end, met.place))
    let gap = zip(places, places.dropFirst()).max { $0.1 - $0.0 < $1.1 - $1.0 }
    guard let gap, gap.1 - gap.0 > 2 * Self.precision else { return nil }
    return (gap.0 + gap.1) / 2
  }

  /// Where all trials were on one side: the goal by the slope of the last two, or by 1.
  private func beyond(_ point: Point) -> Double {
    let others = points.filter { $0.place != point.place && $0.use != point.use }
    var slope = 1.0
    if let other = others.last {
      slope = min(4, max(0.2, (point.use - other.use) / (point.place - other.place)))
    }
    let distance = (Self.goal - point.use) / slope
    return point.place + (distance.isFinite ? min(5, max(-5, distance)) : -5)
  }
}
