import Bytes
import ConversionCore
import DarknetFormat
import GraphIR
import LayerCatalog

/// `[yolo]`, `[Gaussian_yolo]`, `[region]`, `[detection]`.
enum DarknetDetections {
  static let sections: [String: DarknetSectionForm] = [
    "yolo": DarknetSectionForm(build: yolo, describe: describe),
    "gaussian_yolo": DarknetSectionForm(build: gaussian, describe: describe),
    "region": DarknetSectionForm(build: region) { (layer, section) throws(WeighbridgeError) in
      if layer.nodes.contains(where: { $0.operation is GroupedSoftmax }) {
        throw DarknetRecoveredLayer.tree
      }
      try describe(layer, &section)
      section.flag("softmax", layer.hasSoftmax)
    },
    "detection": DarknetSectionForm(build: detection) { (layer, section) throws(WeighbridgeError) in
      try describe(layer, &section)
      section.flag("softmax", layer.hasSoftmax)
    },
  ]

  private static let describe: DarknetSectionForm.Describe = {
    (layer, section) throws(WeighbridgeError) in
    try section.set(layer.detector, of: layer.outputName)
  }

  private static let yolo: DarknetLayer.Build = { (layer) throws(WeighbridgeError) in
    let anchors = try layer.anchors(isMasked: true)
    let classes = try layer.integer("classes", default: 20, in: 1...1 << 20)
    let scale = try layer.double("scale_x_y", default: 1)
    let isActivated = try layer.flag("new_coords")
    var detector = DetectorDescription(
      .yolo(
        .init(
          anchors: anchors.all, heads: [], squaresSizes: isActivated, order: .channelsFirst)),
      classCount: classes, activated: Set(DetectorDescription.Part.allCases))
    try layer.readSuppression(&detector)
    layer.result.head = DarknetHead(detector: detector, mask: anchors.mask, scaleXY: scale)
    var boxes = try layer.boxes(anchors.mask.count, entries: 5, classes: classes)
    var centers = try layer.rows(0..<2, of: boxes, role: "centers")
    if !isActivated { centers = try layer.add(Sigmoid(), [centers], role: "centers/logistic") }
    centers = try layer.stretched(centers, by: scale)
    let dimensions = try layer.rows(2..<4, of: boxes, role: "sizes")
    var scores = try layer.rows(4..<5 + classes, of: boxes, role: "scores")
    if !isActivated { scores = try layer.add(Sigmoid(), [scores], role: "scores/logistic") }
    boxes = try layer.add(Concatenate(axis: 2), [centers, dimensions, scores], role: "boxes")
    return try layer.reshapedLikeInput(boxes)
  }

  /// Stores a mean and a standard deviation for each of x, y, width and height.
  private static let gaussian: DarknetLayer.Build = { (layer) throws(WeighbridgeError) in
    let anchors = try layer.anchors(isMasked: true)
    let classes = try layer.integer("classes", default: 20, in: 1...1 << 20)
    let scale = try layer.double("scale_x_y", default: 1)
    var detector = DetectorDescription(
      .gaussianYOLO(.init(anchors: anchors.all, heads: [], order: .channelsFirst)),
      classCount: classes, activated: Set(DetectorDescription.Part.allCases))
    try layer.readSuppression(&detector)
    layer.result.head = DarknetHead(
      detector: detector, mask: anchors.mask, scaleXY: scale, boxPoint: try layer.boxPoint())
    let boxes = try layer.boxes(anchors.mask.count, entries: 9, classes: classes)
    var parts: [ValueID] = []
    let ranges = [0..<1, 1..<2, 2..<3, 3..<4, 4..<5, 5..<6, 6..<7, 7..<9 + classes]
    for (position, range) in ranges.enumerated() {
      var part = try layer.rows(range, of: boxes, role: "part_\(position)")
      if position != 4, position != 6 {
        part = try layer.add(Sigmoid(), [part], role: "part_\(position)/logistic")
      }
      if position == 0 || position == 2 {
        part = try layer.stretched(part, by: scale, role: "part_\(position)/scale")
      }
      parts.append(part)
    }
    return try layer.reshapedLikeInput(
      try layer.add(Concatenate(axis: 2), parts, role: "boxes"))
  }

