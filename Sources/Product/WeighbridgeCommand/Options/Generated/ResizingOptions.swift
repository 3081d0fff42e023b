// Generated from Schemas/options.json by Scripts/options. Do not edit.

import ArgumentParser
import GraphIR
import Vision
import Weighbridge

/// How an image is brought to a model's input.
struct ResizingOptions: ParsableArguments {
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
}
