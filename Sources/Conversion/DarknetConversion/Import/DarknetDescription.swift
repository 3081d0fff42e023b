import DarknetFormat
import GraphIR

/// Creates the description of a darknet network from its sections.
struct DarknetDescription {
  let result: DarknetImporter.Result
  let fork: DarknetFork
  /// Records of what could not be described.
  private(set) var decisions: [Provenance.Decision] = []

  init(_ result: DarknetImporter.Result, fork: DarknetFork) {
    self.result = result
    self.fork = fork
  }

  /// Creates the description, without a name and labels.
  mutating func description() -> ModelDescription {
    let graph = result.graph
    var description = ModelDescription(
      inputs: graph.inputs.map { .init(name: $0.name) },
      outputs: graph.outputs.map { .init(name: $0.name) })
    let type = graph[graph.inputs[0].value].type
    if type.rank == 4, let channels = type.shape[1].value, [1, 3].contains(channels) {
      description.inputs[0].image = ImageInput(
        colorOrder: channels == 3 ? .rgb : .gray, scale: 1.0 / 255,
        bias: [Double](repeating: 0, count: channels),
        resize: resizePolicy, layout: .channelsFirst)
    }
    description.detector = detector()
    return description
  }

  /// How the fork's program brings an image to the input's size (`predict_classifier` and
  /// `test_detector`).
  private var resizePolicy: ImageInput.ResizePolicy {
    let isClassifier = result.heads.isEmpty && classCount != nil
    if fork == .alexeyab, isClassifier { return .centerCrop }
    let isYOLOv1 = result.heads.first?.head.detector.kind == .detection
    let isLetterboxed = result.isLetterboxed ?? (fork == .pjreddie && !isYOLOv1)
    return isLetterboxed ? .letterbox : .stretch
  }

  /// The number of classes of the boxes or of a final softmax; `nil` if there are neither.
  var classCount: Int? {
    if let head = result.heads.first { return head.head.detector.classCount }
    guard let last = result.graph.outputs.last, last.name.hasSuffix("_softmax") else { return nil }
    return result.graph[last.value].type.shape.last?.value
  }

  private mutating func detector() -> DetectorDescription? {
    guard let first = result.heads.first?.head.detector else { return nil }
    guard result.heads.allSatisfy({ $0.head.detector.isCompatible(with: first) }) else {
      decisions.append(
        .init(layer: "", text: "the layers of boxes differ too much for one detector record"))
      return nil
    }
    var detector = first
    detector.grid?.anchors = []
    for (output, head) in result.heads {
      detector.append(output, head, stride: stride(output))
      // darknet uses the settings of the last box layer.
      detector.suppression = head.detector.suppression
      detector.distanceExponent = head.detector.distanceExponent
    }
    return detector
  }

  /// The number of input pixels along each side of a cell; `nil` if cells are not square.
  private func stride(_ output: String) -> Double? {
    let graph = result.graph
    guard let port = graph.outputs.first(where: { $0.name == output }),
      let grid = graph[port.value].type.singleExampleShape,
      let pixels = graph[graph.inputs[0].value].type.singleExampleShape, grid.count == 4,
      pixels.count == 4,
      grid[2] > 0, grid[3] > 0
    else { return nil }
    let ratio = Double(pixels[3]) / Double(grid[3])
    return ratio == Double(pixels[2]) / Double(grid[2]) ? ratio : nil
  }
}

extension DetectorDescription {
  /// Adds an output with the boxes of a head.
  fileprivate mutating func append(_ output: String, _ head: DarknetHead, stride: Double?) {
    if case .detection(var row) = family {
      row.outputs.append(output)
      family = .detection(row)
    }
    guard var grid, let anchors = head.detector.grid?.anchors else { return }
    let isKnown = grid.anchors.isEmpty || grid.anchors == anchors
    let start = isKnown ? 0 : grid.anchors.count
    if start > 0 || grid.anchors.isEmpty { grid.anchors += anchors }
    grid.heads.append(
      Head(
        output: output, mask: head.mask.map { $0 + start }, stride: stride,
        scaleXY: head.scaleXY, boxPoint: head.boxPoint))
    self.grid = grid
  }

  /// Whether another detector differs only in what may vary between heads.
  fileprivate func isCompatible(with other: DetectorDescription) -> Bool {
    var other = other
    other.suppression = suppression
    if let grid { other.grid?.anchors = grid.anchors }
    other.distanceExponent = distanceExponent
    return self == other
  }
}