  /// pjreddie's darknet applies the logistic function to the centers, and to classes without
  /// softmax; AlexeyAB's does neither and puts the channels innermost.
  private static let region: DarknetLayer.Build = { (layer) throws(WeighbridgeError) in
    let anchors = try layer.anchors(isMasked: false)
    let classes = try layer.integer("classes", default: 20, in: 1...1 << 20)
    guard try layer.integer("coords", default: 4) == 4 else {
      throw layer.unsupported(
        "has boxes of other than 4 coordinates, and only coords=4 can be read")
    }
    guard try layer.integer("classfix", default: 0, in: -1...2) != -1 || layer.fork == .pjreddie
    else {
      throw layer.unsupported(
        "has classfix=-1, which leaves out boxes of an objectness below 0.5, and only other values can be read"
      )
    }
    let usesSoftmax = try layer.flag("softmax")
    let hasBackground = try layer.flag("background")
    let tree = try layer.tree()
    if let tree, tree.parents.count != classes {
      throw layer.malformed(
        "has classes=\(classes), and the tree has \(tree.parents.count) classes")
    }
    let boxes = try layer.boxes(anchors.mask.count, entries: 5, classes: classes)
    let isAlexeyAB = layer.fork == .alexeyab
    let detector = DetectorDescription(
      .region(
        .init(
          anchors: anchors.all, heads: [], hasObjectness: !hasBackground,
          hasBackground: hasBackground, order: isAlexeyAB ? .cellsFirst : .channelsFirst,
          classTree: hasBackground ? nil : tree.map { layer.classTree($0) })),
      classCount: classes,
      activated: isAlexeyAB ? [.objectness, .classes] : Set(DetectorDescription.Part.allCases))
    layer.result.head = DarknetHead(detector: detector, mask: anchors.mask)
    var parts: [ValueID] = []
    if isAlexeyAB {
      parts.append(try layer.rows(0..<4, of: boxes, role: "box"))
    } else {
      let centers = try layer.rows(0..<2, of: boxes, role: "centers")
      parts.append(try layer.add(Sigmoid(), [centers], role: "centers/logistic"))
      parts.append(try layer.rows(2..<4, of: boxes, role: "sizes"))
    }
    if !hasBackground {
      let objectness = try layer.rows(4..<5, of: boxes, role: "objectness")
      parts.append(try layer.add(Sigmoid(), [objectness], role: "objectness/logistic"))
    } else if !usesSoftmax {
      parts.append(try layer.rows(4..<5, of: boxes, role: "background"))
    }
    // A softmax includes the background.
    let firstScore = hasBackground && usesSoftmax ? 4 : 5
    let scores = try layer.rows(firstScore..<5 + classes, of: boxes, role: "classes")
    if let tree, !hasBackground {
      parts.append(
        try layer.add(
          GroupedSoftmax(axis: 2, sizes: tree.groupSizes), [scores], role: "classes/softmax"))
    } else if usesSoftmax {
      parts.append(try layer.add(Softmax(axes: [2]), [scores], role: "classes/softmax"))
    } else if isAlexeyAB {
      parts.append(scores)
    } else {
      parts.append(try layer.add(Sigmoid(), [scores], role: "classes/logistic"))
    }
    let joined = try layer.add(Concatenate(axis: 2), parts, role: "boxes")
    return isAlexeyAB
      ? try layer.withChannelsInnermost(joined) : try layer.reshapedLikeInput(joined)
  }

