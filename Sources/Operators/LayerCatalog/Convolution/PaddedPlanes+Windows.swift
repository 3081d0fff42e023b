/// Walking over the windows of a plane. Written for speed within plain Swift: the innermost loop
/// takes neighbouring elements, so that the compiler can treat several at once.
extension PaddedPlanes {
  /// Windows that lie at equal distances in a plane and whose results are neighbours.
  struct Run: Sendable {
    /// The offset in a plane of the first window.
    let source: Int
    /// The position of the first result.
    let target: Int
    /// The number of windows.
    let count: Int
  }

  /// The number of results that ``combine(_:weights:into:with:)`` updates. Between two rows of the
  /// output there may be some that belong to no row.
  var resultCount: Int { runs.last.map { $0.target + $0.count } ?? 0 }

  /// Adds, at each position of the window, the sum of its elements times the weights.
  func accumulate(
    _ plane: ArraySlice<Double>, weights: ArraySlice<Double>, into sums: inout [Double]
  ) {
    combine(plane, weights: weights, into: &sums) { $0 + $1 * $2 }
  }

  /// At each position of the window, brings its elements with their weights into the result.
  ///
  /// - Parameters:
  ///   - results: As many as ``resultCount``.
  ///   - operation: The new result for the one so far, an element and its weight.
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
  /// So many results stay in the processor's nearest cache while all weights are applied to them.
  private static let length = 1024

  /// The runs of an output, and where in the results each of its rows begins.
  ///
  /// With neighbouring windows one element apart, the windows of all rows lie in one run, those
  /// that hang over from one row into the next included: long loops are worth more than those.
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
