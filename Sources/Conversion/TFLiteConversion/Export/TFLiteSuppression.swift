import Bytes
import ConversionCore
import FlatBuffers
import GraphIR
import LayerCatalog
import TFLiteFormat

/// Non-maximum suppression, for one image: with built-in operators, or with the custom operator
/// `TFLite_Detection_PostProcess`. Both give the outputs that Google's libraries expect of a
/// detector (``outputNames``), of a fixed number of detections.
///
/// - `[1, detections, 4]`: top, left, bottom and right edge in the input's unit square
/// - `[1, detections]`: the position of the class, from 0
/// - `[1, detections]`: the confidence; the first is the highest
/// - `[1]`: the number of detections; what follows them is meaningless
struct TFLiteSuppression {
  private let scoreThreshold, iouThreshold: Double
  private let isDistance: Bool
  private let hasAnchors: Bool
  private let usesCustomOperator: Bool

  /// The number of detections.
  static let count = 100
  /// The names by which Google's libraries find the outputs.
  static let outputNames = ["location", "category", "score", "number of detections"]
  private static let customOperator = "TFLite_Detection_PostProcess"

  /// - Throws: ``WeighbridgeError/Code/unsupported`` for class-agnostic suppression.
  init(
    _ detector: DetectorDescription, usesCustomOperator: Bool
  ) throws(WeighbridgeError) {
    guard detector.suppression != .classAgnostic else {
      throw .unsupported(
        "suppresses the boxes of all classes at once, and TFLite those of each class separately "
          + "(\(APIName.withoutNMS) writes the heads as they are)")
    }
    scoreThreshold =
      detector.confidenceThreshold ?? DetectorDescription.defaultConfidenceThreshold
    let suppresses = detector.suppression.map { $0 != .none } ?? true
    iouThreshold =
      suppresses ? detector.iouThreshold ?? DetectorDescription.defaultIoUThreshold : 1
    (isDistance, hasAnchors) = (detector.suppression == .distance, detector.kind != .boxes)
    self.usesCustomOperator = usesCustomOperator
  }

  /// How the file's suppression differs from the detector's own, as messages.
  var losses: [String] {
    (hasAnchors ? ["the detector's anchors and masks are not in the file, which gives boxes"] : [])
      + (isDistance ? [DetectionDecoding.distanceLoss] : [])
      + ["it gives \(Self.count) detections at most"]
      + (usesCustomOperator
        ? ["it needs the custom operator \(Self.customOperator), which Google's libraries have"]
        : [])
  }

  /// Adds the operators.
  ///
  /// - Parameters:
  ///   - confidence: `[boxes, classes]`
  ///   - coordinates: `[boxes, 4]`: center x, center y, width and height.
  /// - Returns: The values of ``outputNames``.
  func add(
    confidence: ExportOperand, coordinates: ExportOperand, to builder: inout TFLiteBuilder
  ) throws(WeighbridgeError) -> [ExportOperand] {
    builder.scope = ExportScope(prefix: "suppression")
    return usesCustomOperator
      ? try addCustom(confidence, coordinates, &builder)
      : try addBuiltIn(confidence, coordinates, &builder)
  }

  /// The types of the outputs.
  private var types: [TensorType] {
    let count = Dimension.fixed(Self.count)
    let shapes: [[Dimension]] = [[1, count, 4], [1, count], [1, count], [1]]
    return shapes.map { TensorType(.float32, $0) }
  }
}

/// With built-in operators.
extension TFLiteSuppression {
  /// Selects boxes for each class, and of these the most confident.
  private func addBuiltIn(
    _ confidence: ExportOperand, _ coordinates: ExportOperand, _ builder: inout TFLiteBuilder
  ) throws(WeighbridgeError) -> [ExportOperand] {
    let boxes = try edges(coordinates, &builder)
    let classCount = confidence.type.shape[1].value ?? 0
    let selected = TensorType(.float32, [.fixed(Self.count)])
    let positions = TensorType(.int32, selected.shape)
    var (indices, scores): ([ExportOperand], [ExportOperand]) = ([], [])
    for index in 0..<classCount {
      let column = try builder.squeezed(
        try builder.sliced(confidence, axis: 1, index..<index + 1), [1])
      let results = try builder.add(
        .nonMaxSuppression,
        [
          boxes, column, builder.scalar(Double(Self.count)),
          builder.scalar(iouThreshold, .float32), builder.scalar(scoreThreshold, .float32),
          builder.scalar(0, .float32),
        ], types: [positions, selected, TensorType(.int32, [Dimension]())])
      indices.append(results[0])
      scores.append(results[1])
    }
    let all = selected.with(shape: [.fixed(classCount * Self.count)])
    let allIndices = try builder.concatenated(indices, axis: 0, as: TensorType(.int32, all.shape))
    let allScores = try builder.concatenated(scores, axis: 0, as: all)
    let best = try builder.add(
      .topK, [allScores, builder.scalar(Double(Self.count))],
      types: [selected, positions])
    let rows = try gathered(allIndices, best[1], &builder)
    let classes = try builder.binary(
      .floorDivide, best[1], builder.integers([Self.count]))
    return try batched(
      [
        try gathered(boxes, rows, &builder), try builder.cast(classes, to: .float32), best[0],
      ], count: best[0], &builder)
  }

