import TestSupport
import Weighbridge

/// The images of `Samples/Images` and what other programs made of them.
enum SampleImages {
  /// The path of a file.
  static func path(_ name: String) -> String { Places.sample("Pictures/\(name)") }

  /// The drawing that all are made of.
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
