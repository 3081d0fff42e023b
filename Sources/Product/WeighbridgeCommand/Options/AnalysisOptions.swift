import ArgumentParser
import ImageSearch

/// The options for analyzing images with a model.
struct AnalysisOptions: ParsableArguments {
  @OptionGroup var feature: FeatureOptions
  @OptionGroup var detection: DetectionOptions
  @OptionGroup var preparation: ImageOptions
  @OptionGroup(title: "Description") var usage: UsageOptions

  /// Reads a model and prepares it.
  ///
  /// - Parameter source: Settings that the file does not contain.
  func analyzer(
    _ path: String, _ source: ReadOptions, _ cancellation: Cancellation, _ general: GeneralOptions
  ) throws(WeighbridgeError) -> ImageAnalyzer {
    var options = AnalyzeOptions()
    options.features = feature.features
    options.detection = detection.options
    preparation.apply(to: &options.detection, imageCount: 1, cancellation, general)
    return try usage.describing(path, source) { (model) throws(WeighbridgeError) in
      try ImageAnalyzer(model, options: options)
    }
  }
}
