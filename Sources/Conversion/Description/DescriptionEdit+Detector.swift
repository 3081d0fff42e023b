import Bytes
import GraphIR

extension ModelContent {
  /// The detector that an edit describes, checked against the outputs' shapes.
  ///
  /// Each cell of a head's grid holds anchors x (4 coordinates + 1 objectness + classes) channels,
  /// or one less for each anchor when there is no objectness.
  func makeDetector(
    _ edit: DescriptionEdit.DetectorEdit
  ) throws(WeighbridgeError) -> Detector {
    let anchors = try anchors(edit)
    let hasObjectness = edit.hasObjectness ?? true
    var classCount =
      edit.classCount ?? (description.labels.isEmpty ? nil : description.labels.count)
    var heads: [Detector.Head] = []
    for var head in try self.heads(edit, anchorCount: anchors.count) {
      let type = try outputType(of: head, anchorCount: anchors.count)
      classCount = try checkChannels(
        type, head, coordinates: hasObjectness ? 5 : 4, classCount: classCount)
      head.stride = head.stride ?? headStride(type)
      heads.append(head)
    }
    return Detector(
      kind: edit.kind, anchors: anchors, heads: heads,
      boxEncoding: edit.boxEncoding ?? .exponential, hasObjectness: hasObjectness,
      classCount: classCount ?? 0, confidenceThreshold: edit.confidenceThreshold,
      overlapThreshold: edit.overlapThreshold, suppression: edit.suppression)
  }

  private func anchors(
    _ edit: DescriptionEdit.DetectorEdit
  ) throws(WeighbridgeError) -> [Detector.Anchor] {
    guard !edit.anchors.isEmpty, edit.anchors.count % 2 == 0 else {
      throw WeighbridgeError(
        .mismatch,
        "a \(edit.kind.rawValue) detector needs anchors as pairs of width and height, and "
          + "\(edit.anchors.count) numbers were given")
    }
    guard edit.anchors.allSatisfy({ $0 > 0 && $0.isFinite }) else {
      throw WeighbridgeError(.mismatch, "an anchor's width and height must be above 0")
    }
    return stride(from: 0, to: edit.anchors.count, by: 2).map {
      Detector.Anchor(width: edit.anchors[$0], height: edit.anchors[$0 + 1])
    }
  }

  /// The heads that the edit names, or every output with an equal share of the anchors.
  private func heads(
    _ edit: DescriptionEdit.DetectorEdit, anchorCount: Int
  ) throws(WeighbridgeError) -> [Detector.Head] {
    if let heads = edit.heads { return heads }
    let masks = try masks(anchorCount: anchorCount)
    return zip(graph.outputs, masks).map {
      Detector.Head(output: $0.name, mask: $1, stride: nil, scaleXY: 1)
    }
  }

  /// The type of the output that a head names, once the head's own numbers are checked.
  private func outputType(
    of head: Detector.Head, anchorCount: Int
  ) throws(WeighbridgeError) -> TensorType {
    let index = try Self.position(
      of: head.output, in: graph.outputs.map(\.name), what: "output")
    guard !head.mask.isEmpty, Set(head.mask).count == head.mask.count,
      head.mask.allSatisfy({ 0..<anchorCount ~= $0 })
    else {
      throw WeighbridgeError(
        .mismatch,
        "the head \(head.output) uses the anchors \(head.mask), and a mask names some of the "
          + "anchors 0 to \(anchorCount - 1), each once")
    }
    for (name, number) in [("stride", head.stride ?? 1), ("scaleXY", head.scaleXY)]
    where !(number > 0 && number.isFinite) {
      throw WeighbridgeError(
        .mismatch, "the head \(head.output) has \(name) \(number), which must be above 0")
    }
    return graph[graph.outputs[index].value].type
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

  /// The number of classes, from the channels where it is not known yet.
  ///
  /// - Parameter coordinates: How many channels of an anchor are no class: 4, and 1 for objectness.
  private func checkChannels(
    _ type: TensorType, _ head: Detector.Head, coordinates: Int, classCount: Int?
  ) throws(WeighbridgeError) -> Int {
    let anchors = head.mask.count
    guard type.rank == 4, let channels = type.shape[channelAxis].value else {
      throw WeighbridgeError(
        .mismatch,
        "the output \(head.output) is \(type), and a detector's has a grid of cells with channels: "
          + "4 axes")
    }
    let grid = spatialAxes(type).map { type.shape[$0].description }.joined(separator: " x ")
    let found = "the output \(head.output) has \(grid) x \(channels) channels"
    if let classCount {
      let sum = coordinates.addingReportingOverflow(classCount)
      let product = anchors.multipliedReportingOverflow(by: sum.partialValue)
      guard classCount > 0, !sum.overflow, !product.overflow, product.partialValue == channels
      else {
        let noun = classCount == description.labels.count ? "labels" : "classes"
        throw WeighbridgeError(
          .mismatch,
          "\(found), and \(anchors) anchors x (\(coordinates) + \(classCount) \(noun)) make "
            + "\(product.partialValue)")
      }
      return classCount
    }
    guard channels % anchors == 0, channels / anchors > coordinates else {
      throw WeighbridgeError(
        .mismatch,
        "\(found), which \(anchors) anchors x (\(coordinates) + classes) cannot make for any number "
          + "of classes")
    }
    return channels / anchors - coordinates
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
