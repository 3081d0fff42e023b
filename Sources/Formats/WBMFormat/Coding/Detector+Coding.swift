import Bytes
import CWBM
import ProtobufWire

extension WBMDetector {
  func packed(
    in arena: MessageArena
  ) throws(WeighbridgeError) -> UnsafeMutablePointer<Weighbridge__V1__Detector> {
    let message = arena.message(weighbridge__v1__detector__init)
    message.pointee.kind = .init(kind.schemaNumber)
    message.pointee.n_anchors = anchors.count
    message.pointee.anchors = try arena.list(anchors) { $0.packed(in: arena) }
    message.pointee.anchor_unit = .init(anchorUnit.schemaNumber)
    message.pointee.n_heads = heads.count
    message.pointee.heads = try arena.list(heads) { (head) throws(WeighbridgeError) in
      try head.packed(in: arena)
    }
    message.pointee.box_encoding = .init(boxEncoding.schemaNumber)
    message.pointee.has_objectness = hasObjectness ? 1 : 0
    message.pointee.class_count = try SchemaNumber.of(classCount, "the number of classes")
    packThresholds(into: &message.pointee)
    if let suppression { message.pointee.suppression = .init(suppression.schemaNumber) }
    try packRest(into: &message.pointee, arena)
    arena.keep(unknownFields, in: &message.pointee.base)
    return message
  }

  private func packRest(
    into message: inout Weighbridge__V1__Detector, _ arena: MessageArena
  ) throws(WeighbridgeError) {
    message.n_activated = activated.count
    message.activated = arena.numbers(
      activated.map { Weighbridge__V1__DetectorPart($0.schemaNumber) })
    if let order { message.order = .init(order.schemaNumber) }
    message.has_background = hasBackground ? 1 : 0
    message.side = try SchemaNumber.of(side, "the detector's side")
    message.boxes_per_cell = try SchemaNumber.of(boxesPerCell, "the number of boxes in a cell")
    message.class_tree = try classTree.map { (tree) throws(WeighbridgeError) in
      try tree.packed(in: arena)
    }
    if let diouExponent {
      message.diou_exponent_presence_case =
        WEIGHBRIDGE__V1__DETECTOR__DIOU_EXPONENT_PRESENCE_DIOU_EXPONENT
      message.diou_exponent = diouExponent
    }
  }

  private func packThresholds(into message: inout Weighbridge__V1__Detector) {
    if let confidenceThreshold {
      message.confidence_threshold_presence_case =
        WEIGHBRIDGE__V1__DETECTOR__CONFIDENCE_THRESHOLD_PRESENCE_CONFIDENCE_THRESHOLD
      message.confidence_threshold = confidenceThreshold
    }
    if let iouThreshold {
      message.iou_threshold_presence_case =
        WEIGHBRIDGE__V1__DETECTOR__IOU_THRESHOLD_PRESENCE_IOU_THRESHOLD
      message.iou_threshold = iouThreshold
    }
  }

  init(_ message: Weighbridge__V1__Detector) throws(WeighbridgeError) {
    self.init(
      kind: try Kind(schemaNumber: message.kind.rawValue),
      anchors: try MessageParts.list(message.n_anchors, message.anchors, Anchor.init),
      anchorUnit: try AnchorUnit(schemaNumber: message.anchor_unit.rawValue),
      heads: try MessageParts.list(message.n_heads, message.heads, Head.init),
      boxEncoding: try BoxEncoding(schemaNumber: message.box_encoding.rawValue),
      hasObjectness: message.has_objectness != 0,
      classCount: Int(message.class_count),
      confidenceThreshold: message.confidence_threshold_presence_case.rawValue == 0
        ? nil : message.confidence_threshold,
      iouThreshold: message.iou_threshold_presence_case.rawValue == 0
        ? nil : message.iou_threshold,
      suppression: try Suppression.optional(schemaNumber: message.suppression.rawValue))
    for part in MessageParts.numbers(message.n_activated, message.activated) {
      activated.append(try Part(schemaNumber: part.rawValue))
    }
    order = try Order.optional(schemaNumber: message.order.rawValue)
    hasBackground = message.has_background != 0
    side = Int(message.side)
    boxesPerCell = Int(message.boxes_per_cell)
    if let tree = message.class_tree { classTree = try ClassTree(tree.pointee) }
    diouExponent =
      message.diou_exponent_presence_case.rawValue == 0 ? nil : message.diou_exponent
    unknownFields = MessageParts.unknownFields(message.base)
  }
}

