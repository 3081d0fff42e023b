extension Graphic {
  /// The drawing in pixels.
  package var image: Image {
    var canvas = Canvas(
      Image(
        width: width, height: height,
        pixels: [UInt8](repeating: 255, count: width * height * 3)))
    for item in items {
      switch item {
      case .rectangle(let area, let color): canvas.fill(area.pixels, PixelColor(color))
      case .image(let area, let image): canvas.draw(image, in: area.pixels)
      case .text(let text, let x, let y, let color):
        canvas.draw(text, x: Int(x.rounded()), y: Int(y.rounded()), PixelColor(color))
      }
    }
    return Image(width: width, height: height, pixels: canvas.pixels)
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

extension PixelColor {
  fileprivate init(_ color: Graphic.Color) {
    self.init(red: color.red, green: color.green, blue: color.blue)
  }
}

extension Canvas {
  /// Draws an image in another size.
  fileprivate mutating func draw(_ image: Image, in place: PixelRectangle) {
    let scaled = image.resized(width: place.columns.count, height: place.rows.count)
    draw(scaled, x: place.columns.lowerBound, y: place.rows.lowerBound)
  }

  fileprivate mutating func draw(_ text: String, x: Int, y: Int, _ color: PixelColor) {
    for (index, character) in text.enumerated() {
      let left = x + index * (BitmapFont.width + 1)
      for (row, bits) in BitmapFont.rows(of: character).enumerated() {
        for column in 0..<BitmapFont.width where bits >> (BitmapFont.width - 1 - column) & 1 == 1 {
          fill(
            PixelRectangle(
              columns: left + column..<left + column + 1, rows: y + row..<y + row + 1), color)
        }
      }
    }
  }
}
