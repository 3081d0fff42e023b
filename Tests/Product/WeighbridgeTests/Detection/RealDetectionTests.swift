import Foundation
import GraphIR
import JSON
import TestSupport
import Testing
import Vision
import Weighbridge

/// yolov3-tiny on the photo of the dog, compared with recordings of both forks of darknet.
@Suite(.enabled(if: Fixtures.areAvailable, "\(Fixtures.skipReason)"))
struct RealDetectionTests {
  /// The weights, which `darknet/yolov3-tiny/fetch.sh` of the reference files fetches.
  static let weights = ProcessInfo.processInfo.environment["YOLOV3_TINY_WEIGHTS"]

  struct Case: CustomTestStringConvertible {
    let testDescription: String
    let fork: DarknetFork
    let resize: ImageInput.ResizePolicy
    var folder: String { Fixtures.file("darknet/yolov3-tiny/\(testDescription)") }

    static let all = [
      Case(testDescription: "dog_alexey_letterbox", fork: .alexeyab, resize: .letterbox),
      Case(testDescription: "dog_alexey_resize", fork: .alexeyab, resize: .stretch),
      Case(testDescription: "dog_pj_letterbox", fork: .pjreddie, resize: .letterbox),
    ]

    func model(weights: String? = nil) throws -> Model {
      var options = ReadOptions()
      options.darknet = fork
      options.weights = weights
      options.randomWeights = weights == nil ? 0 : nil
      return try Model(
        contentsOf: Fixtures.file("darknet/yolov3-tiny/yolov3-tiny.cfg"), options: options)
    }

    func detector(_ model: Model) throws -> Detector {
      var options = DetectOptions()
      options.resize = resize
      return try Detector(model, options: options)
    }

    func recorded() throws -> [Detection] {
      let json = try JSONValue(parsing: Array(try Files.read("\(folder)/detections.json")))
      return try #require(json.object?["detections"]?.array).map { entry in
        let object = try #require(entry.object)
        let box = try #require(object["box"]?.array).compactMap(\.real)
        return Detection(
          classIndex: try #require(object["class"]?.integer), label: object["name"]?.string,
          confidence: try #require(object["prob"]?.real),
          box: Box(centerX: box[0], centerY: box[1], width: box[2], height: box[3]))
      }
    }
  }

  private func dog() throws -> Image {
    try Image(contentsOf: Fixtures.file("images/dog.jpg"))
  }

  @Test("The recorded outputs hold the recorded detections", arguments: Case.all)
  func decoding(_ sample: Case) throws {
    let detector = try sample.detector(try sample.model())
    // The recorded boxes are rows.
    let rows = try ArrayFile.read("\(sample.folder)/outputs.npz")
    let outputs = try detector.model.outputs.map { port in
      let row = try #require(rows.first { $0.name == port.name }).tensor
      let shape = try #require(port.type.singleExampleShape)
      return NamedTensor(name: port.name, tensor: Tensor(.float32, shape: shape, row.doubles))
    }
    let found = try detector.detections(
      in: outputs, placement: try detector.input(for: try dog()).placement)
    expectSame(found, try sample.recorded(), confidence: 2e-6, edges: 2e-6)
    for detection in try sample.recorded() {
      #expect(found.contains { $0.label == detection.label })
    }
  }

  @Test(
    "From the photo to the recorded detections",
    .enabled(if: weights != nil, "needs YOLOV3_TINY_WEIGHTS, which fetch.sh fetches"),
    arguments: Case.all)
  func wholeWay(_ sample: Case) throws {
    let detector = try sample.detector(try sample.model(weights: Self.weights))
    let found = try detector.detect(in: try dog())
    expectSame(found, try sample.recorded(), confidence: 0.01, edges: 0.002)
  }

  @Test("The model's own resize policy is its fork's")
  func ownPolicy() throws {
    #expect(try Case.all[0].model().metadata.inputs[0].image?.resize == .stretch)
    #expect(try Case.all[2].model().metadata.inputs[0].image?.resize == .letterbox)
  }
}
