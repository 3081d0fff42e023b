import ArgumentParser
import ImageSearch

/// The model that analyzes images, and how.
struct AnalysisOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      """
      The output or layer with the features; by default the only output of a model that is no \
      detector.
      """, valueName: "name"))
  var features: String?

  @OptionGroup var detection: DetectionOptions
  @OptionGroup var preparation: ImageOptions
  @OptionGroup(title: "Description") var use: UseOptions

  /// Reads a model and gets it ready.
  ///
  /// - Parameter source: What the file does not say itself.
  func analyzer(
    _ path: String, _ source: ReadOptions, _ cancellation: Cancellation, _ general: GeneralOptions
  ) throws(WeighbridgeError) -> ImageAnalyzer {
    var options = AnalyzeOptions()
    options.features = features
    options.detection = detection.options
    preparation.apply(to: &options.detection, imageCount: 1, cancellation, general)
    return try use.describing(path, source) { (model) throws(WeighbridgeError) in
      try ImageAnalyzer(model, options: options)
    }
  }
}
