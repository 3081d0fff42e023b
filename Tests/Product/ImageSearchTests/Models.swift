import ImageSearch
import TestSupport
import Vision

/// The sample models with their descriptions.
enum Models {
  static let shapes = ["ellipse", "rectangle", "triangle"]

  /// The detector of scenes.
  static func sceneDetector() throws -> Model { try detector("scene-detector") }

  static func shapeDetector() throws -> Model { try detector("shape-detector") }

  private static func detector(_ name: String) throws -> Model {
    var model = try Model(contentsOf: Paths.sample("Models/\(name)/\(name).h5"))
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
      contentsOf: Paths.sample("Models/sketch-classifier/sketch-classifier.h5"))
    var edit = DescriptionEdit()
    var image = DescriptionEdit.Image(input: model.inputs[0].name)
    image.scale = 1.0 / 255
    image.colorOrder = .gray
    edit.images = [image]
    try model.describe(edit)
    return model
  }

  /// The detector of shapes, with or without its grid as features.
  static func analyzer(features: String? = nil) throws -> ImageAnalyzer {
    try analyzer(shapeDetector(), features: features)
  }

  /// The classifier of sketches; its scores are the features, or the output of one of its layers.
  static func sketchAnalyzer(features: String? = nil) throws -> ImageAnalyzer {
    try analyzer(sketchClassifier(), features: features)
  }

  private static func analyzer(_ model: Model, features: String?) throws -> ImageAnalyzer {
    var options = AnalyzeOptions()
    options.features = features
    return try ImageAnalyzer(model, options: options)
  }
}

/// A folder of scenes and an index next to it.
struct Album {
  let folder: TemporaryFolder
  /// The folder with the images.
  var images: String { folder.file("images") }
  /// The index.
  var index: String { folder.file("photos.db") }

  init(scenes: [Scene] = []) throws {
    folder = try TemporaryFolder()
    try Files.makeFolder(images)
    for (number, scene) in scenes.enumerated() {
      try Files.write(try Files.read(scene.path), to: path(number))
    }
  }

  /// The path of a scene.
  func path(_ number: Int) -> String { "\(images)/scene-\(number < 10 ? "0" : "")\(number).png" }
}
