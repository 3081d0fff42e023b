package import Bytes
package import GraphIR

extension ModelContent {
  /// Creates the detector that an edit describes, and checks it against the outputs' shapes.
  ///
  /// A head's grid has anchors x (4 coordinates + 1 objectness + classes) channels, or one less for
  /// each anchor when there is no objectness.
  package func makeDetector(
    _ edit: DescriptionEdit.DetectorEdit
  ) throws(WeighbridgeError) -> DetectorDescription {
    var fields = edit
    let labelCount = description.labels.isEmpty ? nil : description.labels.count
    fields.classCount = edit.classCount ?? edit.classTree?.parents.count ?? labelCount
    switch edit.kind {
    case .detection: try fillRow(&fields)
    case .boxes: try fillBoxes(&fields)
    case .region, .yolo, .gaussianYOLO: try fillGrids(&fields)
    }
    try fields.checkNumbers()
    return DetectorDescription(fields)
  }

  private func fillGrids(
    _ fields: inout DescriptionEdit.DetectorEdit
  ) throws(WeighbridgeError) {
    guard fields.side == nil, fields.boxesPerCell == nil else {
      throw .mismatch(
        "a \(fields.kind.rawValue) detector has no side and no number of boxes in a cell")
    }
    try checkAnchors(fields)
    fields.boxEncoding = fields.boxEncoding ?? .exponential
    let coordinateCount = DetectorDescription(fields).coordinateCount
    let axis = channelAxis(fields.order)
    var heads = try heads(fields)
    for index in heads.indices {
      let type = try outputType(of: heads[index], anchorCount: fields.anchors.count / 2)
      fields.classCount = try checkChannels(
        type, heads[index], coordinates: coordinateCount, classCount: fields.classCount,
        axis: axis)
      heads[index].stride = heads[index].stride ?? headStride(type, axis: axis)
    }
    fields.heads = heads
  }

  private func checkAnchors(_ edit: DescriptionEdit.DetectorEdit) throws(WeighbridgeError) {
    guard !edit.anchors.isEmpty, edit.anchors.count % 2 == 0 else {
      throw .mismatch(
        "a \(edit.kind.rawValue) detector needs anchors as pairs of width and height, and "
          + "\(edit.anchors.count) numbers were given")
    }
    guard edit.anchors.allSatisfy({ $0 > 0 && $0.isFinite }) else {
      throw .mismatch("an anchor's width and height must be above 0")
    }
  }

  /// The heads that the edit names; by default all outputs, with equal numbers of anchors.
  private func heads(
    _ edit: DescriptionEdit.DetectorEdit
  ) throws(WeighbridgeError) -> [DetectorDescription.Head] {
    if let heads = edit.heads { return heads }
    let masks = try masks(edit, anchorCount: edit.anchors.count / 2)
    return zip(graph.outputs, masks).map {
      DetectorDescription.Head(output: $0.name, mask: $1, stride: nil, scaleXY: 1)
    }
  }

  /// Checks a head's values and returns the type of the output that it names.
  private func outputType(
    of head: DetectorDescription.Head, anchorCount: Int
  ) throws(WeighbridgeError) -> TensorType {
    let index = try Self.position(
      of: head.output, in: graph.outputs.map(\.name), what: "output")
    guard !head.mask.isEmpty, Set(head.mask).count == head.mask.count,
      head.mask.allSatisfy({ 0..<anchorCount ~= $0 })
    else {
      throw .mismatch(
        "the head \(head.output) uses the anchors \(head.mask), and a mask names some of the "
          + "anchors 0 to \(anchorCount - 1), each once")
    }
    for (name, number) in [("stride", head.stride ?? 1), ("scaleXY", head.scaleXY)]
    where !(number > 0 && number.isFinite) {
      throw .mismatch("the head \(head.output) has \(name) \(number), which must be above 0")
    }
    return headType(graph.outputs[index])
  }

  /// The type of an output, with the batch axis that Core ML's arrays lack.
  private func headType(_ port: Port) -> TensorType {
    let type = graph[port.value].type
    return type.rank == 3 ? type.with(shape: [1] + type.shape) : type
  }

