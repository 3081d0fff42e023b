import Bytes
import GraphIR

extension DarknetSectionText {
  /// Adds the description of an output's boxes.
  ///
  /// - Throws: ``WeighbridgeError/Code/unsupported`` when there is none.
  mutating func set(
    _ detector: DetectorDescription?, of output: String?
  ) throws(WeighbridgeError) {
    guard let detector, let head = detector.heads.first(where: { $0.output == output }) else {
      throw .unsupported(
        "gives boxes that the model does not describe, and darknet needs that (\(APIName.detector))"
      )
    }
    set("classes", detector.classCount)
    if detector.kind == .detection { return try setGrid(detector) }
    if detector.kind != .region {
      set("mask", head.mask.map(String.init).joined(separator: ","))
    }
    let anchors = detector.anchors.flatMap { ["\($0.width)", "\($0.height)"] }
    set("anchors", anchors.joined(separator: ","))
    set("num", detector.anchors.count)
    flag("background", detector.hasBackground)
    set("scale_x_y", head.scaleXY, unless: 1)
    flag("new_coords", detector.boxEncoding == .squared)
    set("yolo_point", head.boxPoint.rawValue, unless: "center")
    // A region section has no such setting: its boxes are always suppressed greedily.
    if detector.kind != .region { setSuppression(detector) }
  }

  private mutating func setGrid(_ detector: DetectorDescription) throws(WeighbridgeError) {
    guard let side = detector.side, let count = detector.boxesPerCell else {
      throw .unsupported(
        "gives boxes that the model does not describe, and darknet needs that (\(APIName.detector))"
      )
    }
    set("coords", 4)
    set("side", side)
    set("num", count)
    flag("sqrt", detector.boxEncoding == .squareRoot)
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
