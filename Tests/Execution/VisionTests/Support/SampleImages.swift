import TestSupport
import Weighbridge

/// The images of `Samples/Pictures` and the results of other programs for them.
enum SampleImages {
  /// The path of a file.
  static func path(_ name: String) -> String { Paths.sample("Pictures/\(name)") }

  /// The drawing from which all of them were made.
  static func drawing() throws -> Image { try Image(contentsOf: path("drawing.png")) }

  /// The arrays of a recording, by name.
  static func recorded(_ name: String) throws -> [NamedTensor] {
    try ArrayFile.read(path(name))
  }
}

/// The pixels of an image as a tensor `[height, width, component]`.
func tensor(_ image: Image) -> Tensor {
  Tensor(.uint8, shape: [image.height, image.width, 3], image.pixels.map(Double.init))
}
