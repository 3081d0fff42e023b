import ArgumentParser
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

  @Option(help: ArgumentHelp("How many threads work at once.", valueName: "n"))
  var threads: Int?

  func validate() throws {
    if let threads, threads < 1 { throw ValidationError("--threads takes a number from 1") }
  }

  /// The options of a run.
  func run(_ cancellation: Cancellation, _ general: GeneralOptions) -> RunOptions {
    var options = RunOptions()
    options.threads = threads
    options.cancellation = cancellation
    options.memoryLimit = general.memoryLimit?.bytes
    return options
  }
}
