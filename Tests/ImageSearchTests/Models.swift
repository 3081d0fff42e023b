import ImageSearch
import TestSupport
import Vision

/// The models of the samples, described.
enum Models {
  static let shapes = ["ellipse", "rectangle", "triangle"]

  static func shapeDetector() throws -> Model {
    var model = try Model(contentsOf: Places.sample("Models/shape-detector/shape-detector.h5"))
    var edit = DescriptionEdit()
    var image = DescriptionEdit.Image(input: "input_1")
    image.scale = 1.0 / 255
    edit.images = [image]
    edit.labels = shapes
    edit.detector = .init(kind: .region, anchors: [2.85, 2.46, 2.96, 4.61, 4.96, 4.19])
    try model.describe(edit)
    return model
  }

  static func sketchClassifier() throws -> Model {
    var model = try Model(
      contentsOf: Places.sample("Models/sketch-classifier/sketch-classifier.h5"))
    var edit = DescriptionEdit()
    var image = DescriptionEdit.Image(input: model.inputs[0].name)
    image.scale = 1.0 / 255
    image.colorOrder = .gray
    edit.images = [image]
    try model.describe(edit)
    return model
  }

  /// The detector of shapes, with or without the numbers of its grid as features.
  static func analyzer(features: String? = nil) throws -> ImageAnalyzer {
    var options = AnalyzeOptions()
    options.features = features
    return try ImageAnalyzer(try shapeDetector(), options: options)
  }

  /// The classifier of sketches, whose scores are the features.
  static func sketchAnalyzer() throws -> ImageAnalyzer {
    try ImageAnalyzer(try sketchClassifier())
  }
}

/// A folder of drawn scenes and an index beside it.
struct Album {
  let folder: TemporaryFolder
  /// The folder with the images.
  var images: String { folder.file("images") }
  /// The index.
  var index: String { folder.file("photos.db") }

  init(scenes: [DrawnScene] = []) throws {
    folder = try TemporaryFolder()
    try Files.makeFolder(images)
    for (number, scene) in scenes.enumerated() { try scene.image.write(to: path(number)) }
  }

  /// The file of a scene.
  func path(_ number: Int) -> String { "\(images)/scene-\(number < 10 ? "0" : "")\(number).png" }
}
