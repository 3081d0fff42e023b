import Bytes
import ConversionCore
import GraphIR
import LayerCatalog
import ReferenceRuntime
import TestSupport
import Testing
import Vision
import Weighbridge

/// Box decoding in the graph, for tools that cannot decode heads.
@Suite struct DecodingGraphTests {
  private static let plainCases = DetectionCase.all.filter {
    !$0.testDescription.contains("tree")
  }

  /// The boxes in the outputs of a graph with ``DetectionDecoding``, with the classes above a
  /// threshold.
  private func candidates(
    _ graph: Graph, _ inputs: [Tensor], above threshold: Double
  ) throws -> [Candidate] {
    #expect(graph.outputs.map(\.name) == ["confidence", "coordinates"])
    let outputs = try ReferenceRuntime(workers: Workers(count: 1)).run(graph, inputs: inputs) { _ in
    }
    let (confidence, coordinates) = (outputs[0].doubles, outputs[1].doubles)
    let classCount = outputs[0].shape[1]
    #expect(outputs.map(\.elementType) == [.float32, .float32])
    #expect(outputs[1].shape == [outputs[0].shape[0], 4])
    return (0..<outputs[0].shape[0]).map { row in
      let box = coordinates[row * 4..<row * 4 + 4]
      let scores = (0..<classCount).compactMap { index -> Candidate.Score? in
        let score = confidence[row * classCount + index]
        return score > threshold ? .init(classIndex: index, confidence: score) : nil
      }
      return Candidate(
        box: Box(
          centerX: box[box.startIndex], centerY: box[box.startIndex + 1],
          width: box[box.startIndex + 2], height: box[box.startIndex + 3]),
        objectness: 1, scores: scores)
    }
  }

  private func detections(_ candidates: [Candidate]) -> [Detection] {
    candidates.flatMap { candidate in
      candidate.scores.map {
        Detection(
          classIndex: $0.classIndex, label: nil, confidence: $0.confidence, box: candidate.box)
      }
    }
  }

  /// A graph whose head is its input image, with the description of a case's model.
  private func headGraph(
    _ model: Model, _ type: TensorType, layout: DataLayout,
    _ change: (inout DetectorDescription) -> Void
  ) throws -> (Graph, ModelDescription) {
    var builder = GraphBuilder()
    let input = try builder.addInput("data", type)
    let head = try builder.addNode(
      Identity(), named: "head", inputs: [input],
      source: SourceScope(layer: "head", className: "Identity"))
    var description = ModelDescription(
      inputs: [.init(name: "data")], outputs: [.init(name: "head")])
    description.inputs[0].image = Self.image(layout)
    description.detector = model.metadata.detector
    description.detector?.grid?.heads[0].output = "head"
    if var detector = description.detector {
      change(&detector)
      description.detector = detector
    }
    return (try builder.finish(outputs: [Port(name: "head", value: head[0])]), description)
  }

  /// The description of a case's model, whose input is taken for an image.
  private func described(_ model: Model) -> ModelDescription {
    var description = model.metadata
    description.inputs[0].image = Self.image(.channelsFirst)
    return description
  }

  private static func image(_ layout: DataLayout) -> ImageInput {
    ImageInput(colorOrder: .rgb, scale: 1, bias: [0, 0, 0], resize: nil, layout: layout)
  }

  @Test(
    "Decoded in the graph, the boxes of every kind of head are darknet's", arguments: plainCases)
  func darknet(_ sample: DetectionCase) throws {
    let record = try sample.record()
    let model = try sample.model(record)
    let description = described(model)
    let graph = try DetectionDecoding(model.content.graph, description).graph
    let input = try ArrayFile.read(sample.input)[0].tensor
    let found = try candidates(graph, [input], above: record.threshold)
    let image = try DetectorInterface(model.content.graph, description)
    let placement = try record.placement(inputWidth: image.width, inputHeight: image.height)
    expectSame(
      detections(found.map { $0.mappedToImage(placement) }), record.before, confidence: 1e-6,
      edges: 1e-5)
  }

