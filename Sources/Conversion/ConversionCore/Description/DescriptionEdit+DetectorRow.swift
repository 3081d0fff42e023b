package import Bytes
package import GraphIR

extension ModelContent {
  /// Describes YOLOv1's detector: a row of the classes of all cells, then the objectness of all
  /// boxes, then 4 coordinates of each.
  package func fillRow(
    _ detector: inout DetectorDescription, _ edit: DescriptionEdit.DetectorEdit, classCount: Int?
  ) throws(WeighbridgeError) {
    guard let side = edit.side, let boxes = edit.boxesPerCell, 1...4096 ~= side, 1...4096 ~= boxes
    else {
      throw .mismatch(
        "a detection detector needs its side (cells along each axis) and boxesPerCell, 1 to 4096, "
          + "which a metadata file can say")
    }
    guard edit.anchors.isEmpty, edit.classTree == nil, detector.hasObjectness,
      !detector.hasBackground
    else {
      throw .mismatch(
        "a detection detector has objectness, and no anchors, background or class tree")
    }
    let outputs = graph.outputs.map(\.name)
    let heads = edit.heads ?? outputs.map { .init(output: $0, mask: [], stride: nil, scaleXY: 1) }
    guard heads.count == 1, heads[0].mask.isEmpty else {
      throw .mismatch("a detection detector has one head, without a mask")
    }
    let position = try Self.position(of: heads[0].output, in: outputs, what: "output")
    let type = graph[graph.outputs[position].value].type
    guard let count = type.shape.last?.value, [1, 2].contains(type.rank),
      count % (side * side) == 0, count / (side * side) > 5 * boxes,
      (classCount ?? count / (side * side) - 5 * boxes) == count / (side * side) - 5 * boxes
    else {
      throw .mismatch(
        "the output \(heads[0].output) is \(type), and \(side) x \(side) cells of \(boxes) boxes "
          + "make a row of \(side * side) x (\(boxes) x 5 + \(classCount?.description ?? "classes"))"
      )
    }
    (detector.heads, detector.side, detector.boxesPerCell) = (heads, side, boxes)
    detector.boxEncoding = edit.boxEncoding ?? .fraction
    detector.classCount = count / (side * side) - 5 * boxes
  }
}

extension DetectorDescription {
  /// - Throws: ``WeighbridgeError/Code/mismatch`` when a number is out of its range, a tree's
  ///   parent does not come before its child, or an encoding does not go with the kind.
  package func checkNumbers() throws(WeighbridgeError) {
    try Self.checkShare(confidenceThreshold, "confidenceThreshold")
    try Self.checkShare(overlapThreshold, "overlapThreshold")
    try Self.checkShare(classTree?.threshold, "the class tree's threshold")
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
          "the class tree has \(tree.parents.count) parents for \(classCount) classes, each of "
            + "which stands behind its parent")
      }
    }
    let possible: [BoxEncoding] =
      switch kind {
      case .detection: [.fraction, .squareRoot]
      case .boxes: [.fraction]
      case .region, .yolo, .gaussianYOLO: [.exponential, .squared]
      }
    guard possible.contains(boxEncoding) else {
      throw .mismatch("a \(kind.rawValue) detector stores no boxes as \(boxEncoding.rawValue)")
    }
  }

  /// Refuses a threshold that is not between 0 and 1. (A separate function for the reason given in
  /// Packaging/README.md: three copies of it were emitted in another order when built in another
  /// folder.)
  @inline(never)
  private static func checkShare(_ value: Double?, _ name: String) throws(WeighbridgeError) {
    guard let value, !(0...1 ~= value) else { return }
    throw .mismatch("\(name) is \(value), which must be 0 to 1")
  }

  /// How the number of channels is computed, in words.
  package var channelArithmetic: String {
    if kind == .boxes { return "confidences of \(classCount) classes" }
    if let side, let boxesPerCell {
      return "\(side) x \(side) cells x (\(boxesPerCell) x 5 + \(classCount)) numbers"
    }
    return "\(heads.first?.mask.count ?? 0) anchors x (\(coordinateCount) + \(classCount)) channels"
  }
}
