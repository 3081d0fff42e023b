package import Bytes
package import ProtobufWire

extension WBMDetector: MessageRecord {
  package init() {
    self.init(
      kind: .yolo, anchors: [], anchorUnit: .pixels, heads: [], boxEncoding: .exponential,
      hasObjectness: true, classCount: 0)
  }

  package mutating func code(_ fields: MessageFields) throws(WeighbridgeError) {
    try fields.choice(1, &kind, "detector kind")
    try fields.records(2, &anchors)
    try fields.choice(3, &anchorUnit, "anchor unit")
    try fields.records(4, &heads)
    try fields.choice(5, &boxEncoding, "box encoding")
    fields.boolean(6, &hasObjectness)
    try fields.count(7, &classCount, "the number of classes")
    try fields.number(8, &confidenceThreshold)
    try fields.number(9, &iouThreshold)
    try fields.choice(10, &suppression, "suppression kind")
    try fields.choices(11, &activated, "part of a box")
    try fields.choice(12, &order, "order of a head")
    fields.boolean(13, &hasBackground)
    try fields.count(14, &side, "the detector's side")
    try fields.count(15, &boxesPerCell, "the number of boxes in a cell")
    try fields.record(16, &classTree)
    try fields.number(17, &diouExponent)
    fields.unknown(&unknownFields)
  }
}

extension WBMDetector.Anchor: MessageRecord {
  package init() { self.init(width: 0, height: 0) }

  package mutating func code(_ fields: MessageFields) throws(WeighbridgeError) {
    fields.number(1, &width)
    fields.number(2, &height)
    fields.unknown(&unknownFields)
  }
}

extension WBMDetector.Head: MessageRecord {
  package init() { self.init(output: "", mask: [], scaleXY: 1) }

  package mutating func code(_ fields: MessageFields) throws(WeighbridgeError) {
    try fields.string(1, &output)
    try fields.counts(2, &mask, "the mask of head \(output)")
    try fields.number(3, &stride)
    fields.number(4, &scaleXY)
    try fields.choice(5, &boxPoint, "point of a box")
    fields.unknown(&unknownFields)
  }
}

extension WBMDetector.ClassTree: MessageRecord {
  package init() { self.init(parents: [], threshold: 0, choice: .last) }

  package mutating func code(_ fields: MessageFields) throws(WeighbridgeError) {
    var numbers = parents.map { $0.map { $0 + 1 } ?? 0 }
    try fields.counts(1, &numbers, "a parent in the class tree")
    parents = numbers.map { $0 == 0 ? nil : $0 - 1 }
    fields.number(2, &threshold)
    try fields.choice(3, &choice, "choice of a class tree")
    fields.unknown(&unknownFields)
  }
}
