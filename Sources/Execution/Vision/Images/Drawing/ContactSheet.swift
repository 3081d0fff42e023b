/// Thumbnails of images in rows and columns, with lines of text below them.
public struct ContactSheet: Sendable {
  /// A thumbnail and the text below it.
  private struct Cell {
    let image: Image
    let lines: [String]
  }

  /// The most pixels along a side of a thumbnail.
  public let side: Int
  private var cells: [Cell] = []

  /// Starts a sheet.
  ///
  /// - Parameter count: The number of images that will be added. The more there are, the smaller
  ///   the thumbnails, so that the sheet has at most about 50 million pixels.
  public init(count: Int) {
    var side = 240
    while side > 48, count * side * side * 3 / 2 > 50_000_000 { side -= 16 }
    self.side = side
  }

  /// Adds an image.
  ///
  /// - Parameters:
  ///   - image: An image of any size; it is scaled as a whole, and a small one is enlarged only as
  ///     much as is needed to fill a cell.
  ///   - lines: The text below it. Characters that do not fit are cut off.
  public mutating func add(_ image: Image, _ lines: [String]) {
    cells.append(Cell(image: image.scaled(toFit: side), lines: lines))
  }

  /// The sheet, with as many columns as rows, or one more.
  ///
  /// - Returns: An image with a white background; `nil` when no image was added.
  public var image: Image? {
    guard !cells.isEmpty else { return nil }
    var columns = 1
    while columns * columns < cells.count { columns += 1 }
    let rows = (cells.count + columns - 1) / columns
    let cell = cellSize
    let size = PixelSize(
      width: columns * cell.width + Self.margin, height: rows * cell.height + Self.margin)
    var canvas = Canvas(size)
    for (index, content) in cells.enumerated() {
      draw(
        content, x: Self.margin + index % columns * cell.width,
        y: Self.margin + index / columns * cell.height, on: &canvas)
    }
    return canvas.image
  }

  private static let margin = 8
  /// The pixels of the sheet that a pixel of the font takes along each axis.
  private var textScale: Int { side >= 160 ? 2 : 1 }
  private var lineHeight: Int { TextLabel("", scale: textScale, within: side).size.height }

  private var cellSize: PixelSize {
    let lineCount = cells.map(\.lines.count).max() ?? 0
    return PixelSize(
      width: side + Self.margin, height: side + lineCount * lineHeight + Self.margin)
  }

  private func draw(_ cell: Cell, x: Int, y: Int, on canvas: inout Canvas) {
    let size = cell.image.size
    canvas.draw(cell.image, x: x + (side - size.width) / 2, y: y + (side - size.height) / 2)
    for (number, line) in cell.lines.enumerated() {
      let label = TextLabel.fitting(line, scale: textScale, width: side)
      let top = y + side + number * lineHeight
      let rectangle = PixelRectangle(
        columns: x..<x + label.size.width, rows: top..<top + label.size.height)
      canvas.draw(label, in: rectangle, on: .white)
    }
  }
}

extension Image {
  /// Returns the image scaled so that its longer side has the given number of pixels.
  public func scaled(toFit side: Int) -> Image {
    let longSide = max(width, height)
    guard longSide != side else { return self }
    let size = PixelSize(
      width: max(1, (width * side + longSide / 2) / longSide),
      height: max(1, (height * side + longSide / 2) / longSide))
    // Small pixel art keeps its pixels when it is enlarged.
    let resampling = longSide < side ? Resampling.nearest : .pillowBicubic
    let raster = Raster(self, isGray: false).resampled(
      to: size, PixelWindow(all: size), by: resampling)
    return Image(width: size.width, height: size.height, pixels: raster.bytes)
  }
}

extension TextLabel {
  /// Returns a label of the given scale, cut off where it would exceed the width.
  fileprivate static func fitting(_ text: String, scale: Int, width: Int) -> TextLabel {
    let characterCount = max(1, (width / scale - 4) / (BitmapFont.width + 1))
    return TextLabel(String(text.prefix(characterCount)), scale: scale, within: width)
  }
}
