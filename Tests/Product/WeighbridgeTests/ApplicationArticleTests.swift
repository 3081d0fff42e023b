import Foundation
import Testing
import Weighbridge

/// The articles "Classify, cut and stylize" and "A typed Swift interface", compiled and run.
@Suite struct ApplicationArticleTests {
  private let samples = "\(Project.folder)/Samples/Models"

  private func sketchClassifier() throws -> Model {
    var model = try Model(contentsOf: "\(samples)/sketch-classifier/sketch-classifier.h5")
    var edit = DescriptionEdit()
    edit.inputNames = [.init(old: nil, new: "sketch")]
    var image = DescriptionEdit.Image(input: "sketch")
    image.scale = 1.0 / 255
    edit.images = [image]
    edit.labels = try LabelFile.read("\(samples)/sketch-classifier/labels.names")
    try model.describe(edit)
    return model
  }

  @Test("The code classifies, cuts and makes an image")
  func applications() throws {
    let (sample, photos) = ("\(samples)/sketch-classifier", "\(samples)/softening")
    let model = try sketchClassifier()
    var softener = try Model(contentsOf: "\(photos)/softening.h5")
    var edit = DescriptionEdit()
    var image = DescriptionEdit.Image(input: "photo")
    image.scale = 1.0 / 255
    edit.images = [image]
    try softener.describe(edit)

    let classifier = try Classifier(model)
    let drawing = try Image(contentsOf: "\(sample)/picture.png")
    for found in try classifier.classify(drawing) {
      print(found.name, found.probability)
    }
    #expect(try classifier.classify(drawing).first?.label == "star")

    let extractor = try model.cut(to: ["dense_1"])
    let features = try extractor.session().run(images: ["sketch": [drawing]])["dense_1"]
    #expect(features?.shape == [1, 64])

    let end = try model.cut(to: ["dense_2"], from: ["max_pooling2d_2"])
    print(end.inputs[0].type)  // float32 [batch, 14, 14, 16]
    #expect("\(end.inputs[0].type)" == "float32 [batch, 14, 14, 16]")

    let stylizer = try Stylizer(softener)
    let photo = try Image(contentsOf: "\(photos)/wide.png")
    let painting = try stylizer.stylize(photo)
    #expect(painting.width == photo.width && painting.height == photo.height)
    #expect(painting != photo)
  }

  @Test("The code writes an interface and runs the runtime behind it")
  func interfaces() throws {
    let model = try sketchClassifier()
    let drawing = try Image(contentsOf: "\(samples)/sketch-classifier/picture.png")
    try withTemporaryFile("sketches.wbm") { path in
      try model.write(to: path)

      let source = model.swiftInterface(named: "SketchClassifier")
      let interface = try ModelInterface(
        contentsOf: path, inputs: ["sketch": "float32 [batch, 64, 64, 1]"],
        outputs: ["dense_2": "float32 [batch, 8]"])
      let label = try interface.prediction([("sketch", .image(drawing))]).classLabel
      #expect(label == "star" && source.contains("final class SketchClassifier"))
    }
  }
}
