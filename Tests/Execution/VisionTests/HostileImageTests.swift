import TestSupport
import Testing
import Weighbridge

/// The files of `Samples/Hostile/images`.
extension HostileFile {
  /// Files whose Exif data is damaged but whose pixels are not.
  fileprivate static let toleratedImages = ["exif_endless.jpg", "exif_outside.jpg"]

  fileprivate static let refusedImages: [HostileFile] = [
    .init("animation.gif", .unsupported, "is a GIF image; JPEG and PNG images can be read"),
    .init("bitmap.bmp", .unsupported, "is a BMP image"),
    .init("chunk_length.png", .malformed, "byte 41: is a damaged PNG image"),
    .init("cut.jpg", .malformed, "Premature end of JPEG file"),
    .init("cut.png", .malformed, "byte 300: is a damaged PNG image: the file ends too early"),
    .init("cut_progressive.jpg", .malformed, "Premature end of JPEG file"),
    .init("cut_with_end.jpg", .malformed, "premature end of data segment"),
    .init("depth.png", .malformed, "byte 33: is a damaged PNG image"),
    .init("empty.png", .unsupported, "is an empty file"),
    .init("few_rows.png", .malformed, "Not enough image data"),
    .init("flipped_bit.png", .malformed, "is a damaged PNG image"),
    .init("header_checksum.png", .malformed, "byte 33: is a damaged PNG image: IHDR: CRC error"),
    .init("header_only.png", .malformed, "byte 33: is a damaged PNG image: the file ends"),
    .init("huge.jpg", .limitExceeded, "65000 x 65000 pixels, over the limit of 100000000"),
    .init("huge.png", .limitExceeded, "20000 x 20000 pixels, over the limit of 100000000"),
    .init("large_and_empty.png", .malformed, "Not enough image data"),
    .init("large_and_short.jpg", .malformed, "the file is shorter than its image needs"),
    .init("large_progressive.jpg", .malformed, "the file is shorter than its image needs"),
    .init("largest.png", .limitExceeded, "2147483647 x 2147483647 pixels"),
    .init("lossless.jpg", .unsupported, "is a JPEG image of a kind that cannot be read"),
    .init("many_scans.jpg", .malformed, "more scans than an image of its size needs"),
    .init("no_end.png", .malformed, "the file ends too early"),
    .init("no_palette.png", .malformed, "byte 41: is a damaged PNG image"),
    .init("no_scan.jpg", .malformed, "is a damaged JPEG image"),
    .init("noise.png", .unsupported, "not a known image format"),
    .init("not_deflate.png", .malformed, "incorrect header check"),
    .init("one_pixel.png", .unsupported, "1 x 1 pixels; at least 2 along each axis are needed"),
    .init("one_row.png", .unsupported, "10 x 1 pixels; at least 2 along each axis are needed"),
    .init("overwritten.jpg", .malformed, "is a damaged JPEG image"),
    .init("palette_short.png", .malformed, "outside of the palette"),
    .init("scan.tiff", .unsupported, "is a TIFF image"),
    .init("signature_only.jpg", .malformed, "byte 4: is a damaged JPEG image"),
    .init("signature_only.png", .malformed, "byte 8: is a damaged PNG image"),
    .init("text.jpg", .unsupported, "is a text file"),
    .init("twelve_bits.jpg", .unsupported, "precision 12"),
    .init("web.webp", .unsupported, "is a WebP image"),
    .init("zero_height.jpg", .malformed, "Empty JPEG image"),
    .init("zero_width.png", .malformed, "byte 33: is a damaged PNG image"),
  ]
}

@Suite("Hostile images")
struct HostileImageTests {
  private static let folder = Paths.sample("Hostile/pictures")

  @Test(
    "A hostile image is refused by name, with its place", arguments: HostileFile.refusedImages)
  func refusals(file: HostileFile) {
    let path = "\(Self.folder)/\(file.name)"
    let error = failure { _ = try Image(contentsOf: path) }
    #expect(error?.place.file == path)
    #expect(error.map(file.explains) == true, "\(error as Any)")
  }

  @Test("Exif data that is wrong leaves the image as it is stored")
  func wrongExif() throws {
    let expected = try Image(contentsOf: SampleImages.path("baseline.jpg"))
    for name in HostileFile.toleratedImages {
      #expect(try Image(contentsOf: "\(Self.folder)/\(name)") == expected, "\(name)")
    }
  }

  @Test("Every file of the folder is named here")
  func completeness() {
    let files = Files.names(in: Self.folder).filter { !$0.hasSuffix(".py") && !$0.hasSuffix(".md") }
    #expect(
      files == (HostileFile.refusedImages.map(\.name) + HostileFile.toleratedImages).sorted())
  }

  @Test("A folder and a file that is not there are refused")
  func missing() {
    for path in [Self.folder, "\(Self.folder)/none.png"] {
      #expect(failure { _ = try Image(contentsOf: path) }?.code == .missing)
    }
  }

  @Test(
    "An image cut off anywhere is refused",
    arguments: ["interlaced.png", "palette.png", "turned.png", "progressive.jpg", "ycck.jpg"])
  func truncation(name: String) throws {
    let bytes = Array(try Files.read(SampleImages.path(name)))
    // The last two bytes of a JPEG file are only the end marker.
    for count in stride(from: 0, to: bytes.count - 2, by: 3) {
      let error = failure { _ = try Image(file: Array(bytes[..<count])) }
      #expect(error?.code == .malformed || error?.code == .unsupported, "\(count) bytes")
    }
  }

  @Test(
    "With any bit flipped, an image is read or refused",
    arguments: [
      "interlaced.png", "palette_transparent.png", "rgba_16bit.png", "orientation_6.jpg",
      "progressive.jpg", "subsampled.jpg", "ycck.jpg",
    ])
  func flippedBits(name: String) throws {
    let bytes = Array(try Files.read(SampleImages.path(name)))
    let limits = ImageLimits(pixelCount: 1 << 20)
    var (readCount, refusedCount) = (0, 0)
    for (index, offset) in stride(from: 0, to: bytes.count, by: 2).enumerated() {
      var changed = bytes
      changed[offset] ^= 1 << (index % 8)
      do throws(WeighbridgeError) {
        let image = try Image(file: changed, limits: limits)
        #expect(image.pixels.count == image.width * image.height * 3)
        readCount += 1
      } catch {
        let codes: Set<WeighbridgeError.Code> = [.malformed, .unsupported, .limitExceeded]
        #expect(codes.contains(error.code), "\(error)")
        refusedCount += 1
      }
    }
    #expect(refusedCount > 0)
    // The checksums of a PNG file may leave no change unnoticed.
    #expect(readCount > 0 || name.hasSuffix(".png"))
  }
}
