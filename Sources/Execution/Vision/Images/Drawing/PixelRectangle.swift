/// A rectangle of whole pixels, which may be outside the image.
struct PixelRectangle: Hashable, Sendable {
  /// The columns it covers.
  var columns: Range<Int>
  /// The rows it covers.
  var rows: Range<Int>

  /// Returns the part inside another rectangle; empty along an axis where they do not overlap.
  func clipped(to other: PixelRectangle) -> PixelRectangle {
    PixelRectangle(columns: columns.clamped(to: other.columns), rows: rows.clamped(to: other.rows))
  }

  /// The number of its pixels.
  var area: Int { columns.count * rows.count }
}

extension PixelSize {
  /// All pixels of an image of this size.
  var bounds: PixelRectangle { PixelRectangle(columns: 0..<width, rows: 0..<height) }
}
