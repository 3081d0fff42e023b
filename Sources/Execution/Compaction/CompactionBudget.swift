package import Bytes
package import GraphIR

/// What a compacted model may lose, or how large it may be.
package enum CompactionBudget: Sendable {
  /// The relative error (L2) of each output that no evaluation example exceeds, and of other inputs
  /// at most one in 20; above 0.
  case error(Double)
  /// The maximum size of the weights in bytes.
  case size(Int)
  /// The minimum fraction of answers that must stay the same, above 0 and at most 1.
  case answers(Double, AnswerComparison)

  /// Checks that the budget is valid.
  ///
  /// - Throws: ``WeighbridgeError/Code/mismatch`` for an invalid budget.
  package func check() throws(WeighbridgeError) {
    switch self {
    case .error(let error):
      guard error > 0, error.isFinite else {
        throw .mismatch("the largest error must be above 0 and finite, not \(error)")
      }
    case .size(let size):
      guard size > 0 else { throw .mismatch("\(size) bytes are no budget; it must be above 0") }
    case .answers(let share, _):
      guard share > 0, share <= 1 else {
        throw .mismatch(
          "the share of the answers must be above 0 and at most 1, not \(share)")
      }
    }
  }
}

/// Answers that are read from outputs, such as the most likely class or the boxes of a detector.
package struct AnswerComparison: Sendable {
  /// What the answers are, for example `top-1 classes`.
  package let name: String
  /// Counts the answers that the expected outputs of one example give, and how many of them the
  /// actual outputs give too.
  package let compare:
    @Sendable (_ actual: [Tensor], _ expected: [Tensor]) throws(WeighbridgeError) -> AnswerCount

  /// Creates a comparison.
  package init(
    name: String,
    compare:
      @escaping @Sendable (_ actual: [Tensor], _ expected: [Tensor]) throws(WeighbridgeError)
      -> AnswerCount
  ) {
    (self.name, self.compare) = (name, compare)
  }

  /// Compares the answers of several examples, `[examples][outputs]`.
  func count(
    _ actual: [[Tensor]], _ expected: [[Tensor]]
  ) throws(WeighbridgeError) -> AnswerCount {
    var sum = AnswerCount(kept: 0, count: 0)
    for (actual, expected) in zip(actual, expected) {
      let count = try compare(actual, expected)
      sum.kept += count.kept
      sum.count += count.count
    }
    return sum
  }

  /// The index of the largest number of each row of the outputs, along their last axis.
  package static let largest = AnswerComparison(name: "top-1 classes") { actual, expected in
    var count = AnswerCount(kept: 0, count: 0)
    for (actual, expected) in zip(actual, expected) {
      let pairs = zip(actual.largestOfRows, expected.largestOfRows)
      count.count += expected.largestOfRows.count
      count.kept += pairs.reduce(0) { $0 + ($1.0 == $1.1 ? 1 : 0) }
    }
    return count
  }
}

/// A count of answers that stayed the same.
package struct AnswerCount: Hashable, Sendable {
  /// The number of answers that stayed the same.
  package var kept: Int
  /// The number of expected answers.
  package var count: Int

  /// Creates a count.
  package init(kept: Int, count: Int) { (self.kept, self.count) = (kept, count) }

  /// The fraction of answers that stayed the same; 1 if there are none.
  package var share: Double { count == 0 ? 1 : Double(kept) / Double(count) }
}

extension Tensor {
  fileprivate var largestOfRows: [Int] {
    let width = max(1, shape.last ?? 1)
    let numbers = doubles
    return stride(from: 0, to: numbers.count, by: width).map { start in
      (start..<start + width).max { (numbers[$0], $1) < (numbers[$1], $0) } ?? start
    }
  }
}