  /// YOLOv1: classes of all cells, then confidences, then boxes.
  private static let detection: DarknetLayer.Build = { (layer) throws(WeighbridgeError) in
    let classes = try layer.integer("classes", default: 1, in: 0...1 << 20)
    let coordinates = try layer.integer("coords", default: 1, in: 1...1 << 10)
    let side = try layer.integer("side", default: 7, in: 1...1 << 12)
    let boxesPerCell = try layer.integer("num", default: 1, in: 1...1 << 10)
    let usesSoftmax = try layer.flag("softmax")
    let storesSquareRoots = try layer.flag("sqrt")
    if classes == 0 {
      layer.decide("has classes=0: its boxes are of nothing, and the detector cannot be described")
    } else if coordinates == 4 {
      layer.result.head = DarknetHead(
        detector: DetectorDescription(
          .detection(
            .init(
              outputs: [], side: side, boxesPerCell: boxesPerCell,
              squaresSizes: storesSquareRoots)),
          classCount: classes, activated: Set(DetectorDescription.Part.allCases)))
    } else {
      layer.decide("has coords=\(coordinates), and a box has 4: the detector cannot be described")
    }
    let count = try layer.count(of: layer.input)
    let expectedCount = side * side * ((1 + coordinates) * boxesPerCell + classes)
    guard count == expectedCount else {
      throw layer.malformed(
        "takes \(expectedCount) numbers (side² ((1 + coords) num + classes)) and has \(count)")
    }
    guard usesSoftmax, classes > 0 else {
      let row = try layer.flattened(layer.input)
      return row == layer.input ? try layer.add(Identity(), [row]) : row
    }
    let column = try layer.add(Reshape(target: [count, 1, 1]), [layer.input], role: "column")
    let scoreCount = side * side * classes
    var scores = try layer.channels(0..<scoreCount, of: column, role: "classes")
    scores = try layer.add(
      Reshape(target: [side * side, classes, 1]), [scores], role: "classes/split")
    scores = try layer.add(Softmax(axes: [2]), [scores], role: "classes/softmax")
    scores = try layer.add(Reshape(target: [scoreCount, 1, 1]), [scores], role: "classes/column")
    let boxes = try layer.channels(scoreCount..<count, of: column, role: "boxes")
    let all = try layer.add(Concatenate(axis: 1), [scores, boxes], role: "joined")
    return try layer.add(Reshape(target: [count]), [all])
  }
}

extension DarknetLayer {
  /// Reads `num`, `mask` and `anchors`. Missing anchor values are 0.5.
  mutating func anchors(
    isMasked: Bool
  ) throws(WeighbridgeError) -> (all: [DetectorDescription.Anchor], mask: [Int]) {
    let count = try integer("num", default: 1, in: 1...1 << 12)
    let mask = (isMasked ? try integers("mask") : nil) ?? Array(0..<count)
    guard !mask.isEmpty, mask.allSatisfy((0..<count).contains) else {
      throw malformed(
        "has mask=\(mask.map(String.init).joined(separator: ",")), and there are the anchors 0 to "
          + "\(count - 1)")
    }
    let given = try doubles("anchors") ?? []
    if given.count > 2 * count {
      try tolerate(
        "\(given.count) numbers of anchors, of which darknet reads the first \(2 * count)")
    } else if given.count < 2 * count {
      try tolerate(
        "\(given.count) numbers of anchors for \(count) of them: those that are missing are 0.5")
    }
    let values = given + [Double](repeating: 0.5, count: max(0, 2 * count - given.count))
    let all = (0..<count).map {
      DetectorDescription.Anchor(width: values[2 * $0], height: values[2 * $0 + 1])
    }
    return (all, mask)
  }

