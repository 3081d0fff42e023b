import ArgumentParser
import GraphIR
import Vision
import Weighbridge

/// How images are converted to a model's input, and the number of threads.
struct ImageOptions: ParsableArguments {
  @Option(
    help: """
      How an image is brought to the input's size: letterbox, stretch or center-crop; the model's \
      own, or stretch.
      """)
  var resize: EnumArgument<ImageInput.ResizePolicy>?

  @Option(
    help: """
      How pixels are computed then: darknet, half-pixel, top-left, nearest, pillow-bilinear or \
      pillow-bicubic; darknet for its models, else pillow-bicubic.
      """)
  var resampling: EnumArgument<Resampling>?

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
    options.resize = resize?.value
    options.resampling = resampling?.value
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
