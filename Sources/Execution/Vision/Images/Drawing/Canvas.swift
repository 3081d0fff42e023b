/// An image to draw on.
struct Canvas {
  private let size: PixelSize
  /// The pixels as `[height, width, component]`.
  private var pixels: [UInt8]

  /// Starts with an image.
  init(_ image: Image) {
    size = image.size
    pixels = image.pixels
  }

  /// Starts with a white background.
  init(_ size: PixelSize) {
    self.size = size
    pixels = [UInt8](repeating: 255, count: size.width * size.height * 3)
  }

  /// The drawing so far.
  var image: Image { Image(width: size.width, height: size.height, pixels: pixels) }

  /// Fills the part of a rectangle that is inside the image.
  mutating func fill(_ rectangle: PixelRectangle, _ color: PixelColor) {
    let inside = rectangle.clipped(to: size.bounds)
    for row in inside.rows {
      for column in inside.columns {
        let start = (row * size.width + column) * 3
        pixels[start] = color.red
        pixels[start + 1] = color.green
        pixels[start + 2] = color.blue
      }
    }
  }

  /// Draws a border just inside a rectangle's edges.
  mutating func outline(_ frame: PixelRectangle, thickness: Int, color: PixelColor) {
    let (columns, rows) = (frame.columns, frame.rows)
    let (columnCount, rowCount) = (min(thickness, columns.count), min(thickness, rows.count))
    for part in [rows.prefix(rowCount), rows.suffix(rowCount)] {
      fill(PixelRectangle(columns: columns, rows: part), color)
    }
    for part in [columns.prefix(columnCount), columns.suffix(columnCount)] {
      fill(PixelRectangle(columns: part, rows: rows), color)
    }
  }

  /// Draws a label's text on a background that fills its rectangle.
  mutating func draw(
    _ label: TextLabel, in rectangle: PixelRectangle, on background: PixelColor
  ) {
    fill(rectangle, background)
    let color = background.textColor
    for pixel in label.pixels {
      let left = rectangle.columns.lowerBound + pixel.columns.lowerBound
      let top = rectangle.rows.lowerBound + pixel.rows.lowerBound
      fill(
        PixelRectangle(
          columns: left..<left + pixel.columns.count, rows: top..<top + pixel.rows.count),
        color)
    }
  }

  /// Draws an image, clipped to the canvas.
  ///
  /// - Parameters:
  ///   - x: The column of the image's left edge.
  ///   - y: The row of its upper edge.
  mutating func draw(_ image: Image, x: Int, y: Int) {
    let rectangle = PixelRectangle(columns: x..<x + image.width, rows: y..<y + image.height)
    let inside = rectangle.clipped(to: size.bounds)
    for row in inside.rows where !inside.columns.isEmpty {
      let source = ((row - y) * image.width + inside.columns.lowerBound - x) * 3
      let target = (row * size.width + inside.columns.lowerBound) * 3
      let count = inside.columns.count * 3
      pixels.replaceSubrange(target..<target + count, with: image.pixels[source..<source + count])
    }
  }
}
