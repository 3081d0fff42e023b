import ArgumentParser
import ImageSearch
import Vision
import Weighbridge

/// The model that analyzes images, and how.
struct AnalysisOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      """
      The output or layer with the features; by default the only output of a model that is no \
      detector.
      """, valueName: "name"))
  var features: String?

  @Option(
    help: ArgumentHelp(
      "The confidence above which an object counts, 0 to 1; the model's own, or 0.25.",
      valueName: "x"))
  var threshold: Double?

  @Option(
    help: ArgumentHelp(
      """
      The overlap (intersection over union) above which boxes suppress each other, 0 to 1; the \
      model's own, or 0.45.
      """, valueName: "iou"))
  var nms: Double?

  @Option(
    help: """
      How overlapping boxes are thinned out: none, greedy, distance or class-agnostic; the model's \
      own, or greedy.
      """)
  var suppression: WordArgument<DetectorDescription.Suppression>?

  @Option(
    help: """
      How an image is brought to the input's size: letterbox, stretch or center-crop; the model's \
      own, or stretch.
      """)
  var resize: WordArgument<ImageInput.ResizePolicy>?

  @Option(
    help: """
      How pixels are computed then: darknet, half-pixel, top-left, nearest, pillow-bilinear or \
      pillow-bicubic; darknet for its models, else pillow-bicubic.
      """)
  var resampling: WordArgument<Resampling>?

  @Option(help: ArgumentHelp("How many images are analyzed at once.", valueName: "n"))
  var threads: Int?

  @OptionGroup(title: "Description") var use: UseOptions

  func validate() throws {
    for (name, value) in [("--threshold", threshold), ("--nms", nms)] {
      guard let value, !(0...1 ~= value) else { continue }
      throw ValidationError("\(name) takes a number from 0 to 1")
    }
    if let threads, threads < 1 { throw ValidationError("--threads takes a number from 1") }
  }

  /// Reads a model and gets it ready.
  ///
  /// - Parameter source: What the file does not say itself.
  func analyzer(
    _ path: String, _ source: ReadOptions, _ cancellation: Cancellation
  ) throws(WeighbridgeError) -> ImageAnalyzer {
    var options = AnalyzeOptions()
    options.features = features
    options.detection.threshold = threshold
    options.detection.overlap = nms
    options.detection.suppression = suppression?.word
    options.detection.resize = resize?.word
    options.detection.resampling = resampling?.word
    options.detection.run.cancellation = cancellation
    var model = try Model(contentsOf: path, options: source)
    do throws(WeighbridgeError) {
      try model.describe(try use.edit())
      return try ImageAnalyzer(model, options: options)
    } catch {
      throw error.at(file: path)
    }
  }
}
