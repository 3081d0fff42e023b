import Bytes
import ConversionCore
import GraphIR
import LayerCatalog
import ONNXFormat

/// Non-maximum suppression: the operator `NonMaxSuppression` and the nodes that make its result
/// usable.
///
/// - `boxes` `[detections, 4]`: left, top, right and bottom edge in the input's unit square, whose
///   origin is the upper left corner
/// - `labels` `[detections]`, int64: the index of the class
/// - `scores` `[detections]`: the confidence; the first is the highest
///
/// The thresholds are optional inputs: `score_threshold`, the confidence above which a box counts
/// for a class, and `iou_threshold`, the overlap above which the less confident of two boxes of a
/// class is dropped. They are `[1]` each, by default the detector's own, or darknet's where it has
/// none. An overlap threshold of 1 suppresses nothing.
struct ONNXSuppression {
  private let detector: DetectorDescription

  /// - Throws: ``WeighbridgeError/Code/unsupported`` for class-agnostic suppression, which ONNX
  ///   lacks.
  init(_ detector: DetectorDescription) throws(WeighbridgeError) {
    guard detector.suppression != .classAgnostic else {
      throw .unsupported(
        "ONNX suppresses the boxes of each class separately, and this detector those of all "
          + "classes at once (\(APIName.withoutNMS) writes the heads as they are)")
    }
    self.detector = detector
  }

  /// How the file's suppression differs from the detector's own, as messages.
  var losses: [String] {
    let anchors = "the detector's anchors and masks are not in the file, which gives boxes"
    return (detector.kind == .boxes ? [] : [anchors])
      + (detector.suppression == .distance ? [DetectionDecoding.distanceLoss] : [])
  }

  /// Returns the outputs, in order; the number of detections is a named dimension.
  static func outputs(_ names: [String]) -> [ONNXFeature] {
    let count = ONNXFeature.Dimension.named("detections")
    let features: [(ElementType, [ONNXFeature.Dimension], String)] = [
      (
        .float32, [count, .fixed(4)],
        "Left, top, right and bottom edge in the input's unit square, from its upper left corner"
      ),
      (.int64, [count], "The position of the class, from 0"),
      (.float32, [count], "The confidence, 0 to 1; the first is the highest"),
    ]
    return zip(names, features).map { name, feature in
      ONNXFeature(name: name, elementType: feature.0, shape: feature.1, summary: feature.2)
    }
  }

  /// The names of the outputs, unless they are taken.
  static let outputNames = ["boxes", "labels", "scores"]

  /// Adds the nodes.
  ///
  /// - Parameters:
  ///   - confidence: `[boxes, classes]`
  ///   - coordinates: `[boxes, 4]`: center, width and height.
  /// - Returns: The values of ``outputNames``, and the thresholds.
  func add(
    confidence: String, coordinates: String, to builder: inout ONNXGraphBuilder
  ) -> (outputs: [String], thresholds: [ONNXFeature]) {
    let scoreThreshold =
      detector.confidenceThreshold ?? DetectorDescription.defaultConfidenceThreshold
    let suppresses = detector.suppression.map { $0 != .none } ?? true
    let overlapThreshold =
      suppresses ? detector.iouThreshold ?? DetectorDescription.defaultIoUThreshold : 1
    let score = builder.namedNumber("score_threshold", scoreThreshold)
    let iou = builder.namedNumber("iou_threshold", overlapThreshold)
    let boxes = builder.unsqueeze(coordinates, [0])
    let classes = builder.unsqueeze(builder.transpose(confidence, [1, 0]), [0])
    // No limit on the number of boxes: only the thresholds decide.
    let boxCount = builder.dimensions(coordinates, 0..<1)
    let selected = builder.add(
      "NonMaxSuppression", [boxes, classes, boxCount, iou, score],
      ["center_point_box": .integer(1)])
    // [detections, 3]: image, class, box.
    let columns = (1...2).map { column in
      builder.squeeze(builder.slice(selected, axes: [1], from: [column], to: [column + 1]), [1])
    }
    let indices = builder.slice(selected, axes: [1], from: [1], to: [3])
    let table = builder.transpose(confidence, [1, 0])
    let scores = builder.add("GatherND", [table, indices])
    let ranking = builder.add(
      "TopK", [scores, builder.dimensions(scores)], ["axis": .integer(0)], outputCount: 2)
    let (labels, rows) = (
      builder.add("Gather", [columns[0], ranking[1]]),
      builder.add("Gather", [columns[1], ranking[1]])
    )
    let edges = edges(builder.add("Gather", [coordinates, rows]), &builder)
    let thresholds = [
      (score, "A class of a box counts when its confidence is above this"),
      (
        iou,
        "Of two boxes of a class that overlap by more than this, the less confident is removed"
      ),
    ].map { name, summary in
      ONNXFeature(name: name, elementType: .float32, shape: [.fixed(1)], summary: summary)
    }
    return ([edges, labels, ranking[0]], thresholds)
  }

  /// Converts boxes from centers and sizes to edges.
  private func edges(_ boxes: String, _ builder: inout ONNXGraphBuilder) -> String {
    let centers = builder.slice(boxes, axes: [1], from: [0], to: [2])
    let dimensions = builder.slice(boxes, axes: [1], from: [2], to: [4])
    let halfSizes = builder.add("Mul", [dimensions, builder.numbers([0.5], .float32)])
    let corners = ["Sub", "Add"].map { builder.add($0, [centers, halfSizes]) }
    return builder.concatenate(corners, axis: 1)
  }
}