  /// Reads the suppression of boxes, if the section states it. What darknet calls greedy also
  /// considers the distance of the centers, with a fixed exponent; what it calls corners does not.
  mutating func readSuppression(_ detector: inout DetectorDescription) throws(WeighbridgeError) {
    let exponent = try double("beta_nms", default: 0.6)
    switch try string("nms_kind") {
    case nil, "default": return
    case "greedynms": (detector.suppression, detector.distanceExponent) = (.distance, 0.6)
    case "diounms": (detector.suppression, detector.distanceExponent) = (.distance, exponent)
    case "cornersnms": detector.suppression = .greedy
    case let name?:
      throw malformed(
        "has nms_kind=\(name), and only default, greedynms, diounms and cornersnms are known")
    }
  }

  /// Reads which point of a box is predicted by its cell.
  mutating func boxPoint() throws(WeighbridgeError) -> DetectorDescription.BoxPoint {
    guard let name = try string("yolo_point") else { return .center }
    if let point = DetectorDescription.BoxPoint(rawValue: name) { return point }
    try tolerate("yolo_point=\(name) is unknown: darknet takes the centre")
    return .center
  }

  /// A tree of classes, traversed as this fork does by default (`-hier 0.5`).
  func classTree(_ tree: DarknetTree) -> DetectorDescription.ClassTree {
    DetectorDescription.ClassTree(
      parents: tree.parents.map { $0 < 0 ? nil : $0 }, threshold: 0.5,
      choice: fork == .alexeyab ? .last : .walk)
  }

  /// Reshapes the input to `[batch, anchors, entries, positions]`.
  ///
  /// - Parameters:
  ///   - entries: The number of an anchor's channels that are not classes.
  mutating func boxes(
    _ anchors: Int, entries: Int, classes: Int
  ) throws(WeighbridgeError) -> ValueID {
    let dimensions = try image(input)
    let expected = anchors * (entries + classes)
    guard dimensions.channels == expected else {
      let possibleClasses = dimensions.channels / anchors - entries
      let alternative =
        dimensions.channels % anchors == 0 && possibleClasses > 0
        ? ", or classes=\(possibleClasses) in this section" : ""
      throw malformed(
        "takes \(expected) channels (\(entries + classes) for each of \(anchors) anchors) and has "
          + "\(dimensions.channels): `filters` of the convolution before does not go with `classes` "
          + "and the anchors; write filters=\(expected) there\(alternative)")
    }
    let positionCount = try Checked.product(
      [dimensions.height, dimensions.width], of: "the number of positions")
    return try add(
      Reshape(target: [anchors, entries + classes, positionCount]), [input], role: "split")
  }

  /// Scales by s around 0.5: adds s x - (s - 1)/2.
  mutating func stretched(
    _ value: ValueID, by scale: Double, role: String = "centers/scale"
  ) throws(WeighbridgeError) -> ValueID {
    scale == 1 ? value : try scaled(value, by: scale, plus: -0.5 * (scale - 1), role: role)
  }

  /// Reshapes boxes to the shape of the input.
  mutating func reshapedLikeInput(_ boxes: ValueID) throws(WeighbridgeError) -> ValueID {
    try add(Reshape(target: Array(shape(of: input).dropFirst())), [boxes])
  }

  /// Transposes boxes so that the channels are innermost, in the shape of the input: the order in
  /// which AlexeyAB's darknet leaves them in memory.
  mutating func withChannelsInnermost(_ boxes: ValueID) throws(WeighbridgeError) -> ValueID {
    let dimensions = try image(input)
    let rows = try add(
      Reshape(target: [dimensions.channels, dimensions.height * dimensions.width]), [boxes],
      role: "rows")
    let transposed = try add(Transpose(axes: [0, 2, 1]), [rows], role: "transpose")
    return try reshapedLikeInput(transposed)
  }
}

extension DarknetRecoveredLayer {
  /// The name of the model's output that the section produces.
  fileprivate var outputName: String? {
    let value = nodes.last?.outputs[0]
    return graph.outputs.first { $0.value == value }?.name
  }

  fileprivate var hasSoftmax: Bool { nodes.contains { $0.operation is Softmax } }
}
