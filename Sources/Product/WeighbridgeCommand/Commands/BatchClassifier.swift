import Bytes
import JSON
import Vision
import Weighbridge

/// Classifies images, prints their classes and collects thumbnails.
final class BatchClassifier {
  private let classifier: Classifier
  private var batch: ImageBatch
  /// The images with their classes, if requested.
  private(set) var sheet: ContactSheet?

  init(classifier: Classifier, batch: ImageBatch, sheet: ContactSheet?) {
    self.classifier = classifier
    self.batch = batch
    self.sheet = sheet
  }

  /// Processes all images. If one of several cannot be read, its result has no classes.
  ///
  /// - Throws: The errors of ``ImageBatch/run(_:_:then:)``.
  func run(_ paths: [String]) throws {
    batch.failure = { [self] path, error in
      sheet?.add(Self.placeholder, [FilePath(path).name, "cannot be read"])
      return .object([
        "image": .string(path), "classes": .array([]), "error": .string(error.description),
      ])
    }
    try batch.run(paths) { [classifier] (image, _, _) throws(WeighbridgeError) in
      try classifier.classify(image)
    } then: { image, classes, path in
      sheet?.add(
        image,
        [FilePath(path).name] + classes.map { "\($0.probability.percentage) \($0.name)" })
      let result = ImageClasses(path: path, image: image, classes: classes)
      return ImageBatch.Result(json: result.json, text: result.text)
    }
  }

  /// The image on the sheet for one that could not be read: a gray square.
  private static let placeholder = Image(
    width: 2, height: 2, pixels: [UInt8](repeating: 200, count: 12))
}
