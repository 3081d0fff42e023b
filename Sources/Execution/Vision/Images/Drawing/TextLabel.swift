/// A line of text with a margin in the font's pixels around it.
struct TextLabel {
  private static let margin = 2
  private let text: [Character]
  /// The pixels of the image that a pixel of the font takes along each axis.
  private let scale: Int

  /// Creates a label in the largest scale that fits a width, at most `scale` and at least 1.
  init(_ text: String, scale: Int, within width: Int) {
    self.text = Array(text)
    self.scale = max(1, min(scale, width / max(1, Self.fontWidth(self.text.count))))
  }

  private static func fontWidth(_ count: Int) -> Int {
    count * (BitmapFont.width + 1) - 1 + 2 * margin
  }

  /// The size of the label with its margins.
  var size: PixelSize {
    PixelSize(
      width: Self.fontWidth(text.count) * scale,
      height: (BitmapFont.height + 2 * Self.margin - 1) * scale)
  }

  /// The positions of the font's dark pixels, relative to the label's upper left corner.
  var pixels: [PixelRectangle] {
    BitmapFont.pixels(of: text).map { pixel in
      let (x, y) = ((Self.margin + pixel.x) * scale, (Self.margin + pixel.y) * scale)
      return PixelRectangle(columns: x..<x + scale, rows: y..<y + scale)
    }
  }
}
