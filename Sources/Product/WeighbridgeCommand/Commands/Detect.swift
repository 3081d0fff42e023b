import ArgumentParser
import Weighbridge

/// `weighbridge detect`
struct Detect: CancellableCommand {
  static let configuration = CommandConfiguration(
    commandName: "detect",
    abstract: "Finds objects in images.",
    discussion: """
      Prints the class, the confidence and the box of each object, and draws them with -o. Anything \
      that the file does not say can be given with the same options as for `convert`. A file with \
      its own non-maximum suppression (an .mlmodel for Vision, an .onnx written --with-nms) has \
      already dropped the boxes that its own thresholds exclude.

      Example:
        weighbridge detect yolov3-tiny.cfg dog.jpg --threshold 0.5 -o dog.boxes.png
      """)

  @Argument(help: "The model, of any format that can be read.")
  var file: String

  @Argument(
    help: ArgumentHelp(
      "JPEG and PNG files, and folders of them.", valueName: "image"))
  var images: [String]

  @Option(
    name: .shortAndLong,
    help: ArgumentHelp(
      "Where the picture with the boxes goes (.png or .jpg), or a folder for several.",
      valueName: "out.png"))
  var output: String?

  @OptionGroup var detection: DetectionOptions
  @OptionGroup var preparation: ImageOptions
  @OptionGroup(title: "Source") var source: SourceOptions
  @OptionGroup(title: "Description") var usage: UsageOptions
  @OptionGroup var general: GeneralOptions

  func run(_ cancellation: Cancellation) throws {
    let paths = try ImageBatch.files(images, general)
    let detector = try makeDetector(paths.count, cancellation)
    let target = try output.map { (path) throws(WeighbridgeError) in
      try OutputImageFiles(path, for: paths)
    }
    var batch = ImageBatch(general: general, threads: preparation.imageThreads)
    batch.failureStatus = .input
    try batch.run(paths) { (image, _, position) throws(WeighbridgeError) in
      let detections = try detector.detect(in: image)
      try target?.write(image, detections, position: position)
      return detections
    } then: { image, detections, path in
      let result = ImageDetections(path: path, image: image, detections: detections)
      return ImageBatch.Result(json: result.json, text: result.text)
    }
  }

  private func makeDetector(
    _ imageCount: Int, _ cancellation: Cancellation
  ) throws(WeighbridgeError) -> Detector {
    var options = detection.options
    preparation.apply(to: &options, imageCount: imageCount, cancellation, general)
    return try usage.describing(file, source.readOptions) { (model) throws(WeighbridgeError) in
      let detector = try Detector(model, options: options)
      guard !model.metadata.labels.isEmpty else {
        throw .mismatch("the model does not name its classes: name them with --labels FILE")
      }
      return detector
    }
  }
}
