import GraphIR
import WBMFormat

extension WBMDetector {
  /// The record of a detector.
  ///
  /// - Parameter old: The record that is replaced: its unknown fields are kept.
  init(_ detector: Detector, replacing old: WBMDetector?) {
    let suppression: Suppression? =
      switch detector.suppression {
      case Detector.Suppression.none?: Suppression.none
      case .greedy?: .greedy
      case .distance?: .distance
      case nil: nil
      }
    self.init(
      kind: detector.kind == .region ? .region : .yolo,
      anchors: detector.anchors.enumerated().map { index, anchor in
        var record = Anchor(width: anchor.width, height: anchor.height)
        if let old, old.anchors.indices.contains(index) {
          record.unknownFields = old.anchors[index].unknownFields
        }
        return record
      },
      anchorUnit: detector.kind == .region ? .gridCells : .pixels,
      heads: detector.heads.enumerated().map { index, head in
        var record = Head(
          output: head.output, mask: head.mask, stride: head.stride, scaleXY: head.scaleXY)
        if let old, old.heads.indices.contains(index) {
          record.unknownFields = old.heads[index].unknownFields
        }
        return record
      },
      boxEncoding: detector.boxEncoding == .exponential ? .exponential : .squared,
      hasObjectness: detector.hasObjectness, classCount: detector.classCount,
      confidenceThreshold: detector.confidenceThreshold, iouThreshold: detector.overlapThreshold,
      suppression: suppression)
    if let old { unknownFields = old.unknownFields }
  }

  /// The detector that is stored.
  var detector: Detector {
    let suppression: Detector.Suppression? =
      switch self.suppression {
      case Suppression.none?: Detector.Suppression.none
      case .greedy?: .greedy
      case .distance?: .distance
      case nil: nil
      }
    return Detector(
      kind: kind == .region ? .region : .yolo,
      anchors: anchors.map { .init(width: $0.width, height: $0.height) },
      heads: heads.map {
        .init(output: $0.output, mask: $0.mask, stride: $0.stride, scaleXY: $0.scaleXY)
      },
      boxEncoding: boxEncoding == .exponential ? .exponential : .squared,
      hasObjectness: hasObjectness, classCount: classCount,
      confidenceThreshold: confidenceThreshold, overlapThreshold: iouThreshold,
      suppression: suppression)
  }
}
