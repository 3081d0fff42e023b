import GraphIR
import WBMFormat

extension WBMDetector: DescriptionRecord {
  static let empty = DetectorDescription(
    kind: .yolo, anchors: [], heads: [], boxEncoding: .exponential, hasObjectness: true,
    classCount: 0)

  mutating func transfer(_ described: inout DetectorDescription, _ direction: Transfer) {
    direction.enumCase(&kind, &described.kind)
    direction.records(&anchors, &described.anchors)
    if direction == .toRecord { anchorUnit = kind == .region ? .gridCells : .pixels }
    direction.records(&heads, &described.heads)
    direction.enumCase(&boxEncoding, &described.boxEncoding)
    direction.value(&hasObjectness, &described.hasObjectness)
    direction.value(&classCount, &described.classCount)
    direction.value(&confidenceThreshold, &described.confidenceThreshold)
    direction.value(&iouThreshold, &described.overlapThreshold)
    direction.enumCase(&suppression, &described.suppression)
    direction.enumCases(&activated, &described.activated)
    direction.enumCase(&order, &described.order)
    direction.value(&hasBackground, &described.hasBackground)
    direction.count(&side, &described.side)
    direction.count(&boxesPerCell, &described.boxesPerCell)
    direction.record(&classTree, &described.classTree)
    direction.value(&diouExponent, &described.distanceExponent)
  }
}

extension WBMDetector.Anchor: DescriptionRecord {
  static let empty = DetectorDescription.Anchor(width: 0, height: 0)

  mutating func transfer(_ described: inout DetectorDescription.Anchor, _ direction: Transfer) {
    direction.value(&width, &described.width)
    direction.value(&height, &described.height)
  }
}

extension WBMDetector.Head: DescriptionRecord {
  static let empty = DetectorDescription.Head(output: "", mask: [], stride: nil, scaleXY: 1)

  mutating func transfer(_ described: inout DetectorDescription.Head, _ direction: Transfer) {
    direction.value(&output, &described.output)
    direction.value(&mask, &described.mask)
    direction.value(&stride, &described.stride)
    direction.value(&scaleXY, &described.scaleXY)
    // The record has no enum case for the center.
    var point = described.boxPoint == .center ? nil : described.boxPoint
    direction.enumCase(&boxPoint, &point)
    described.boxPoint = point ?? .center
  }
}

extension WBMDetector.ClassTree: DescriptionRecord {
  static let empty = DetectorDescription.ClassTree(parents: [], threshold: 0, choice: .last)

  mutating func transfer(_ described: inout DetectorDescription.ClassTree, _ direction: Transfer) {
    direction.value(&parents, &described.parents)
    direction.value(&threshold, &described.threshold)
    direction.enumCase(&choice, &described.choice)
  }
}
