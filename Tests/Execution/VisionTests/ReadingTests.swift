import Foundation
import TestSupport
import Testing
import Weighbridge

@Suite("Reading images")
struct ReadingTests {
  private static let names = Files.names(in: SampleImages.path("")).filter {
    $0.hasSuffix(".png") || $0.hasSuffix(".jpg")
  }

  @Test("There are recorded images")
  func count() { #expect(Self.names.count >= 27) }

  @Test("Every kind of PNG and JPEG reads as Pillow reads it, rotated upright", arguments: names)
  func pixels(name: String) throws {
    let expected = try #require(try SampleImages.recorded("pixels.npz")[name])
    let distance = Distance(
      actual: tensor(try Image(contentsOf: SampleImages.path(name))), expected: expected)
    // PNG is exact; libjpeg-turbo may round differently on other processors.
    #expect(distance.absolute <= (name.hasSuffix(".png") ? 0 : 1), "\(distance)")
  }

  @Test("An image reads the same from memory, whatever it is called")
  func memory() throws {
    let folder = try TemporaryFolder()
    let bytes = Array(try Files.read(SampleImages.path("baseline.jpg")))
    try Files.write(bytes, to: folder.file("drawing.png"))
    let image = try Image(contentsOf: folder.file("drawing.png"))
    #expect(try Image(file: bytes) == image)
    #expect((image.width, image.height) == (37, 26))
  }

  @Test("Written images read back: PNG exactly, JPEG approximately")
  func writing() throws {
    let folder = try TemporaryFolder()
    let image = try SampleImages.drawing()
    for name in ["out.png", "out.JPG", "out.jpeg"] {
      try image.write(to: folder.file(name))
      let again = try Image(contentsOf: folder.file(name))
      let limit = name == "out.png" ? 0.0 : 40
      let distance = Distance(actual: tensor(again), expected: tensor(image))
      #expect(distance.absolute <= limit, "\(name): \(distance)")
    }
    #expect(folder.names == ["out.JPG", "out.jpeg", "out.png"])
    #expect(try Files.read(folder.file("out.JPG")) == Files.read(folder.file("out.jpeg")))
  }

  @Test(
    "An image is not written under an unknown extension, nor over a file unless that is allowed")
  func refusals() throws {
    let folder = try TemporaryFolder()
    let image = try SampleImages.drawing()
    let unnamed = failure { try image.write(to: folder.file("out.gif")) }
    #expect(unnamed?.code == .outputFailed)
    #expect(unnamed?.description.contains("out.gif: cannot be written: its name ends in") == true)
    try image.write(to: folder.file("out.gif"), as: .png)
    let before = try Files.read(folder.file("out.gif"))
    let again = failure {
      try image.write(to: folder.file("out.gif"), as: .jpeg, replacing: false)
    }
    #expect(again?.code == .outputFailed)
    #expect(try Files.read(folder.file("out.gif")) == before)
    let nowhere = failure { try image.write(to: folder.file("none/out.png")) }
    #expect(nowhere?.code == .outputFailed)
    let wide = Image(width: 70_000, height: 1, pixels: [UInt8](repeating: 0, count: 210_000))
    let tooWide = failure { _ = try wide.encoded(as: .jpeg) }
    #expect(tooWide?.code == .outputFailed)
    #expect(try Image(file: try wide.encoded(as: .png), limits: ImageLimits(side: 1)) == wide)
  }

  @Test("The caller's pixel limits apply")
  func limits() throws {
    let path = SampleImages.path("orientation_6.jpg")
    let count = 37 * 26
    #expect(try Image(contentsOf: path, limits: ImageLimits(pixelCount: count)).width == 26)
    let large = failure {
      _ = try Image(contentsOf: path, limits: ImageLimits(pixelCount: count - 1))
    }
    #expect(large?.code == .limitExceeded)
    #expect(large?.description == "\(path): is an image of 37 x 26 pixels, over the limit of 961")
    let small = failure { _ = try Image(contentsOf: path, limits: ImageLimits(side: 27)) }
    #expect(small?.code == .unsupported)
  }
}
