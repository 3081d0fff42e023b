extension Graphic {
  /// The drawing as pixels.
  package var image: Image {
    var canvas = Canvas(PixelSize(width: width, height: height))
    for item in items {
      switch item {
      case .rectangle(let area, let color): canvas.fill(area.pixels, color)
      case .image(let area, let image): canvas.draw(image, in: area.pixels)
      case .text(let text, let x, let y, let color):
        canvas.draw(text, x: Int(x.rounded()), y: Int(y.rounded()), color)
      }
    }
    return canvas.image
  }
}

extension Graphic.Area {
  /// The pixels that the rectangle covers, at least one along each axis.
  fileprivate var pixels: PixelRectangle {
    let (left, top) = (Int(x.rounded()), Int(y.rounded()))
    let (right, bottom) = (Int((x + width).rounded()), Int((y + height).rounded()))
    return PixelRectangle(
      columns: left..<max(left + 1, right), rows: top..<max(top + 1, bottom))
  }
}

extension Canvas {
  /// Draws an image scaled to a rectangle.
  fileprivate mutating func draw(_ image: Image, in rectangle: PixelRectangle) {
    let scaled = image.resized(width: rectangle.columns.count, height: rectangle.rows.count)
    draw(scaled, x: rectangle.columns.lowerBound, y: rectangle.rows.lowerBound)
  }

  fileprivate mutating func draw(_ text: String, x: Int, y: Int, _ color: PixelColor) {
    for pixel in BitmapFont.pixels(of: text) {
      let (column, row) = (x + pixel.x, y + pixel.y)
      fill(PixelRectangle(columns: column..<column + 1, rows: row..<row + 1), color)
    }
  }
}
