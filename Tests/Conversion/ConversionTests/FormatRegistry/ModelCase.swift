import TestSupport
import Weighbridge

/// An example of a full description, for the shape detector.
enum ModelCase {
  static let author = "Joshua Newnham"
  static let summary = "Keras port of YOLOTiny VOC2007 by Joseph Redmon and Ali Farhadi"
  static let inputSummary = "416x416 RGB Image"
  static let outputSummary =
    "13x13 Grid made up of: [cx, cy, w, h, confidence, 20 x classes] * 5 bounding boxes"

  /// The description, with the numbers of the shape detector.
  static var shapeDetector: DescriptionEdit {
    var edit = DescriptionEdit()
    edit.inputNames = [.init(old: nil, new: "image")]
    edit.outputNames = [.init(old: nil, new: "output")]
    var image = DescriptionEdit.Image(input: "image")
    image.scale = 1.0 / 255
    edit.images = [image]
    edit.author = author
    edit.license = "BSD"
    edit.summary = summary
    edit.inputSummaries = ["image": inputSummary]
    edit.outputSummaries = ["output": outputSummary]
    edit.detector = .init(kind: .region, anchors: [2.85, 2.46, 2.96, 4.61, 4.96, 4.19])
    edit.labels = ["ellipse", "rectangle", "triangle"]
    return edit
  }

  /// The same with the numbers of Tiny YOLO VOC2007.
  static var tinyYOLO: DescriptionEdit {
    var edit = shapeDetector
    edit.detector = .init(
      kind: .region, anchors: [1.08, 1.19, 3.42, 4.41, 6.63, 11.38, 9.42, 5.11, 16.62, 10.52])
    edit.labels = (0..<20).map { "class \($0)" }
    return edit
  }

  /// The small detector.
  static func detector() throws -> Model {
    try Model(contentsOf: Paths.sample("Models/shape-detector/shape-detector.h5"))
  }
}