  /// Adds the axis of the batch, and counts the scores that belong to detections; others are 0.
  private func batched(
    _ values: [ExportOperand], count scores: ExportOperand, _ builder: inout TFLiteBuilder
  ) throws(WeighbridgeError) -> [ExportOperand] {
    var results: [ExportOperand] = []
    for value in values { results.append(try builder.expanded(value, 0)) }
    let isDetection = try builder.binary(
      .greater, scores, builder.number(scoreThreshold, like: scores), as: .bool)
    let ones = try builder.cast(isDetection, to: .float32)
    let count = try builder.add(
      .sum, ones, builder.integers([0]), options: .reduction(keepDims: true), as: types[3])
    return results + [count]
  }

  private func gathered(
    _ x: ExportOperand, _ indices: ExportOperand, _ builder: inout TFLiteBuilder
  ) throws(WeighbridgeError) -> ExportOperand {
    try builder.add(
      .gather, x, indices, options: .gather(axis: 0, batchAxes: 0),
      as: x.type.with(shape: indices.type.shape + x.type.shape.dropFirst()))
  }

  /// Boxes by their edges: top, left, bottom, right.
  private func edges(
    _ coordinates: ExportOperand, _ builder: inout TFLiteBuilder
  ) throws(WeighbridgeError) -> ExportOperand {
    let centers = try columns(coordinates, [1, 0], &builder)
    let sizes = try columns(coordinates, [3, 2], &builder)
    let halves = try builder.binary(.multiply, sizes, builder.number(0.5, like: sizes))
    let corners = [
      try builder.binary(.subtract, centers, halves), try builder.binary(.add, centers, halves),
    ]
    return try builder.concatenated(corners, axis: 1, as: coordinates.type)
  }

  private func columns(
    _ x: ExportOperand, _ positions: [Int], _ builder: inout TFLiteBuilder
  ) throws(WeighbridgeError) -> ExportOperand {
    try builder.add(
      .gather, x, builder.integers(positions), options: .gather(axis: 1, batchAxes: 0),
      as: x.type.with(shape: [x.type.shape[0], .fixed(positions.count)]))
  }
}

/// With the custom operator.
extension TFLiteSuppression {
  /// The operator multiplies the exponential of a size by that of an anchor, and adds the center's
  /// distance from it: here all anchors are at 0 and of size 1.
  private func addCustom(
    _ confidence: ExportOperand, _ coordinates: ExportOperand, _ builder: inout TFLiteBuilder
  ) throws(WeighbridgeError) -> [ExportOperand] {
    let centers = try columns(coordinates, [1, 0], &builder)
    let sizes = try builder.add(.logarithm, try columns(coordinates, [3, 2], &builder))
    let boxes = try builder.concatenated([centers, sizes], axis: 1, as: coordinates.type)
    let count = coordinates.type.shape[0].value ?? 0
    let anchors = Tensor(
      .float32, shape: [count, 4], floats: (0..<count).flatMap { _ -> [Float] in [0, 0, 1, 1] })
    return try builder.add(
      .custom,
      [
        try builder.expanded(boxes, 0), try builder.expanded(confidence, 0), .constant(anchors),
      ], .custom(Self.customOperator, settings(confidence)), types: types)
  }

  private func settings(_ confidence: ExportOperand) -> FlexBufferMap {
    FlexBufferMap([
      "max_detections": .integer(Self.count), "max_classes_per_detection": .integer(1),
      "detections_per_class": .integer(Self.count), "use_regular_nms": .bool(true),
      "nms_score_threshold": .float(Float(scoreThreshold)),
      "nms_iou_threshold": .float(Float(iouThreshold)),
      "num_classes": .integer(confidence.type.shape[1].value ?? 0), "y_scale": .float(1),
      "x_scale": .float(1), "h_scale": .float(1), "w_scale": .float(1),
    ])
  }
}
