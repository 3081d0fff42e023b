import Foundation
import TestSupport
import Testing
import Vision
import Weighbridge

/// The detections of a detector that was exported for another tool and read back.
@Suite struct ExportedDetectionTests {
  private let sample = Paths.sample("Models/shape-detector")

  /// An exported form of a detector.
  struct Form: CustomTestStringConvertible {
    let target: String
    let suppressesBoxes: Bool?
    var testDescription: String {
      target + (suppressesBoxes.map { $0 ? " with boxes" : " with heads" } ?? "")
    }

    static let all = [
      Form(target: "mlmodel", suppressesBoxes: true),
      Form(target: "mlmodel", suppressesBoxes: false),
      Form(target: "onnx", suppressesBoxes: true), Form(target: "onnx", suppressesBoxes: false),
      Form(target: "keras", suppressesBoxes: nil), Form(target: "h5", suppressesBoxes: nil),
    ]
  }

  /// The shape detector; its boxes are those in the outputs of Keras.
  private func detector() throws -> Model {
    var model = try Model(contentsOf: "\(sample)/shape-detector.h5")
    var edit = DescriptionEdit()
    var image = DescriptionEdit.Image(input: "input_1")
    image.scale = 1.0 / 255
    image.resize = .letterbox
    edit.images = [image]
    edit.labels = ["ellipse", "rectangle", "triangle"]
    edit.detector = .init(kind: .region, anchors: [2.85, 2.46, 2.96, 4.61, 4.96, 4.19])
    edit.detector?.confidenceThreshold = 0.1
    edit.detector?.iouThreshold = 0.3
    try model.describe(edit)
    return model
  }

  private func copy(_ model: Model, _ form: Form, _ folder: TemporaryFolder) throws -> Model {
    var options = ExportOptions()
    options.withNMS = form.suppressesBoxes
    let path = folder.file("m.\(form.target)")
    try model.export(to: path, options: options)
    return try Model(contentsOf: path)
  }

  /// Expects the same detections from a model and its copy.
  private func expectSame(_ model: Model, _ copy: Model, in image: Image) throws {
    let expected = try Detector(model).detect(in: image)
    let found = try Detector(copy).detect(in: image)
    #expect(!expected.isEmpty && found.map(\.label) == expected.map(\.label))
    WeighbridgeTests.expectSame(found, expected, confidence: 2e-5, edges: 2e-5)
  }

  @Test("An exported detector finds what its source finds", arguments: Form.all)
  func shapes(_ form: Form) throws {
    let folder = try TemporaryFolder()
    let image = try Image(contentsOf: "\(sample)/picture.png")
    let model = try detector()
    let copy = try copy(model, form, folder)
    try expectSame(model, copy, in: image)
    #expect(copy.metadata.inputs[0].image?.resize == .letterbox)
    #expect(copy.metadata.detector?.confidenceThreshold == 0.1)
    #expect(copy.metadata.detector?.iouThreshold == 0.3)
    // A .wbm file keeps what was read, too.
    try copy.write(to: folder.file("m.wbm"))
    try expectSame(model, try Model(contentsOf: folder.file("m.wbm")), in: image)
  }

  @Test("A file that gives boxes is written as one again", arguments: ["mlmodel", "onnx"])
  func boxesAgain(_ target: String) throws {
    let folder = try TemporaryFolder()
    let model = try detector()
    let form = Form(target: target, suppressesBoxes: true)
    let copy = try copy(try copy(model, form, folder), form, folder)
    #expect(copy.metadata.detector?.kind == .boxes)
    try expectSame(model, copy, in: try Image(contentsOf: "\(sample)/picture.png"))
  }

  @Test("A threshold of the file's own holds: what it left out is gone")
  func thresholds() throws {
    let folder = try TemporaryFolder()
    let model = try copy(try detector(), Form.all[0], folder)
    let image = try Image(contentsOf: "\(sample)/picture.png")
    var options = DetectOptions()
    options.confidenceThreshold = 0.95
    #expect(try Detector(model, options: options).detect(in: image).count == 2)
  }

  @Test(
    "Tiny YOLO finds the same in a photo, whatever file it was exported to",
    .enabled(if: Fixtures.areAvailable, "\(Fixtures.skipReason)"), arguments: Form.all)
  func tinyYOLO(_ form: Form) throws {
    let folder = try TemporaryFolder()
    var model = try Model(
      contentsOf: Fixtures.file("keras/seeds/tinyyolo/tinyyolo_voc2007_modelweights.h5"))
    var edit = DescriptionEdit()
    var image = DescriptionEdit.Image(input: model.inputs[0].name)
    image.scale = 1.0 / 255
    edit.images = [image]
    edit.detector = .init(
      kind: .region, anchors: [1.08, 1.19, 3.42, 4.41, 6.63, 11.38, 9.42, 5.11, 16.62, 10.52])
    try model.describe(edit)
    try expectSame(
      model, try copy(model, form, folder),
      in: try Image(contentsOf: Fixtures.file("images/dog.jpg")))
  }
}
