import Bytes
import ConversionCore
import GraphIR
import LayerCatalog
import NCNNFormat

/// The boxes of YOLO heads, decoded by ncnn's own layer, `[detections, 6]`: class (starting at 1),
/// confidence, and the left, top, right and bottom edge relative to the input's size.
struct NCNNDetection {
  static let output = "detections"

  private let interface: DetectorInterface
  private let grid: DetectorDescription.Grid
  private var detector: DetectorDescription { interface.detector }

  /// Descriptions of what ncnn computes differently.
  static let losses = [
    "ncnn takes 1 / (1 + (1 + 1 / e^class) / e^objectness) for a box's confidence",
    "boxes are suppressed by their overlap, across all classes",
  ]

  /// - Throws: ``WeighbridgeError/Code/mismatch`` for a model without a detector;
  ///   ``WeighbridgeError/Code/unsupported`` for heads that ncnn's layer cannot read.
  init(_ content: ModelContent) throws(WeighbridgeError) {
    interface = try DetectorInterface(content.graph, content.description)
    let detector = interface.detector
    guard case .yolo(let grid) = detector.family, !grid.squaresSizes, grid.hasObjectness,
      !grid.hasBackground, Set(grid.heads.map(\.mask.count)).count == 1,
      grid.heads.allSatisfy({ $0.scaleXY == 1 && $0.boxPoint == .center })
    else {
      throw .unsupported(
        "ncnn reads the boxes of YOLOv3 heads with as many anchors each, without scale_x_y")
    }
    self.grid = grid
  }

  /// Adds the layer.
  func add(
    _ heads: [ExportOperand], to builder: inout NCNNBuilder
  ) throws(WeighbridgeError) -> ExportOperand {
    let channels = grid.heads[0].mask.count * (5 + detector.classCount)
    let columns = heads.compactMap { $0.type.shape.last?.value }
    guard heads.allSatisfy({ $0.type.rank == 4 && $0.type.shape[1].value == channels }),
      columns.count == heads.count
    else {
      throw .unsupported(
        "ncnn takes heads of \(channels) channels, and they are \(heads.map(\.type))")
    }
    builder.scope = ExportScope(prefix: "boxes", operands: heads)
    let confidenceThreshold =
      detector.confidenceThreshold ?? DetectorDescription.defaultConfidenceThreshold
    let iouThreshold = detector.iouThreshold ?? DetectorDescription.defaultIoUThreshold
    let blob: NCNNBlob = try builder.add(
      "Yolov3DetectionOutput", try builder.allInputs(),
      [0: detector.classCount, 1: grid.heads[0].mask.count],
      floats: [2: confidenceThreshold, 3: iouThreshold],
      lists: [
        4: .floats(grid.anchors.flatMap { [Float($0.width), Float($0.height)] }),
        5: .floats(grid.heads.flatMap { $0.mask.map { Float($0) } }),
        6: .floats(columns.map { Float(interface.width) / Float($0) }),
      ], shape: [nil, 6])
    return builder.value(blob.name, heads[0].type)
  }
}
