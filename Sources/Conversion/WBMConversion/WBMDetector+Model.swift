import GraphIR
import WBMFormat

extension WBMDetector {
  /// The record of a detector.
  ///
  /// - Parameter old: The record that is replaced: its unknown fields are kept.
  init(_ detector: DetectorDescription, replacing old: WBMDetector?) {
    self.init(
      kind: Kind(detector.kind),
      anchors: detector.anchors.map { Anchor(width: $0.width, height: $0.height) },
      anchorUnit: detector.kind == .region ? .gridCells : .pixels,
      heads: detector.heads.map { head in
        Head(
          output: head.output, mask: head.mask, stride: head.stride, scaleXY: head.scaleXY,
          boxPoint: BoxPoint(head.boxPoint))
      },
      boxEncoding: BoxEncoding(detector.boxEncoding), hasObjectness: detector.hasObjectness,
      classCount: detector.classCount, confidenceThreshold: detector.confidenceThreshold,
      iouThreshold: detector.overlapThreshold,
      suppression: detector.suppression.map { Suppression($0) })
    activated = DetectorDescription.Part.allCases.filter(detector.activated.contains).map {
      Part($0)
    }
    order = detector.order.map { Order($0) }
    hasBackground = detector.hasBackground
    side = detector.side ?? 0
    boxesPerCell = detector.boxesPerCell ?? 0
    classTree = detector.classTree.map {
      ClassTree(parents: $0.parents, threshold: $0.threshold, choice: TreeChoice($0.choice))
    }
    diouExponent = detector.distanceExponent
    if let old { keepUnknownFields(of: old) }
  }

  private mutating func keepUnknownFields(of old: WBMDetector) {
    unknownFields = old.unknownFields
    for (index, anchor) in old.anchors.prefix(anchors.count).enumerated() {
      anchors[index].unknownFields = anchor.unknownFields
    }
    for (index, head) in old.heads.prefix(heads.count).enumerated() {
      heads[index].unknownFields = head.unknownFields
    }
    if let tree = old.classTree { classTree?.unknownFields = tree.unknownFields }
  }

  /// The detector that is stored.
  var detector: DetectorDescription {
    DetectorDescription(
      kind: .init(kind),
      anchors: anchors.map { .init(width: $0.width, height: $0.height) },
      heads: heads.map {
        .init(
          output: $0.output, mask: $0.mask, stride: $0.stride, scaleXY: $0.scaleXY,
          boxPoint: .init($0.boxPoint))
      },
      boxEncoding: .init(boxEncoding), hasObjectness: hasObjectness, hasBackground: hasBackground,
      classCount: classCount, activated: Set(activated.map { .init($0) }),
      order: order.map { .init($0) }, side: side == 0 ? nil : side,
      boxesPerCell: boxesPerCell == 0 ? nil : boxesPerCell,
      classTree: classTree.map {
        .init(parents: $0.parents, threshold: $0.threshold, choice: .init($0.choice))
      },
      confidenceThreshold: confidenceThreshold, overlapThreshold: iouThreshold,
      suppression: suppression.map { .init($0) }, distanceExponent: diouExponent)
  }
}
