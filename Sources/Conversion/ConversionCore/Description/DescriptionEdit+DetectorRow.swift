package import Bytes
package import GraphIR

extension ModelContent {
  /// Fills in YOLOv1's detector, whose output is a row: the classes of all cells, the objectness of
  /// all boxes, and 4 coordinates of each box.
  package func fillRow(
    _ fields: inout DescriptionEdit.DetectorEdit
  ) throws(WeighbridgeError) {
    guard let side = fields.side, let boxes = fields.boxesPerCell, 1...4096 ~= side,
      1...4096 ~= boxes
    else {
      throw .mismatch(
        "a detection detector needs its side (cells along each axis) and boxesPerCell, 1 to 4096, "
          + "which a metadata file can say")
    }
    guard fields.anchors.isEmpty, fields.classTree == nil, fields.hasObjectness != false,
      fields.hasBackground != true, fields.order == nil
    else {
      throw .mismatch(
        "a detection detector has objectness, and no anchors, background, order or class tree")
    }
    let outputs = graph.outputs.map(\.name)
    let heads = fields.heads ?? outputs.map { .init(output: $0, mask: [], stride: nil, scaleXY: 1) }
    guard heads.count == 1, heads[0].mask.isEmpty else {
      throw .mismatch("a detection detector has one head, without a mask")
    }
    let position = try Self.position(of: heads[0].output, in: outputs, what: "output")
    let type = graph[graph.outputs[position].value].type
    guard let count = type.shape.last?.value, [1, 2].contains(type.rank),
      count % (side * side) == 0, count / (side * side) > 5 * boxes,
      (fields.classCount ?? count / (side * side) - 5 * boxes) == count / (side * side) - 5 * boxes
    else {
      throw .mismatch(
        "the output \(heads[0].output) is \(type), and \(side) x \(side) cells of \(boxes) boxes "
          + "make a row of \(side * side) x (\(boxes) x 5 + \(fields.classCount?.description ?? "classes"))"
      )
    }
    fields.heads = heads
    fields.boxEncoding = fields.boxEncoding ?? .fraction
    fields.classCount = count / (side * side) - 5 * boxes
  }
}

extension DetectorDescription.Fields {
  /// - Throws: ``WeighbridgeError/Code/mismatch`` when a number is out of range, a parent in the
  ///   class tree does not come before its child, or the kind does not have the box encoding.
  package func checkNumbers() throws(WeighbridgeError) {
    try Self.checkFraction(confidenceThreshold, "confidenceThreshold")
    try Self.checkFraction(iouThreshold, "overlapThreshold")
    try Self.checkFraction(classTree?.threshold, "the class tree's threshold")
    if let distanceExponent, !(distanceExponent > 0 && distanceExponent.isFinite) {
      throw .mismatch("distanceExponent is \(distanceExponent), which must be above 0")
    }
    if let tree = classTree {
      guard tree.parents.count == classCount,
        tree.parents.indices.allSatisfy({
          0..<$0 ~= tree.parents[$0] ?? 0 || tree.parents[$0] == nil
        })
      else {
        throw .mismatch(
          "the class tree has \(tree.parents.count) parents for \(classCount ?? 0) classes, each of "
            + "which must come after its parent")
      }
    }
    let allowedEncodings: [DetectorDescription.BoxEncoding] =
      switch kind {
      case .detection: [.fraction, .squareRoot]
      case .boxes: [.fraction]
      case .region, .yolo, .gaussianYOLO: [.exponential, .squared]
      }
    guard let boxEncoding, !allowedEncodings.contains(boxEncoding) else { return }
    throw .mismatch("a \(kind.rawValue) detector stores no boxes as \(boxEncoding.rawValue)")
  }

  /// Refuses a threshold that is not between 0 and 1. (It is not inlined for the reason given in
  /// Packaging/README.md: the order of its three copies depended on the folder of the build.)
  @inline(never)
  private static func checkFraction(_ value: Double?, _ name: String) throws(WeighbridgeError) {
    guard let value, !(0...1 ~= value) else { return }
    throw .mismatch("\(name) is \(value), which must be 0 to 1")
  }
}

extension DetectorDescription {
  /// A phrase that shows how the number of channels is computed.
  package var channelArithmetic: String {
    switch family {
    case .boxes: "confidences of \(classCount) classes"
    case .detection(let row):
      "\(row.side) x \(row.side) cells x (\(row.boxesPerCell) x 5 + \(classCount)) numbers"
    case .region(let grid), .yolo(let grid), .gaussianYOLO(let grid):
      "\(grid.heads.first?.mask.count ?? 0) anchors x (\(coordinateCount) + \(classCount)) channels"
    }
  }
}
