import TestSupport
import Weighbridge

/// A folder of images that differ in one pixel, and the arguments that index it with the shape
/// detector.
struct IndexedImages {
  let count: Int
  private let folder: TemporaryFolder

  private static let options = [
    "--model", Sample.detector, "--image-input", "input_1", "--image-scale", "1/255", "--labels",
    Sample.labels, "--detector", "region", "--anchors", Sample.anchors, "--threads", "1",
  ]

  init(count: Int) throws {
    self.count = count
    folder = try TemporaryFolder()
    for number in 0..<count { try add(number) }
  }

  /// Adds the image with a number.
  func add(_ number: Int) throws {
    let image = try Image(contentsOf: Paths.sample("Models/shape-detector/picture.png"))
    var pixels = image.pixels
    pixels[0] = UInt8(number)
    try Image(width: image.width, height: image.height, pixels: pixels)
      .write(to: folder.file("\(number).png"))
  }

  /// The arguments of `weighbridge index`.
  func arguments(_ index: String) -> [String] {
    ["index", folder.path, "-o", index] + Self.options
  }
}
