/// The numbers that stand for many others with the least square error: k-means in one dimension.
///
/// Numbers in order are divided into cells, few enough to find the best means of the cells exactly; then
/// each mean is moved to the middle of the numbers nearest to it as long as that changes something (Lloyd
/// 1982). With running sums a pass over all numbers costs a search for each mean.
struct OneDimensionalMeans {
  /// Rising; `count` of them, some of which may be equal.
  let means: [Float]

  /// The most passes.
  private static let passCount = 300

  /// - Parameters:
  ///   - numbers: Finite, at least one.
  ///   - count: How many means.
  init(of numbers: [Float], count: Int) {
    let sorted = numbers.sorted()
    let sums = RunningSums(sorted)
    var means = CellDivision(sorted, sums).means(count)
    for _ in 0..<Self.passCount {
      let next = Self.moved(means, sorted, sums)
      guard next != means else { break }
      means = next
    }
    self.means = means.map { Float($0) }
  }

  /// The means of what is nearest to each.
  private static func moved(
    _ means: [Double], _ sorted: [Float], _ sums: RunningSums
  ) -> [Double] {
    var start = 0
    return means.indices.map { number in
      let end =
        number + 1 < means.count
        ? max(start, firstIndex(of: (means[number] + means[number + 1]) / 2, in: sorted))
        : sorted.count
      defer { start = end }
      return end > start ? sums.mean(start..<end) : means[number]
    }
  }

  private static func firstIndex(of limit: Double, in sorted: [Float]) -> Int {
    var (low, high) = (0, sorted.count)
    while low < high {
      let middle = (low + high) / 2
      if Double(sorted[middle]) < limit { low = middle + 1 } else { high = middle }
    }
    return low
  }
}

/// Sums of the first numbers of a list, and of their squares.
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

  /// The sum of the squares of the distances from the mean.
  func error(_ range: Range<Int>) -> Double {
    guard !range.isEmpty else { return 0 }
    let sum = sums[range.upperBound] - sums[range.lowerBound]
    return squares[range.upperBound] - squares[range.lowerBound] - sum * sum / Double(range.count)
  }
}

/// Sorted numbers in cells, and the best division of the cells.
private struct CellDivision {
  /// Where the cells begin, and the end.
  private let borders: [Int]
  private let sums: RunningSums

  /// Cells of equal numbers of elements, and of equal width, so that neither many alike numbers nor a few
  /// far away are lumped together.
  init(_ sorted: [Float], _ sums: RunningSums) {
    self.sums = sums
    let count = sorted.count
    guard count > Self.cellCount else {
      borders = Array(0...count)
      return
    }
    var borders = Set((0...Self.cellCount / 2).map { $0 * count / (Self.cellCount / 2) })
    let (low, high) = (sorted[0], sorted[count - 1])
    var index = 0
    for cell in 1..<Self.cellCount / 2 {
      let limit = low + (high - low) * Float(cell) / Float(Self.cellCount / 2)
      while index < count, sorted[index] < limit { index += 1 }
      borders.insert(index)
    }
    self.borders = borders.sorted()
  }

  private static let cellCount = 1024

  /// The means of the division into `count` parts with the least error, by dynamic programming: where
  /// the last part begins rises with its end, so each search is confined by its neighbors'.
  func means(_ count: Int) -> [Double] {
    let cells = borders.count - 1
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
    sums.error(borders[start]..<borders[end])
  }

  private func mean(_ start: Int, _ end: Int) -> Double {
    // A part without numbers stands where it is.
    let range = borders[start]..<borders[end]
    if !range.isEmpty { return sums.mean(range) }
    return borders[start] > 0 ? sums.mean(borders[start] - 1..<borders[start]) : sums.mean(0..<1)
  }

  /// For ends of a part, the best beginning among some; halves the ends.
  private func search(
    _ ends: ClosedRange<Int>, _ beginnings: ClosedRange<Int>, _ errors: [Double],
    _ next: inout [Double], _ starts: inout [Int]
  ) {
    let end = (ends.lowerBound + ends.upperBound) / 2
    var best = (error: Double.infinity, start: beginnings.lowerBound)
    for start in beginnings.lowerBound...max(beginnings.lowerBound, min(end, beginnings.upperBound))
    {
      let error = errors[min(start, end)] + error(min(start, end), end)
      if error < best.error { best = (error, min(start, end)) }
    }
    (next[end], starts[end]) = (best.error, best.start)
    if ends.lowerBound < end {
      search(ends.lowerBound...end - 1, beginnings.lowerBound...best.start, errors, &next, &starts)
    }
    if end < ends.upperBound {
      search(
        end + 1...ends.upperBound, best.start...max(best.start, beginnings.upperBound), errors,
        &next, &starts)
    }
  }
}
