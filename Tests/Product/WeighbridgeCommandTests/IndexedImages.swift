import TestSupport
import Weighbridge

/// A folder of images that differ in one pixel, and the arguments that index it with the shape
/// detector.
struct IndexedImages {
  let count: Int
  private let folder: TemporaryFolder
  /// The folder of the images.
  private let path: String

  private static let options = [
    "--model", Sample.detector, "--image-input", "input_1", "--image-scale", "1/255", "--labels",
    Sample.labels, "--detector", "region", "--anchors", Sample.anchors, "--threads", "1",
  ]

  /// - Parameter hasLongPaths: Whether the images' paths are about 3,000 characters long.
  init(count: Int, hasLongPaths: Bool = false) throws {
    self.count = count
    folder = try TemporaryFolder()
    let inner = (0..<14).map { _ in "/" + String(repeating: "x", count: 200) }.joined()
    path = folder.path + (hasLongPaths ? inner : "")
    try Files.makeFolder(path)
    for number in 0..<count { try add(number) }
  }

  /// Adds the image with a number.
  func add(_ number: Int) throws {
    let image = try Image(contentsOf: Paths.sample("Models/shape-detector/picture.png"))
    var pixels = image.pixels
    pixels[0] = UInt8(number)
    try Image(width: image.width, height: image.height, pixels: pixels)
      .write(to: "\(path)/\(number).png")
  }

  /// The arguments of `weighbridge index`.
  func arguments(_ index: String) -> [String] {
    ["index", path, "-o", index] + Self.options
  }
}
