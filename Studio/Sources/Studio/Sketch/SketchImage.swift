package import Weighbridge

extension Image {
  /// A drawing in black on a white square, a pixel for each point of the canvas.
  ///
  /// A pixel is as dark as the pen covers it: its centre's distance from the stroke decides, with an edge
  /// one pixel wide.
  package init(_ sketch: Sketch) {
    let frame = SketchFrame(sketch)
    var ink = Ink(side: frame.side)
    for stroke in sketch.strokes {
      let points = stroke.points.map {
        Stroke.Point(x: $0.x - frame.origin.x, y: $0.y - frame.origin.y)
      }
      for (start, end) in zip(points, points.dropFirst() + points.suffix(1)) {
        ink.draw(from: start, to: end)
      }
    }
    let pixels = ink.coverage.flatMap { coverage -> [UInt8] in
      Array(repeating: UInt8((255 * (1 - coverage)).rounded()), count: 3)
    }
    self.init(width: frame.side, height: frame.side, pixels: pixels)
  }
}

/// A square that is drawn on.
private struct Ink {
  private static let pieceLength = 32.0
  let side: Int
  /// How much of each pixel is covered, 0...1, row by row.
  var coverage: [Float]

  init(side: Int) {
    self.side = side
    coverage = [Float](repeating: 0, count: side * side)
  }

  /// Draws a line with round ends, in pieces, of which each touches few pixels.
  mutating func draw(from start: Stroke.Point, to end: Stroke.Point) {
    let reach = max(abs(end.x - start.x), abs(end.y - start.y))
    let count = max(1, Int((reach / Self.pieceLength).rounded(.up)))
    let corners = (0...count).map { number in
      let share = Double(number) / Double(count)
      return Stroke.Point(
        x: start.x + share * (end.x - start.x), y: start.y + share * (end.y - start.y))
    }
    for (first, second) in zip(corners, corners.dropFirst()) { drawPiece(first, second) }
  }

  private mutating func drawPiece(_ start: Stroke.Point, _ end: Stroke.Point) {
    let (dx, dy) = (end.x - start.x, end.y - start.y)
    let square = max(dx * dx + dy * dy, 1e-9)
    for row in pixels(start.y, end.y) {
      for column in pixels(start.x, end.x) {
        let (x, y) = (Double(column) + 0.5 - start.x, Double(row) + 0.5 - start.y)
        let share = min(1, max(0, (x * dx + y * dy) / square))
        let (awayX, awayY) = (x - share * dx, y - share * dy)
        let distance = (awayX * awayX + awayY * awayY).squareRoot()
        let covered = Float(min(1, max(0, Sketch.margin - distance + 0.5)))
        coverage[row * side + column] = max(coverage[row * side + column], covered)
      }
    }
  }

  /// The rows or columns that a line between two positions can touch.
  private func pixels(_ first: Double, _ second: Double) -> Range<Int> {
    let reach = Sketch.margin + 1
    let low = max(0, Int((min(first, second) - reach).rounded(.down)))
    return low..<max(low, min(side, Int((max(first, second) + reach).rounded(.up))))
  }
}