extension WBMDetector.Anchor {
  fileprivate func packed(
    in arena: MessageArena
  ) -> UnsafeMutablePointer<Weighbridge__V1__Anchor> {
    let message = arena.message(weighbridge__v1__anchor__init)
    message.pointee.width = width
    message.pointee.height = height
    arena.keep(unknownFields, in: &message.pointee.base)
    return message
  }

  fileprivate init(_ message: Weighbridge__V1__Anchor) throws(WeighbridgeError) {
    self.init(width: message.width, height: message.height)
    unknownFields = MessageParts.unknownFields(message.base)
  }
}

extension WBMDetector.Head {
  fileprivate func packed(
    in arena: MessageArena
  ) throws(WeighbridgeError) -> UnsafeMutablePointer<Weighbridge__V1__DetectorHead> {
    let message = arena.message(weighbridge__v1__detector_head__init)
    message.pointee.output = try arena.text(output)
    message.pointee.n_mask = mask.count
    message.pointee.mask = arena.numbers(
      try SchemaNumber.list(mask, UInt32.self, "the mask of head \(output)"))
    if let stride {
      message.pointee.stride_presence_case = WEIGHBRIDGE__V1__DETECTOR_HEAD__STRIDE_PRESENCE_STRIDE
      message.pointee.stride = stride
    }
    message.pointee.scale_x_y = scaleXY
    if let boxPoint { message.pointee.box_point = .init(boxPoint.schemaNumber) }
    arena.keep(unknownFields, in: &message.pointee.base)
    return message
  }

  fileprivate init(_ message: Weighbridge__V1__DetectorHead) throws(WeighbridgeError) {
    self.init(
      output: MessageParts.text(message.output),
      mask: MessageParts.numbers(message.n_mask, message.mask).map { Int($0) },
      stride: message.stride_presence_case.rawValue == 0 ? nil : message.stride,
      scaleXY: message.scale_x_y,
      boxPoint: try WBMDetector.BoxPoint.optional(schemaNumber: message.box_point.rawValue))
    unknownFields = MessageParts.unknownFields(message.base)
  }
}

extension WBMDetector.ClassTree {
  fileprivate func packed(
    in arena: MessageArena
  ) throws(WeighbridgeError) -> UnsafeMutablePointer<Weighbridge__V1__ClassTree> {
    let message = arena.message(weighbridge__v1__class_tree__init)
    message.pointee.n_parents = parents.count
    message.pointee.parents = arena.numbers(
      try SchemaNumber.list(
        parents.map { $0.map { $0 + 1 } ?? 0 }, UInt32.self, "a parent in the class tree"))
    message.pointee.threshold = threshold
    message.pointee.choice = .init(choice.schemaNumber)
    arena.keep(unknownFields, in: &message.pointee.base)
    return message
  }

  fileprivate init(_ message: Weighbridge__V1__ClassTree) throws(WeighbridgeError) {
    self.init(
      parents: MessageParts.numbers(message.n_parents, message.parents).map {
        $0 == 0 ? nil : Int($0) - 1
      },
      threshold: message.threshold,
      choice: try WBMDetector.TreeChoice(schemaNumber: message.choice.rawValue))
    unknownFields = MessageParts.unknownFields(message.base)
  }
}
