package import Bytes
package import GraphIR

/// The boxes that remain after greedy non-maximum suppression, the most confident first, as in a
/// Core ML `NonMaximumSuppression` model or ONNX's `NonMaxSuppression`.
///
/// - confidence: `[boxes, classes]`
/// - coordinates: `[boxes, 4]`: center x, center y, width and height in any unit
/// - outputs: the remaining rows of both inputs, then a row of zeros for each removed box, so that
///   the shapes are the inputs'
package struct NonMaxSuppression: ExactOperator, PrimitiveOperator {
  /// The overlap (intersection over union) above which the less confident of two boxes is removed.
  package let overlapThreshold: Double
  /// The confidence below which a box is removed.
  package let confidenceThreshold: Double
  /// Which boxes suppress each other.
  package let scope: Scope

  /// Which boxes suppress each other.
  package enum Scope: String, Hashable, Sendable, CaseIterable {
    /// All.
    case all
    /// Those with the same best class.
    case sameBestClass = "same_best_class"
    /// All boxes, separately for each class, by their confidences for that class.
    case eachClass = "each_class"
  }

  package static let kind = "non_max_suppression"
  package static let version = 1

  package static let declaration = OperatorDeclaration<Self>(
    """
    overlap(a, b) = area of the intersection / area of the union; 0 if the union has no area
    suppress(boxes, score): kept = []
      for each box, by descending score, of equal scores the lower row first:
        append box to kept, unless overlap(k, box) > iou_threshold for a k in kept
        (with same_best_class only a k whose best class is that of box counts)
    score(row) = the largest confidence of the row; best class: the first that has it
    all, same_best_class: rows = suppress(rows with score >= score_threshold)
    each_class:
      for each class c: set the confidence of c to 0 in all rows but
        suppress(rows with confidence of c > score_threshold, by confidence of c)
      rows = all rows with score != 0, by descending score, of equal scores the lower row first
    outputs: these rows of both (with the confidences set to 0), then rows of zeros
    """,
    inputs: [.data("confidence", .float), .data("coordinates", .same(as: "confidence"))],
    outputs: [.like("confidence", as: "confidence"), .like("coordinates", as: "coordinates")],
    attributes: AttributeSchema(
      Self.init(overlapThreshold:confidenceThreshold:scope:),
      .real(
        "iou_threshold", \.overlapThreshold,
        "The overlap above which the box with the lower score is removed.", .finite),
      .real(
        "score_threshold", \.confidenceThreshold,
        "The confidence below which a box is removed; see the formula.", .finite),
      .choice("scope", \.scope, "Which boxes can remove each other.") {
        switch $0 {
        case .all: "all"
        case .sameBestClass: "those of the same best class"
        case .eachClass: "all, separately for each class"
        }
      }))

  /// Creates the operator.
  package init(overlapThreshold: Double, confidenceThreshold: Double, scope: Scope) {
    self.overlapThreshold = overlapThreshold
    self.confidenceThreshold = confidenceThreshold
    self.scope = scope
  }
}

extension NonMaxSuppression {
  package func outputTypes(of inputs: [TensorType]) throws(ShapeError) -> [TensorType] {
    let (confidence, coordinates) = (inputs[0], inputs[1])
    guard confidence.rank == 2, coordinates.rank == 2, confidence.elementType.isFloat,
      confidence.elementType == coordinates.elementType,
      confidence.shape[0].agrees(with: coordinates.shape[0]),
      coordinates.shape[1].agrees(with: 4)
    else {
      throw ShapeError(
        "takes [boxes, classes] and [boxes, 4], not \(confidence) and \(coordinates)")
    }
    let boxes = confidence.shape[0].value == nil ? coordinates.shape[0] : confidence.shape[0]
    return [
      confidence.with(shape: [boxes, confidence.shape[1]]), coordinates.with(shape: [boxes, 4]),
    ]
  }

