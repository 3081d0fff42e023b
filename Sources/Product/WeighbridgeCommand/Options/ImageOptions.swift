import ArgumentParser
import GraphIR
import Vision
import Weighbridge

/// How images are converted to a model's input, and the number of threads.
struct ImageOptions: ParsableArguments {
  @OptionGroup var resizing: ResizingOptions
  @OptionGroup var threading: ThreadOptions

  /// The number of threads for images, each of which processes its own image.
  var imageThreads: Int { threading.threads ?? Workers.processorCount }

  /// Sets the options that all kinds of models have for images.
  ///
  /// - Parameter imageCount: The number of images. The threads are divided among them, which is
  ///   more efficient than using all threads for one image after the other (Benchmarks/README.md).
  func apply(
    to options: inout some ImageRunOptions, imageCount: Int, _ cancellation: Cancellation,
    _ general: GeneralOptions
  ) {
    options.resize = resizing.resize?.value
    options.resampling = resizing.resampling?.value
    options.run = general.runOptions(cancellation)
    options.run.threads = max(1, imageThreads / max(1, imageCount))
  }
}

/// Options for running a model on images, whatever its outputs are used for.
protocol ImageRunOptions {
  var resize: ImageInput.ResizePolicy? { get set }
  var resampling: Resampling? { get set }
  var run: RunOptions { get set }
}

extension ClassifyOptions: ImageRunOptions {}
extension DetectOptions: ImageRunOptions {}
extension StylizeOptions: ImageRunOptions {}
