/// K-means in one dimension: the values that represent many numbers with the least squared error.
///
/// The sorted numbers are grouped into cells, few enough to find their best means exactly; then
/// each mean is moved to the mean of the numbers nearest to it until nothing changes (Lloyd 1982).
/// With prefix sums, an iteration costs one binary search per mean.
struct OneDimensionalMeans {
  /// Ascending; `count` values, some of which may be equal.
  let means: [Float]

  /// The maximum number of iterations.
  private static let passCount = 300

  /// - Parameters:
  ///   - numbers: Finite, at least one.
  ///   - count: How many means.
  init(of numbers: [Float], count: Int) {
    let sorted = numbers.sorted()
    let sums = RunningSums(sorted)
    var means = CellDivision(sorted, sums).means(count)
    for _ in 0..<Self.passCount {
      let next = Self.lloydStep(means, sorted, sums)
      guard next != means else { break }
      means = next
    }
    self.means = means.map { Float($0) }
  }

  /// The means of the numbers nearest to each mean.
  private static func lloydStep(
    _ means: [Double], _ sorted: [Float], _ sums: RunningSums
  ) -> [Double] {
    var start = 0
    return means.indices.map { number in
      let end =
        number + 1 < means.count
        ? max(start, firstIndex(notBelow: (means[number] + means[number + 1]) / 2, in: sorted))
        : sorted.count
      defer { start = end }
      return end > start ? sums.mean(start..<end) : means[number]
    }
  }

  private static func firstIndex(notBelow limit: Double, in sorted: [Float]) -> Int {
    var (low, high) = (0, sorted.count)
    while low < high {
      let middle = (low + high) / 2
      if Double(sorted[middle]) < limit { low = middle + 1 } else { high = middle }
    }
    return low
  }
}

/// Prefix sums of a list of numbers and of their squares.
private struct RunningSums {
  private var sums = [0.0]
  private var squares = [0.0]

  init(_ numbers: [Float]) {
    sums.reserveCapacity(numbers.count + 1)
    squares.reserveCapacity(numbers.count + 1)
    for number in numbers {
      sums.append(sums[sums.count - 1] + Double(number))
      squares.append(squares[squares.count - 1] + Double(number) * Double(number))
    }
  }

  func mean(_ range: Range<Int>) -> Double {
    (sums[range.upperBound] - sums[range.lowerBound]) / Double(range.count)
  }

  /// The sum of squared deviations from the mean.
  func error(_ range: Range<Int>) -> Double {
    guard !range.isEmpty else { return 0 }
    let sum = sums[range.upperBound] - sums[range.lowerBound]
    return squares[range.upperBound] - squares[range.lowerBound] - sum * sum / Double(range.count)
  }
}

/// Sorted numbers grouped into cells, and the optimal partition of the cells.
private struct CellDivision {
  /// The first index of each cell, and the end.
  private let boundaries: [Int]
  private let sums: RunningSums

  /// Combines cells of equal count with cells of equal width, so that neither dense clusters nor
  /// outliers are merged.
  init(_ sorted: [Float], _ sums: RunningSums) {
    self.sums = sums
    let count = sorted.count
    guard count > Self.cellCount else {
      boundaries = Array(0...count)
      return
    }
    var boundaries = Set((0...Self.cellCount / 2).map { $0 * count / (Self.cellCount / 2) })
    let (low, high) = (sorted[0], sorted[count - 1])
    var index = 0
    for cell in 1..<Self.cellCount / 2 {
      let limit = low + (high - low) * Float(cell) / Float(Self.cellCount / 2)
      while index < count, sorted[index] < limit { index += 1 }
      boundaries.insert(index)
    }
    self.boundaries = boundaries.sorted()
  }

  private static let cellCount = 1024

  /// The means of the partition into `count` parts with the least error, by dynamic programming.
  /// The start of the last part increases with its end, so each search is bounded by its neighbors'
  /// results.
  func means(_ count: Int) -> [Double] {
    let cells = boundaries.count - 1
    var errors = (0...cells).map { error(0, $0) }
    var starts: [[Int]] = []
    for _ in 1..<max(1, count) {
      var (next, start) = (errors, [Int](repeating: 0, count: cells + 1))
      search(0...cells, 0...cells, errors, &next, &start)
      (errors, starts) = (next, starts + [start])
    }
    var (end, means) = (cells, [Double]())
    for level in starts.indices.reversed() {
      let start = starts[level][end]
      means.append(mean(start, end))
      end = start
    }
    means.append(mean(0, end))
    return means.reversed()
  }

  private func error(_ start: Int, _ end: Int) -> Double {
    sums.error(boundaries[start]..<boundaries[end])
  }

  private func mean(_ start: Int, _ end: Int) -> Double {
    // An empty part gets the mean of the preceding number.
    let range = boundaries[start]..<boundaries[end]
    if !range.isEmpty { return sums.mean(range) }
    return boundaries[start] > 0
      ? sums.mean(boundaries[start] - 1..<boundaries[start]) : sums.mean(0..<1)
  }

  /// Finds the best start for each end of a part, by divide and conquer over the ends.
  private func search(
    _ ends: ClosedRange<Int>, _ candidates: ClosedRange<Int>, _ errors: [Double],
    _ next: inout [Double], _ starts: inout [Int]
  ) {
    let end = (ends.lowerBound + ends.upperBound) / 2
    var best = (error: Double.infinity, start: candidates.lowerBound)
    for start in candidates.lowerBound...max(candidates.lowerBound, min(end, candidates.upperBound))
    {
      let error = errors[min(start, end)] + error(min(start, end), end)
      if error < best.error { best = (error, min(start, end)) }
    }
    (next[end], starts[end]) = (best.error, best.start)
    if ends.lowerBound < end {
      search(ends.lowerBound...end - 1, candidates.lowerBound...best.start, errors, &next, &starts)
    }
    if end < ends.upperBound {
      search(
        end + 1...ends.upperBound, best.start...max(best.start, candidates.upperBound), errors,
        &next, &starts)
    }
  }
}