  package func evaluate(
    _ inputs: [Tensor], workers: Workers
  ) throws(WeighbridgeError) -> [Tensor] {
    let classCount = inputs[0].shape[1]
    var (confidences, coordinates) = (inputs[0].doubles, inputs[1].doubles)
    if scope == .eachClass {
      confidences = suppressedInEachClass(confidences, coordinates, classCount: classCount)
    }
    let boxes = (0..<inputs[0].shape[0]).compactMap { row in
      ScoredBox(
        row: row, confidences: confidences[row * classCount..<(row + 1) * classCount],
        coordinates: Array(coordinates[row * 4..<row * 4 + 4]))
    }
    let rows =
      scope == .eachClass
      ? Self.ranked(boxes.filter { $0.confidence != 0 }).map(\.row)
      : surviving(boxes.filter { $0.confidence >= confidenceThreshold }).map(\.row)
    return [
      Self.rows(rows, of: confidences, width: classCount, like: inputs[0]),
      Self.rows(rows, of: coordinates, width: 4, like: inputs[1]),
    ]
  }

  /// Returns the confidences, with 0 for the classes in which a box is suppressed.
  private func suppressedInEachClass(
    _ confidences: [Double], _ coordinates: [Double], classCount: Int
  ) -> [Double] {
    var result = [Double](repeating: 0, count: confidences.count)
    for column in 0..<classCount {
      let boxes = stride(from: column, to: confidences.count, by: classCount).compactMap { index in
        let row = index / classCount
        return ScoredBox(
          row: row, confidences: confidences[index...index],
          coordinates: Array(coordinates[row * 4..<row * 4 + 4]))
      }
      for box in surviving(boxes.filter { $0.confidence > confidenceThreshold }) {
        result[box.row * classCount + column] = box.confidence
      }
    }
    return result
  }

  /// Sorts boxes by decreasing confidence; equally confident ones by row.
  private static func ranked(_ boxes: [ScoredBox]) -> [ScoredBox] {
    boxes.sorted { ($1.confidence, $0.row) < ($0.confidence, $1.row) }
  }

  /// Returns the boxes that no other suppresses, the most confident first.
  private func surviving(_ boxes: [ScoredBox]) -> [ScoredBox] {
    var kept: [ScoredBox] = []
    for box in Self.ranked(boxes) where !kept.contains(where: { suppresses($0, box) }) {
      kept.append(box)
    }
    return kept
  }

  /// Returns some rows of a matrix, followed by zeros.
  private static func rows(
    _ rows: [Int], of numbers: [Double], width: Int, like tensor: Tensor
  ) -> Tensor {
    let kept = rows.flatMap { numbers[$0 * width..<($0 + 1) * width] }
    let zeros = [Double](repeating: 0, count: numbers.count - kept.count)
    return Tensor(tensor.elementType, shape: tensor.shape, kept + zeros)
  }

  private func suppresses(_ strong: ScoredBox, _ weak: ScoredBox) -> Bool {
    (scope != .sameBestClass || strong.bestClass == weak.bestClass)
      && strong.overlap(weak) > overlapThreshold
  }

  package func permutingAxes(_ axes: [Int]) -> NonMaxSuppression? { nil }
}

/// A box with its best class.
private struct ScoredBox {
  let row: Int
  let bestClass: Int
  let confidence: Double
  /// Center x, center y, width and height.
  let coordinates: [Double]

  /// Returns `nil` when there are no classes.
  init?(row: Int, confidences: ArraySlice<Double>, coordinates: [Double]) {
    guard var best = confidences.indices.first else { return nil }
    for index in confidences.indices where confidences[index] > confidences[best] { best = index }
    self.row = row
    bestClass = best - confidences.startIndex
    confidence = confidences[best]
    self.coordinates = coordinates
  }

  /// The area of the intersection divided by that of the union; 0 if both boxes are empty.
  func overlap(_ other: ScoredBox) -> Double {
    let sides = (0..<2).map { axis in
      let ends = [self, other].map { $0.coordinates[axis] + $0.coordinates[axis + 2] / 2 }
      let starts = [self, other].map { $0.coordinates[axis] - $0.coordinates[axis + 2] / 2 }
      return max(0, min(ends[0], ends[1]) - max(starts[0], starts[1]))
    }
    let intersection = sides[0] * sides[1]
    let union =
      coordinates[2] * coordinates[3] + other.coordinates[2] * other.coordinates[3] - intersection
    return union > 0 ? intersection / union : 0
  }
}
