/// Iteration over the windows of a plane. The innermost loop processes consecutive elements, so
/// that the compiler can vectorize it.
extension PaddedPlanes {
  /// Windows at equal distances in a plane, whose results are consecutive.
  struct Run: Sendable {
    /// The offset in a plane of the first window.
    let source: Int
    /// The index of the first result.
    let target: Int
    /// The number of windows.
    let count: Int
  }

  /// The number of results that ``combine(_:weights:into:with:)`` updates. Some between two rows of
  /// the output may be unused.
  var resultCount: Int { runs.last.map { $0.target + $0.count } ?? 0 }

  /// Adds to each result the weighted sum of the elements of its window.
  func accumulate(
    _ plane: ArraySlice<Double>, weights: ArraySlice<Double>, into sums: inout [Double]
  ) {
    combine(plane, weights: weights, into: &sums) { $0 + $1 * $2 }
  }

  /// Combines each result with the elements of its window and their weights.
  ///
  /// - Parameters:
  ///   - results: ``resultCount`` elements.
  ///   - operation: Returns the new result from the previous one, an element and its weight.
  @inline(__always)
  func combine(
    _ plane: ArraySlice<Double>, weights: ArraySlice<Double>, into results: inout [Double],
    with operation: (_ result: Double, _ element: Double, _ weight: Double) -> Double
  ) {
    let plane = plane.span
    var results = results.mutableSpan
    for run in runs {
      for (weight, tap) in zip(weights, tapOffsets) {
        let elements = plane.extracting((run.source + tap)...)
        if step == 1 {
          for index in 0..<run.count {
            results[run.target + index] = operation(
              results[run.target + index], elements[index], weight)
          }
        } else {
          for index in 0..<run.count {
            results[run.target + index] = operation(
              results[run.target + index], elements[index * step], weight)
          }
        }
      }
    }
  }
}

extension PaddedPlanes.Run {
  /// The number of results that stay in the L1 cache while all weights are applied to them.
  private static let length = 1024

  /// Returns the runs of an output, and the start of each of its rows in the results.
  ///
  /// If adjacent windows are one element apart, the windows of all rows form one run, including
  /// those that extend from one row into the next: a long loop is worth the extra work.
  static func layOut(rows: [Int], width: Int, step: Int) -> (runs: [Self], rowStarts: [Int]) {
    guard step == 1 else {
      let starts = rows.indices.map { $0 * width }
      return (zip(rows, starts).map { Self(source: $0, target: $1, count: width) }, starts)
    }
    let count = (rows.last ?? 0) + width
    let runs = stride(from: 0, to: count, by: length).map { start in
      Self(source: start, target: start, count: min(length, count - start))
    }
    return (runs, rows)
  }
}
