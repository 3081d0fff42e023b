import Bytes
import GraphIR

extension DarknetSectionText {
  /// Adds the description of an output's boxes.
  ///
  /// - Throws: ``WeighbridgeError/Code/unsupported`` when there is none.
  mutating func set(
    _ detector: DetectorDescription?, of output: String?
  ) throws(WeighbridgeError) {
    guard let detector, let output, detector.outputs.contains(output) else {
      throw Self.missingDescription
    }
    set("classes", detector.classCount)
    switch detector.family {
    case .detection(let row): set(row)
    case .region(let grid):
      // A region section has no mask, and no such setting as the suppression: its boxes are always
      // suppressed greedily.
      try set(grid, of: output)
    case .yolo(let grid), .gaussianYOLO(let grid):
      try set(grid, of: output, hasMask: true)
      setSuppression(detector)
    case .boxes: throw Self.missingDescription
    }
  }

  private static let missingDescription = WeighbridgeError.unsupported(
    "gives boxes that the model does not describe, and darknet needs that (\(APIName.detector))")

  private mutating func set(
    _ grid: DetectorDescription.Grid, of output: String, hasMask: Bool = false
  ) throws(WeighbridgeError) {
    guard let head = grid.heads.first(where: { $0.output == output }) else {
      throw Self.missingDescription
    }
    if hasMask { set("mask", head.mask.map(String.init).joined(separator: ",")) }
    let anchors = grid.anchors.flatMap { ["\($0.width)", "\($0.height)"] }
    set("anchors", anchors.joined(separator: ","))
    set("num", grid.anchors.count)
    flag("background", grid.hasBackground)
    set("scale_x_y", head.scaleXY, unless: 1)
    flag("new_coords", grid.squaresSizes)
    set("yolo_point", head.boxPoint.rawValue, unless: "center")
  }

  private mutating func set(_ row: DetectorDescription.Row) {
    set("coords", 4)
    set("side", row.side)
    set("num", row.boxesPerCell)
    flag("sqrt", row.squaresSizes)
  }

  private mutating func setSuppression(_ detector: DetectorDescription) {
    switch detector.suppression {
    case .greedy: set("nms_kind", "cornersnms")
    case .distance:
      set("nms_kind", "diounms")
      set("beta_nms", detector.distanceExponent ?? 0.6, unless: 0.6)
    case .some(.none), .classAgnostic, nil: break
    }
  }
}
