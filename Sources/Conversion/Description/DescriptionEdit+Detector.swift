import Bytes
import GraphIR

extension ModelContent {
  /// The detector that an edit describes, checked against the outputs' shapes.
  ///
  /// Each cell of a head's grid holds anchors x (4 coordinates + 1 objectness + classes) channels.
  func makeDetector(
    _ edit: DescriptionEdit.DetectorEdit
  ) throws(WeighbridgeError) -> Detector {
    guard !edit.anchors.isEmpty, edit.anchors.count % 2 == 0 else {
      throw WeighbridgeError(
        .mismatch,
        "a \(edit.kind.rawValue) detector needs anchors as pairs of width and height, and "
          + "\(edit.anchors.count) numbers were given")
    }
    guard edit.anchors.allSatisfy({ $0 > 0 && $0.isFinite }) else {
      throw WeighbridgeError(.mismatch, "an anchor's width and height must be above 0")
    }
    let anchors = stride(from: 0, to: edit.anchors.count, by: 2).map {
      Detector.Anchor(width: edit.anchors[$0], height: edit.anchors[$0 + 1])
    }
    let masks = try masks(anchorCount: anchors.count)
    var heads: [Detector.Head] = []
    var classCount = description.labels.isEmpty ? nil : description.labels.count
    for (output, mask) in zip(graph.outputs, masks) {
      let type = graph[output.value].type
      classCount = try checkChannels(type, output.name, anchors: mask.count, classCount)
      heads.append(
        Detector.Head(output: output.name, mask: mask, stride: headStride(type), scaleXY: 1))
    }
    return Detector(
      kind: edit.kind, anchors: anchors, heads: heads, boxEncoding: .exponential,
      hasObjectness: true, classCount: classCount ?? 0,
      confidenceThreshold: edit.confidenceThreshold, overlapThreshold: edit.overlapThreshold)
  }

  /// The anchors of each head: an equal share, the coarsest grid taking the last (largest) ones.
  private func masks(anchorCount: Int) throws(WeighbridgeError) -> [[Int]] {
    let count = graph.outputs.count
    guard anchorCount % count == 0 else {
      throw WeighbridgeError(
        .mismatch, "\(anchorCount) anchors cannot be shared equally by \(count) outputs")
    }
    let share = anchorCount / count
    let cells = graph.outputs.map { gridCells(graph[$0.value].type) }
    let finestFirst = cells.indices.sorted { cells[$0] > cells[$1] }
    var masks = [[Int]](repeating: [], count: count)
    for (rank, head) in finestFirst.enumerated() {
      masks[head] = Array(rank * share..<(rank + 1) * share)
    }
    return masks
  }

  private func gridCells(_ type: TensorType) -> Int {
    spatialAxes(type).compactMap { type.shape[$0].value }.reduce(1, *)
  }

  /// How many input pixels a cell spans, when both grids are known and square cells result.
  private func headStride(_ type: TensorType) -> Double? {
    guard let input = graph.inputs.first.map({ graph[$0.value].type }), input.rank == 4,
      type.rank == 4
    else { return nil }
    let ratios = spatialAxes(type).compactMap { axis -> Double? in
      guard let cells = type.shape[axis].value, let pixels = input.shape[axis].value, cells > 0
      else { return nil }
      return Double(pixels) / Double(cells)
    }
    return ratios.count == 2 && ratios[0] == ratios[1] ? ratios[0] : nil
  }

  private func checkChannels(
    _ type: TensorType, _ name: String, anchors: Int, _ classCount: Int?
  ) throws(WeighbridgeError) -> Int {
    guard type.rank == 4, let channels = type.shape[channelAxis].value else {
      throw WeighbridgeError(
        .mismatch, "the output \(name) is \(type), and a detector's has a grid of cells with "
          + "channels: 4 axes")
    }
    let grid = spatialAxes(type).map { type.shape[$0].description }.joined(separator: " x ")
    let found = "the output \(name) has \(grid) x \(channels) channels"
    if let classCount {
      let product = anchors.multipliedReportingOverflow(by: 5 + classCount)
      guard !product.overflow, product.partialValue == channels else {
        throw WeighbridgeError(
          .mismatch,
          "\(found), and \(anchors) anchors x (5 + \(classCount) labels) make "
            + "\(product.partialValue)")
      }
      return classCount
    }
    guard channels % anchors == 0, channels / anchors > 5 else {
      throw WeighbridgeError(
        .mismatch,
        "\(found), which \(anchors) anchors x (5 + classes) cannot make for any number of classes")
    }
    return channels / anchors - 5
  }

  /// The labels are as many as the model has classes.
  func checkLabels() throws(WeighbridgeError) {
    let count = description.labels.count
    guard count > 0 else { return }
    if let detector = description.detector {
      let anchors = detector.heads.first?.mask.count ?? 0
      guard detector.classCount == count else {
        throw WeighbridgeError(
          .mismatch,
          "\(count) labels, and the detector has \(detector.classCount) classes: \(anchors) anchors "
            + "x (5 + \(detector.classCount)) channels")
      }
      return
    }
    let types = graph.outputs.map { graph[$0.value].type }
    guard !types.contains(where: { $0.shape.last?.value == count }) else { return }
    let shapes = zip(graph.outputs, types).map { "\($0.name) \($1.shape)" }
    throw WeighbridgeError(
      .mismatch,
      "\(count) labels, and no output has \(count) elements along its last axis: "
        + shapes.joined(separator: ", ")
        + " (a detector's labels need --detector and --anchors too)")
  }

  /// The outputs' channel axis: where the image input has its own, else the last.
  private var channelAxis: Int {
    description.inputs.lazy.compactMap(\.image).first?.layout.channelAxis(rank: 4) ?? 3
  }

  private func spatialAxes(_ type: TensorType) -> [Int] {
    type.rank == 4 ? (1..<4).filter { $0 != channelAxis } : []
  }
}
