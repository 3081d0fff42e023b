import Foundation
import Testing
import Weighbridge

/// The article "From an image to boxes", compiled and run.
@Suite struct BoxesArticleTests {
  private func writeModel(to path: String) throws {
    var model = try Model(contentsOf: "\(Project.detector)/shape-detector.h5")
    var edit = DescriptionEdit()
    edit.inputNames = [.init(old: nil, new: "image")]
    var image = DescriptionEdit.Image(input: "image")
    image.scale = 1.0 / 255
    edit.images = [image]
    edit.labels = try LabelFile.read("\(Project.detector)/labels.names")
    edit.detector = .init(kind: .region, anchors: [2.85, 2.46, 2.96, 4.61, 4.96, 4.19])
    try model.describe(edit)
    try model.write(to: path)
  }

  @Test("The article's code finds the shapes and draws them")
  func articleRuns() throws {
    let sample = Project.detector
    try withTemporaryFile("shapes.wbm") { path in
      try writeModel(to: path)
      let drawn = path + ".png"

      let detector = try Detector(Model(contentsOf: path))
      let image = try Image(contentsOf: "\(sample)/picture.png")
      let detections = try detector.detect(in: image)
      for detection in detections {
        print(detection.label ?? "?", detection.confidence, detection.box)
      }
      #expect(detections.map(\.label) == ["ellipse", "ellipse", "triangle", "rectangle"])

      var options = DetectOptions()
      options.confidenceThreshold = 0.95
      options.resize = .letterbox
      let few = try Detector(Model(contentsOf: path), options: options).detect(in: image)
      #expect(few == Array(detections[..<2]))

      let box = detections[0].box
      let pixels = box.pixels(width: image.width, height: image.height)  // x 14.0, y 50.9
      let vision = box.visionRectangle  // y counts from below: 1 - box.y - box.height
      #expect(abs(pixels.x - 13.95) < 0.01 && abs(pixels.y - 50.94) < 0.01)
      #expect(vision.y == 1 - box.y - box.height)

      let annotations = detections.map { detection in
        ImageAnnotation(
          label: detection.label ?? "", colorIndex: detection.classIndex, x: detection.box.x,
          y: detection.box.y, width: detection.box.width, height: detection.box.height)
      }
      try image.annotated(with: annotations).write(to: drawn)
      #expect(try Image(contentsOf: drawn).width == 88)

      let (tensor, placement) = try detector.input(for: image)
      let outputs = try detector.model.run([NamedTensor(name: "image", tensor: tensor)]).outputs
      let same = try detector.detections(in: outputs, placement: placement)
      #expect(same == detections)
    }
  }
}
