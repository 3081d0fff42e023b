import Bytes

/// The relation of stored rows and columns to the displayed image; the values of the Exif tag
/// 0x0112.
enum Orientation: Int, CaseIterable {
  case upright = 1
  case mirrored
  case upsideDown
  case flipped
  case transposed
  case rotatedLeft  // must be rotated clockwise to be upright
  case transverse
  case rotatedRight

  /// Whether rows become columns.
  var swapsAxes: Bool { rawValue >= Orientation.transposed.rawValue }
}

extension Image {
  /// Returns the image as displayed, given the orientation in which its pixels are stored.
  func upright(from orientation: Orientation) -> Image {
    if orientation == .upright { return self }
    let (last, end) = (width - 1, width * (height - 1))
    // The stored position of the new first pixel, and the strides to its right and lower neighbors.
    let (start, right, down) =
      switch orientation {
      case .upright: (0, 1, width)
      case .mirrored: (last, -1, width)
      case .upsideDown: (end + last, -1, -width)
      case .flipped: (end, 1, -width)
      case .transposed: (0, width, 1)
      case .rotatedLeft: (end, -width, 1)
      case .transverse: (end + last, -width, -1)
      case .rotatedRight: (last, width, -1)
      }
    let size = orientation.swapsAxes ? self.size.transposed : self.size
    let copy = StridedCopy(
      shape: [size.height, size.width, 3], strides: [down * 3, right * 3, 1], elementSize: 1)
    var result = [UInt8](repeating: 0, count: pixels.count)
    var span = result.mutableSpan
    unsafe copy.copy(from: pixels.span.bytes, offset: start * 3, into: span.mutableBytes)
    return Image(width: size.width, height: size.height, pixels: result)
  }
}