  /// The anchors of each head: equal numbers, with the last (largest) ones for the coarsest grid.
  private func masks(
    _ edit: DescriptionEdit.DetectorEdit, anchorCount: Int
  ) throws(WeighbridgeError) -> [[Int]] {
    let count = graph.outputs.count
    guard anchorCount % count == 0 else {
      throw .mismatch("\(anchorCount) anchors cannot be shared equally by \(count) outputs")
    }
    let anchorsPerHead = anchorCount / count
    let cellCounts = graph.outputs.map {
      cellCount(headType($0), axis: channelAxis(edit.order))
    }
    let finestFirst = cellCounts.indices.sorted { cellCounts[$0] > cellCounts[$1] }
    var masks = [[Int]](repeating: [], count: count)
    for (rank, head) in finestFirst.enumerated() {
      masks[head] = Array(rank * anchorsPerHead..<(rank + 1) * anchorsPerHead)
    }
    return masks
  }

  private func cellCount(_ type: TensorType, axis: Int) -> Int {
    spatialAxes(type, axis).compactMap { type.shape[$0].value }.reduce(1, *)
  }

  /// The number of input pixels along each side of a cell; `nil` when a size is unknown or the
  /// cells are not square.
  private func headStride(_ type: TensorType, axis: Int) -> Double? {
    guard let input = graph.inputs.first.map(headType), input.rank == 4,
      type.rank == 4
    else { return nil }
    let pixelAxes = spatialAxes(input, channelAxis(nil))
    let ratios = zip(spatialAxes(type, axis), pixelAxes).compactMap { cell, pixel -> Double? in
      guard let cells = type.shape[cell].value, let pixels = input.shape[pixel].value, cells > 0
      else { return nil }
      return Double(pixels) / Double(cells)
    }
    return ratios.count == 2 && ratios[0] == ratios[1] ? ratios[0] : nil
  }

  /// Checks the number of channels and returns the number of classes, which is computed from it if
  /// it is not given.
  ///
  /// - Parameters:
  ///   - coordinates: The number of an anchor's channels that are not classes: 4, and 1 for
  ///     objectness.
  ///   - axis: The axis of the channels.
  private func checkChannels(
    _ type: TensorType, _ head: DetectorDescription.Head, coordinates: Int, classCount: Int?,
    axis: Int
  ) throws(WeighbridgeError) -> Int {
    let anchors = head.mask.count
    guard type.rank == 4, let channels = type.shape[axis].value else {
      throw .mismatch(
        "the output \(head.output) is \(type), and a detector's has a grid of cells with channels: "
          + "4 axes")
    }
    let grid = spatialAxes(type, axis).map { type.shape[$0].description }.joined(separator: " x ")
    let actual = "the output \(head.output) has \(grid) x \(channels) channels"
    if let classCount {
      let sum = coordinates.addingReportingOverflow(classCount)
      let product = anchors.multipliedReportingOverflow(by: sum.partialValue)
      guard classCount > 0, !sum.overflow, !product.overflow, product.partialValue == channels
      else {
        let noun = classCount == description.labels.count ? "labels" : "classes"
        throw .mismatch(
          "\(actual), and \(anchors) anchors x (\(coordinates) + \(classCount) \(noun)) make "
            + "\(product.partialValue)")
      }
      return classCount
    }
    guard channels % anchors == 0, channels / anchors > coordinates else {
      throw .mismatch(
        "\(actual), which \(anchors) anchors x (\(coordinates) + classes) do not give for any "
          + "number of classes")
    }
    return channels / anchors - coordinates
  }

  /// Checks that there is a label for each class of the model.
  package func checkLabels() throws(WeighbridgeError) {
    let count = description.labels.count
    guard count > 0 else { return }
    if let detector = description.detector {
      guard detector.classCount == count else {
        throw .mismatch(
          "\(count) labels, and the detector has \(detector.classCount) classes: "
            + detector.channelArithmetic)
      }
      return
    }
    let types = graph.outputs.map { graph[$0.value].type }
    guard !types.contains(where: { $0.shape.last?.value == count }) else { return }
    let shapes = zip(graph.outputs, types).map { "\($0.name) \($1.shape)" }
    throw .mismatch(
      "\(count) labels, and no output has \(count) elements along its last axis: "
        + shapes.joined(separator: ", ")
        + " (a detector's labels need \(APIName.detector) and \(APIName.anchors) too)")
  }

  /// The channel axis of the outputs: that of the given order, else of the image input, else the
  /// last.
  private func channelAxis(_ order: DetectorDescription.Order?) -> Int {
    switch order {
    case .channelsLast: 3
    case .channelsFirst, .cellsFirst: 1
    case nil: description.inputs.lazy.compactMap(\.image).first?.layout.channelAxis(rank: 4) ?? 3
    }
  }

  private func spatialAxes(_ type: TensorType, _ channelAxis: Int) -> [Int] {
    type.rank == 4 ? (1..<4).filter { $0 != channelAxis } : []
  }
}
