package import Bytes
package import GraphIR

/// The boxes that remain of each class and each image after greedy non-maximum suppression, as in
/// ONNX's `NonMaxSuppression`.
///
/// - boxes: float32 `[images, boxes, 4]`: two opposite corners, y, x, y, x; or center x, center y,
///   width and height
/// - scores: float32 `[images, classes, boxes]`
/// - output: int64 `[selected, 3]`: image, class and box, by ascending image and class, then by
///   descending score
///
/// How many boxes remain depends on the elements, so this size is known only when the model runs.
package struct BoxSelection: ExactOperator, DataDependentOperator {
  /// The largest number of boxes of a class in an image.
  package let maximumCount: Int
  /// The overlap (intersection over union) above which the box with the lower score is removed.
  package let overlapThreshold: Double
  /// The score that a box must exceed; `nil` if any number is enough.
  package let scoreThreshold: Double?
  /// Whether boxes are given by their center and size.
  package let isCentered: Bool

  package static let kind = "box_selection"
  package static let version = 1

  package static let declaration = OperatorDeclaration<Self>(
    """
    overlap(a, b) = area of the intersection / area of the union, each step rounded to float32;
      0 unless the intersection and both boxes have an area
    for each image, for each class: kept = []
      for each box with score > score_threshold (if absent, with any but NaN), by descending score, of equal scores the lower
      index first: append box to kept if it has fewer than max_boxes and
        overlap(k, box) <= iou_threshold for every k in kept
    output: (image, class, box) for all that are kept
    The number of rows depends on the elements.
    """,
    inputs: [.data("boxes", .float), .data("scores", .same(as: "boxes"))],
    outputs: [.of(.int64)],
    attributes: AttributeSchema(
      Self.init(maximumCount:overlapThreshold:scoreThreshold:isCentered:),
      .integer(
        "max_boxes", \.maximumCount, "The largest number of boxes of a class in an image.",
        .atLeast(0)),
      .real(
        "iou_threshold", \.overlapThreshold,
        "The overlap above which the box with the lower score is removed.", .finite),
      .real(
        "score_threshold", \.scoreThreshold,
        "The score that a box must exceed; absent if any number is enough.", .finite,
        presence: .optional("any number, not NaN")),
      .boolean(
        "centered", \.isCentered,
        "Whether boxes are given by center and size, not by two corners.")))

  /// Creates the operator.
  package init(
    maximumCount: Int, overlapThreshold: Double, scoreThreshold: Double?, isCentered: Bool
  ) {
    self.maximumCount = maximumCount
    self.overlapThreshold = overlapThreshold
    self.scoreThreshold = scoreThreshold
    self.isCentered = isCentered
  }
}

extension BoxSelection {
  package func outputTypes(of inputs: [TensorType]) throws(ShapeError) -> [TensorType] {
    let (boxes, scores) = (inputs[0], inputs[1])
    guard boxes.rank == 3, scores.rank == 3, boxes.elementType.isFloat,
      boxes.elementType == scores.elementType, boxes.shape[0].agrees(with: scores.shape[0]),
      boxes.shape[1].agrees(with: scores.shape[2]), boxes.shape[2].agrees(with: 4)
    else {
      throw ShapeError(
        "takes [images, boxes, 4] and [images, classes, boxes], not \(boxes) and \(scores)")
    }
    return [TensorType(.int64, [.unknown, 3])]
  }

  package func evaluate(
    _ inputs: [Tensor], workers: Workers
  ) throws(WeighbridgeError) -> [Tensor] {
    do throws(ShapeError) { _ = try outputTypes(of: inputs.map(\.type)) } catch {
      throw .mismatch(error.reason)
    }
    let (classCount, boxCount) = (inputs[1].shape[1], inputs[1].shape[2])
    let (numbers, scores) = (inputs[0].doubles.map(Float.init), inputs[1].doubles)
    let boxes = (0..<numbers.count / 4).map { index in
      let box = Array(numbers[index * 4..<index * 4 + 4])
      return isCentered ? CornerBox(centered: box) : CornerBox(corners: box)
    }
    let selected = workers.map(inputs[1].shape[0] * classCount) { lane in
      let image = lane / max(1, classCount)
      let kept = kept(
        Array(boxes[image * boxCount..<(image + 1) * boxCount]),
        Array(scores[lane * boxCount..<(lane + 1) * boxCount]))
      return kept.flatMap { [Int64(image), Int64(lane % classCount), Int64($0)] }
    }
    let rows = selected.flatMap { $0 }
    return [Tensor(wrapping: .int64, shape: [rows.count / 3, 3], rows)]
  }

  /// The indices of the boxes of one class that remain, by descending score.
  private func kept(_ boxes: [CornerBox], _ scores: [Double]) -> [Int] {
    let ranked = scores.indices.filter { index in
      scoreThreshold.map { scores[index] > $0 } ?? !scores[index].isNaN
    }.sorted { (scores[$1], $0) < (scores[$0], $1) }
    let limit = Float(overlapThreshold)
    var kept: [Int] = []
    for box in ranked where kept.count < maximumCount {
      if kept.allSatisfy({ boxes[$0].overlap(boxes[box]) <= limit }) { kept.append(box) }
    }
    return kept
  }

  package func permutingAxes(_ axes: [Int]) -> BoxSelection? { nil }
}

/// A box by its corners, in the arithmetic of float32, in which ONNX's runtimes compare overlaps.
private struct CornerBox {
  private let minimum: SIMD2<Float>
  private let maximum: SIMD2<Float>

  /// - Parameter corners: y, x, y, x of two opposite corners.
  init(corners: [Float]) {
    let (first, second) = (SIMD2(corners[0], corners[1]), SIMD2(corners[2], corners[3]))
    minimum = pointwiseMin(first, second)
    maximum = pointwiseMax(first, second)
  }

  /// - Parameter numbers: Center x, center y, width, height.
  init(centered numbers: [Float]) {
    let (center, half) = (
      SIMD2(numbers[1], numbers[0]), SIMD2(numbers[3] / 2, numbers[2] / 2)
    )
    minimum = center - half
    maximum = center + half
  }

  private var area: Float { (maximum.y - minimum.y) * (maximum.x - minimum.x) }

  /// The area of the intersection divided by that of the union; 0 without an intersection.
  func overlap(_ other: CornerBox) -> Float {
    let start = pointwiseMax(minimum, other.minimum)
    let end = pointwiseMin(maximum, other.maximum)
    guard end.x > start.x, end.y > start.y else { return 0 }
    let intersection = (end.y - start.y) * (end.x - start.x)
    let union = area + other.area - intersection
    guard intersection > 0, area > 0, other.area > 0, union > 0 else { return 0 }
    return intersection / union
  }
}
