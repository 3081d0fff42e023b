import ArgumentParser
import GraphIR
import Vision
import Weighbridge

/// How images are brought to a model's input, and with how many threads they are worked on.
struct ImageOptions: ParsableArguments {
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

  @OptionGroup var use: ThreadOptions

  /// How many threads work on images, each on one of its own.
  var imageThreads: Int { use.threads ?? Workers.processorCount }

  /// Sets what images of all kinds of models have in common.
  ///
  /// - Parameter imageCount: How many images there are: the threads are shared out among them, which
  ///   loses less than all threads on one image after the other (Benchmarks/README.md).
  func apply(
    to options: inout some ImageRunOptions, imageCount: Int, _ cancellation: Cancellation,
    _ general: GeneralOptions
  ) {
    options.resize = resize?.word
    options.resampling = resampling?.word
    options.run = general.runOptions(cancellation)
    options.run.threads = max(1, imageThreads / max(1, imageCount))
  }
}

/// How a model is run on images, whatever is made of its outputs.
protocol ImageRunOptions {
  var resize: ImageInput.ResizePolicy? { get set }
  var resampling: Resampling? { get set }
  var run: RunOptions { get set }
}

extension ClassifyOptions: ImageRunOptions {}
extension DetectOptions: ImageRunOptions {}
extension StylizeOptions: ImageRunOptions {}
