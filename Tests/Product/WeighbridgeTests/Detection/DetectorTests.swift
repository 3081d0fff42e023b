import GraphIR
import TestSupport
import Testing
import Vision
import Weighbridge

@Suite struct DetectorTests {
  private let sample = Paths.sample("Models/shape-detector")

  /// The shape detector with what `change` does to its description.
  private func model(_ change: (inout DescriptionEdit) -> Void = { _ in }) throws -> Model {
    var model = try Model(contentsOf: "\(sample)/shape-detector.h5")
    var edit = DescriptionEdit()
    var image = DescriptionEdit.Image(input: "input_1")
    image.scale = 1.0 / 255
    edit.images = [image]
    edit.labels = ["ellipse", "rectangle", "triangle"]
    edit.detector = .init(kind: .region, anchors: [2.85, 2.46, 2.96, 4.61, 4.96, 4.19])
    change(&edit)
    try model.describe(edit)
    return model
  }

  @Test("The sample finds the shapes of its image, where Keras' outputs have them")
  func shapes() throws {
    let detector = try Detector(try model())
    let found = try detector.detect(in: try Image(contentsOf: "\(sample)/picture.png"))
    #expect(found.map(\.label) == ["ellipse", "ellipse", "triangle", "rectangle"])
    // Decoded by NumPy from outputs.npz, which Keras computed.
    let expected = [
      Detection(
        classIndex: 0, label: nil, confidence: 0.9955671,
        box: Box(x: 0.158537, y: 0.5789108, width: 0.3636943, height: 0.2131016)),
      Detection(
        classIndex: 0, label: nil, confidence: 0.9656168,
        box: Box(x: 0.6247842, y: 0.6316957, width: 0.23682, height: 0.2773577)),
      Detection(
        classIndex: 2, label: nil, confidence: 0.9358807,
        box: Box(x: 0.5349403, y: 0.1034783, width: 0.3528631, height: 0.4264594)),
      Detection(
        classIndex: 1, label: nil, confidence: 0.9127825,
        box: Box(x: 0.174976, y: 0.040068, width: 0.1830554, height: 0.2422362)),
    ]
    expectSame(found, expected, confidence: 1e-5, edges: 1e-5)
  }

  @Test("The model's thresholds hold unless others are given")
  func thresholds() throws {
    let image = try Image(contentsOf: "\(sample)/picture.png")
    let strict = try model { $0.detector?.confidenceThreshold = 0.95 }
    #expect(try Detector(strict).detect(in: image).count == 2)
    var options = DetectOptions()
    options.confidenceThreshold = 0.99
    #expect(try Detector(strict, options: options).detect(in: image).count == 1)
  }

  @Test("Thresholds outside 0...1 are refused", arguments: [-0.1, 1.1, .nan])
  func wrongThresholds(value: Double) throws {
    let model = try model()
    for path in [\DetectOptions.confidenceThreshold, \DetectOptions.iouThreshold] {
      var options = DetectOptions()
      options[keyPath: path] = value
      let error = failure { _ = try Detector(model, options: options) }
      #expect(error?.code == .mismatch)
    }
  }

