import Bytes
import Vision
import Weighbridge

/// The results of a model for a sample image.
struct ImageResult: Sendable {
  struct Row: Sendable {
    let label: String
    let confidence: Double
    /// The box in pixels, as x, y, width and height.
    let box: [Int]
  }

  /// The largest and smallest side of the shown image in pixels; boxes must remain visible.
  private static let (maximumSide, minimumSide) = (720.0, 360.0)

  let name: String
  let width, height: Int
  /// Whether the model detects boxes.
  let hasBoxes: Bool
  let rows: [Row]
  /// The image as shown, a JPEG file, with the boxes on it.
  let jpeg: [UInt8]
  let shownWidth, shownHeight: Int

  /// - Throws: ``/Weighbridge/WeighbridgeError/Code/mismatch`` when the model does not say how to
  ///   interpret images.
  init(
    _ sample: ReportOptions.NamedImage, _ model: Model, _ options: ReportOptions
  ) throws(WeighbridgeError) {
    let image = sample.image
    (name, width, height) = (sample.name, image.width, image.height)
    hasBoxes = model.metadata.detector != nil
    var annotations: [ImageAnnotation] = []
    if hasBoxes {
      var detection = options.detection
      detection.run = options.verification.run
      let found = try Detector(model, options: detection).detect(in: image)
      rows = found.map { detection in
        let box = detection.box.pixels(width: image.width, height: image.height)
        return Row(
          label: detection.label ?? "class \(detection.classIndex)",
          confidence: detection.confidence,
          box: [box.x, box.y, box.width, box.height].map { Int(exactly: $0.rounded()) ?? 0 })
      }
      annotations = found.map { ImageAnnotation($0) }
    } else {
      var classification = ClassifyOptions()
      classification.run = options.verification.run
      rows = try Classifier(model, options: classification).classify(image).map { found in
        Row(label: found.name, confidence: found.probability, box: [])
      }
    }
    let side = Double(max(width, height))
    let scale = min(max(1, (Self.minimumSide / side).rounded(.up)), Self.maximumSide / side)
    let size = { (side: Int) in max(1, Int((Double(side) * scale).rounded())) }
    (shownWidth, shownHeight) = (size(width), size(height))
    let shown = scale != 1 ? image.resized(width: shownWidth, height: shownHeight) : image
    jpeg = try shown.annotated(with: annotations).encoded(as: .jpeg)
  }
}
