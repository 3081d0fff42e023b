import Bytes
internal import CImages

/// A decoder for an image format, from one of the C libraries.
@safe struct ImageCodec: Sendable {
  private let title: String
  private let readSize:
    @Sendable (UnsafePointer<UInt8>, Int, inout image_size, inout image_failure) -> Bool
  private let decode:
    @Sendable (
      UnsafePointer<UInt8>, Int, Int, image_size, UnsafeMutablePointer<UInt8>,
      inout image_failure
    ) -> Bool

  /// libjpeg-turbo.
  static let jpeg = unsafe ImageCodec(
    title: "JPEG",
    readSize: { unsafe image_jpeg_size($0, $1, &$2, &$3) },
    decode: { unsafe image_jpeg_decode($0, $1, $2, $3, $4, &$5) })

  /// libpng.
  static let png = unsafe ImageCodec(
    title: "PNG",
    readSize: { unsafe image_png_size($0, $1, &$2, &$3) },
    decode: { bytes, count, _, size, pixels, failure in
      unsafe image_png_decode(bytes, count, size, pixels, &failure)
    })

  /// Returns the size in a file's header, before orientation is applied.
  func size(of file: RawSpan) throws(WeighbridgeError) -> PixelSize {
    var size = image_size()
    var failure = image_failure()
    let succeeded = unsafe file.withUnsafeBytes { bytes in
      guard let start = bytes.baseAddress else { return false }
      // The library reads `count` bytes at most and keeps no pointer.
      return unsafe readSize(
        start.assumingMemoryBound(to: UInt8.self), bytes.count, &size, &failure)
    }
    guard succeeded else { throw error(failure) }
    return PixelSize(
      width: try Checked.count(size.width, of: "the image's width"),
      height: try Checked.count(size.height, of: "the image's height"))
  }

  /// Returns the pixels of a file, before orientation is applied.
  func pixels(
    of file: RawSpan, size: PixelSize, limits: ImageLimits
  ) throws(WeighbridgeError) -> [UInt8] {
    let count = try Checked.product([size.width, size.height, 3], of: "the image's size")
    var failure = image_failure()
    let pixels = unsafe file.withUnsafeBytes { bytes in
      // Memory is touched only as rows are decoded, so a header alone costs nothing.
      unsafe [UInt8](unsafeUninitializedCapacity: count) { pixels, initializedCount in
        guard let start = bytes.baseAddress, let target = pixels.baseAddress else { return }
        // The library reads `bytes.count` bytes at most, writes the `count` bytes of images of
        // this size and no others, fills them all when it succeeds, and keeps no pointer.
        let succeeded = unsafe decode(
          start.assumingMemoryBound(to: UInt8.self), bytes.count, limits.decoderByteCount,
          image_size(width: size.width, height: size.height), target, &failure)
        initializedCount = succeeded ? count : 0
      }
    }
    guard pixels.count == count else { throw error(failure) }
    return pixels
  }

  private func error(_ failure: image_failure) -> WeighbridgeError {
    switch failure.kind {
    case image_unsupported:
      return .unsupported("is a \(title) image of a kind that cannot be read: \(failure.text)")
    case image_out_of_memory:
      return .limitExceeded("needs more memory than the limit of pixels allows: \(failure.text)")
    default:
      return .malformed("is a damaged \(title) image: \(failure.text)")
        .at(.byte(Int(clamping: failure.offset)))
    }
  }
}

extension image_failure {
  /// The library's message.
  var text: String {
    unsafe withUnsafeBytes(of: reason) { bytes in
      unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)  // copied before it ends
    }
  }
}