  @Test("A model that does not say enough is refused with what is missing")
  func silentModels() throws {
    let mute = try Model(contentsOf: "\(sample)/shape-detector.h5")
    let first = failure { _ = try Detector(mute) }
    #expect(
      first?.code == .mismatch
        && first?.reason.contains("`DescriptionEdit.DetectorEdit.anchors`") == true)
    let blind = try model { $0.images = [] }
    let second = failure { _ = try Detector(blind) }
    #expect(
      second?.code == .mismatch
        && second?.reason.contains("`DescriptionEdit.images`") == true)
  }

  @Test("NaN, missing outputs and wrong shapes are errors")
  func wrongOutputs() throws {
    let detector = try Detector(try model())
    let count = 11 * 11 * 24
    let grid = Tensor(
      .float32, shape: [1, 11, 11, 24], [Double](repeating: .nan, count: count))
    let nan = failure { _ = try detector.detections(in: [.init(name: "conv2d_7", tensor: grid)]) }
    #expect(nan?.code == .malformed && nan?.reason.contains("NaN") == true)
    let row = Tensor(.float32, shape: [count], [Double](repeating: 0, count: count))
    let shape = failure { _ = try detector.detections(in: [.init(name: "conv2d_7", tensor: row)]) }
    #expect(shape?.code == .mismatch)
    #expect(failure { _ = try detector.detections(in: []) }?.code == .mismatch)
  }

  /// The detections in the sample's outputs when all numbers are 0 but some of those of the first
  /// box of the first cell: x, y, width, height, objectness, then the classes.
  private func detections(_ entries: [Int: Double]) throws -> [Detection] {
    var numbers = [Double](repeating: 0, count: 11 * 11 * 24)
    for (index, number) in entries { numbers[index] = number }
    let grid = Tensor(.float32, shape: [1, 11, 11, 24], numbers)
    return try Detector(try model()).detections(in: [.init(name: "conv2d_7", tensor: grid)])
  }

  @Test("Infinite numbers for a class are an error, an infinite box is left out")
  func infiniteOutputs() throws {
    // The softmax of three zeros is 1/3 each, and the sigmoid of infinity 1.
    #expect(try detections([4: .infinity]).map(\.confidence) == [1.0 / 3, 1.0 / 3, 1.0 / 3])
    #expect(try detections([4: 10, 2: .infinity]).isEmpty)
    let error = failure { _ = try detections([4: 10, 6: .infinity]) }
    #expect(error?.code == .malformed)
    #expect(error?.reason.contains("conv2d_7 contains infinite confidences") == true)
  }

  @Test("Infinite confidences of boxes that are decoded in the model are an error")
  func infiniteConfidences() throws {
    let list = DetectorDescription(
      .boxes(.init(confidences: "confidence", coordinates: "coordinates")), classCount: 2)
    func boxes(_ confidence: Double, width: Double) throws -> [Candidate] {
      try BoxDecoder(list, layout: .channelsLast, inputWidth: 8, inputHeight: 8).candidates(
        [
          "confidence": Tensor(.float32, shape: [1, 2], [confidence, 0.5]),
          "coordinates": Tensor(.float32, shape: [1, 4], [0.5, 0.5, width, 1]),
        ], above: 0.25)
    }
    #expect(try boxes(1, width: 1).map(\.scores.count) == [2])
    #expect(try boxes(-.infinity, width: 1).map(\.scores.count) == [1])
    #expect(try boxes(1, width: .infinity).isEmpty)
    #expect(failure { _ = try boxes(.infinity, width: 1) }?.code == .malformed)
  }

  @Test("Infinite probabilities and objectness scores of YOLOv1 are an error")
  func infiniteRows() throws {
    let detector = DetectorDescription(
      .detection(.init(outputs: ["y"], side: 1, boxesPerCell: 1)), classCount: 2)
    // Two probabilities, the objectness, and x, y, width and height of the box.
    func boxes(_ numbers: [Double]) throws -> [Candidate] {
      try BoxDecoder(detector, layout: .channelsFirst, inputWidth: 8, inputHeight: 8).candidates(
        ["y": Tensor(.float32, shape: [1, 7], numbers)], above: 0.25)
    }
    #expect(
      try boxes([0.5, 1, 0.75, 0.5, 0.5, 1, 1])[0].scores.map(\.confidence) == [0.375, 0.75])
    #expect(try boxes([0.5, 1, 0.75, 0.5, 0.5, .infinity, 1]).isEmpty)
    for index in 0..<3 {
      var numbers = [0.5, 1, 0.75, 0.5, 0.5, 1, 1]
      numbers[index] = .infinity
      #expect(failure { _ = try boxes(numbers) }?.code == .malformed)
    }
  }
}
