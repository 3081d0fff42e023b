/// A rectangle of whole pixels, which may lie outside of the image.
struct PixelRectangle: Hashable, Sendable {
  /// The columns it covers.
  var columns: Range<Int>
  /// The rows it covers.
  var rows: Range<Int>

  /// The part that lies in another rectangle; empty along an axis where there is none.
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