  @Test(
    "Raw heads give the same boxes, in both layouts",
    arguments: ["yolo", "region_softmax", "region_background", "gaussian_center"],
    [DataLayout.channelsFirst, .channelsLast])
  func raw(name: String, layout: DataLayout) throws {
    let sample = DetectionCase(testDescription: name)
    let record = try sample.record()
    var input = try ArrayFile.read(sample.input)[0].tensor
    let placement = try record.placement(inputWidth: input.shape[3], inputHeight: input.shape[2])
    if layout == .channelsLast { input = input.permuted([0, 2, 3, 1]) }
    // Boxes are float32, whatever the type of the head is.
    input = Tensor(.float64, shape: input.shape, input.doubles)
    var type = input.type
    type.shape[0] = .symbolic("batch")
    let (graph, description) = try headGraph(
      try sample.model(record), type, layout: layout
    ) {
      $0.activated = []
      $0.grid?.order = nil
    }
    let decoded = try DetectionDecoding(graph, description).graph
    #expect(decoded[decoded.inputs[0].value].type.shape[0] == 1)
    let found = try candidates(decoded, [input], above: record.threshold)
    expectSame(
      detections(found.map { $0.mappedToImage(placement) }), record.before, confidence: 1e-6,
      edges: 1e-5)
  }

  @Test(
    "The recorded heads of yolov3-tiny hold darknet's detections",
    .enabled(if: Fixtures.areAvailable, "\(Fixtures.skipReason)"),
    arguments: RealDetectionTests.Case.all)
  func heads(_ sample: RealDetectionTests.Case) throws {
    let model = try sample.model()
    let interface = try DetectorInterface(model.content.graph, model.metadata)
    let rows = try ArrayFile.read("\(sample.folder)/outputs.npz")
    var builder = GraphBuilder()
    var (inputs, heads): ([Tensor], [ValueID]) = ([], [])
    for port in model.outputs {
      let shape = try #require(port.type.singleExampleShape)
      inputs.append(Tensor(.float32, shape: shape, try #require(rows[port.name]).doubles))
      heads.append(try builder.addInput(port.name, port.type))
    }
    var decoding = HeadDecoding(
      interface.detector, layout: interface.input.image.layout, inputWidth: interface.width,
      inputHeight: interface.height, graph: builder)
    let boxes = try decoding.decode(heads)
    let graph = try decoding.graph.finish(outputs: [
      Port(name: "confidence", value: boxes.confidence),
      Port(name: "coordinates", value: boxes.coordinates),
    ])
    let image = try Image(contentsOf: Fixtures.file("images/dog.jpg"))
    let placement = try sample.detector(model).input(for: image).placement
    let found = try candidates(graph, inputs, above: Detector.defaultConfidenceThreshold)
    let kept = BoxSuppression(
      interface.detector.suppression ?? .greedy, threshold: Detector.defaultIoUThreshold
    ).detections(found.map { $0.mappedToImage(placement) }).map { score, box in
      Detection(classIndex: score.classIndex, label: nil, confidence: score.confidence, box: box)
    }
    expectSame(kept, try sample.recorded(), confidence: 2e-6, edges: 2e-6)
  }

  @Test("Classes that form a tree are refused", arguments: ["region_tree", "region_tree_pjreddie"])
  func trees(name: String) throws {
    let sample = DetectionCase(testDescription: name)
    let model = try sample.model(try sample.record())
    let error = failure { _ = try DetectionDecoding(model.content.graph, described(model)) }
    #expect(error?.code == .unsupported && error?.reason.contains("tree") == true)
  }

  @Test("Heads that do not fit the description, or have unknown sizes, are refused")
  func misfits() throws {
    let sample = DetectionCase(testDescription: "yolo")
    let model = try sample.model(try sample.record())
    let type = model.inputs[0].type
    func error(
      _ shape: [Dimension], _ change: (inout DetectorDescription) -> Void = { _ in }
    ) throws -> WeighbridgeError? {
      let (graph, description) = try headGraph(
        model, type.with(shape: shape), layout: .channelsFirst, change)
      return failure { _ = try DetectionDecoding(graph, description) }
    }
    #expect(try error(type.shape) == nil)
    #expect(try error(type.shape) { $0.classCount += 1 }?.code == .mismatch)
    #expect(try error(type.shape) { $0.grid?.heads[0].output = "other" }?.code == .mismatch)
    #expect(try error([2] + type.shape.dropFirst())?.code == .unsupported)
    let open = type.shape.dropLast() + [.unknown]
    #expect(try error(Array(open))?.code == .mismatch)
  }
}
