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
  /// A smaller interval is not searched any more.
  private static let precision = 0.002

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
    if let met, let unmet {
      let width = unmet.place - met.place
      guard width > Self.precision else { return nil }
      let part = (Self.goal - met.use) / (unmet.use - met.use)
      place = met.place + width * (part.isFinite ? min(0.9, max(0.1, part)) : 0.5)
    } else {
      place = beyond(met ?? last)
    }
    let factor = exp(place * (grows ? 1 : -1))
    let limited = min(max(factor, limits.lowerBound), limits.upperBound)
    let isKnown = points.contains { abs(abs($0.place) - abs(log(limited))) < 1e-9 }
    return isKnown ? nil : limited
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
