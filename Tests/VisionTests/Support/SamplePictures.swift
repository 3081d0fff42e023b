import TestSupport
import Weighbridge

/// The pictures of `Samples/Pictures` and what other programs made of them.
enum SamplePictures {
  /// The path of a file.
  static func path(_ name: String) -> String { Places.sample("Pictures/\(name)") }

  /// The drawing that all are made of.
  static func drawing() throws -> Picture { try Picture(contentsOf: path("drawing.png")) }

  /// The arrays of a recording, by name.
  static func recorded(_ name: String) throws -> [NamedTensor] {
    try ArrayFile.read(path(name))
  }
}

/// The pixels of a picture as a tensor `[height, width, component]`.
func tensor(_ picture: Picture) -> Tensor {
  Tensor(.uint8, shape: [picture.height, picture.width, 3], picture.pixels.map(Double.init))
}
