import DarknetFormat
import GraphIR
import LayerCatalog

/// What a darknet network says of its use.
struct DarknetDescription {
  let result: DarknetImporter.Result
  let fork: DarknetFork
  /// What could not be said.
  private(set) var decisions: [Provenance.Decision] = []

  init(_ result: DarknetImporter.Result, fork: DarknetFork) {
    self.result = result
    self.fork = fork
  }

  /// The description, without a name and labels.
  mutating func make() -> ModelDescription {
    let graph = result.graph
    var description = ModelDescription(
      inputs: graph.inputs.map { .init(name: $0.name) },
      outputs: graph.outputs.map { .init(name: $0.name) })
    let type = graph[graph.inputs[0].value].type
    if type.rank == 4, let channels = type.shape[1].value, [1, 3].contains(channels) {
      let isLetterboxed = result.isLetterboxed ?? (fork == .pjreddie)
      description.inputs[0].image = ImageInput(
        colorOrder: channels == 3 ? .rgb : .gray, scale: 1.0 / 255,
        bias: [Double](repeating: 0, count: channels),
        resize: isLetterboxed ? .letterbox : .stretch,
        layout: .channelsFirst)
    }
    description.detector = detector()
    return description
  }

  /// The number of classes: of the boxes, or what a softmax at the end tells apart.
  var classCount: Int? {
    if let head = result.heads.first { return head.head.classCount }
    guard let last = result.graph.outputs.last, last.name.hasSuffix("_softmax") else { return nil }
    return result.graph[last.value].type.shape.last?.value
  }

  private mutating func detector() -> Detector? {
    guard let first = result.heads.first?.head else { return nil }
    let isUniform = result.heads.allSatisfy {
      ($0.head.kind, $0.head.classCount, $0.head.boxEncoding, $0.head.hasObjectness)
        == (first.kind, first.classCount, first.boxEncoding, first.hasObjectness)
    }
    guard isUniform else {
      decisions.append(
        .init(layer: "", text: "the layers of boxes differ too much for one detector record"))
      return nil
    }
    var anchors: [Detector.Anchor] = []
    var heads: [Detector.Head] = []
    for (output, head) in result.heads {
      let start = anchors == head.anchors || anchors.isEmpty ? 0 : anchors.count
      if start > 0 || anchors.isEmpty { anchors += head.anchors }
      heads.append(
        Detector.Head(
          output: output, mask: head.mask.map { $0 + start }, stride: stride(output),
          scaleXY: head.scaleXY))
    }
    return Detector(
      kind: first.kind, anchors: anchors, heads: heads, boxEncoding: first.boxEncoding,
      hasObjectness: first.hasObjectness, classCount: first.classCount,
      suppression: result.heads.compactMap(\.head.suppression).first)
  }

  /// How many input pixels a cell spans, when they are squares.
  private func stride(_ output: String) -> Double? {
    let graph = result.graph
    guard let port = graph.outputs.first(where: { $0.name == output }),
      let grid = graph[port.value].type.fixedShape,
      let pixels = graph[graph.inputs[0].value].type.fixedShape, grid.count == 4, pixels.count == 4,
      grid[2] > 0, grid[3] > 0
    else { return nil }
    let ratio = Double(pixels[3]) / Double(grid[3])
    return ratio == Double(pixels[2]) / Double(grid[2]) ? ratio : nil
  }
}
