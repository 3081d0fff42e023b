/// The part of the canvas that a model sees of a drawing.
package struct SketchFrame: Equatable, Sendable {
  /// A rectangle in points of the canvas.
  package struct Rectangle: Codable, Equatable, Sendable {
    package var x, y, width, height: Double

    /// Makes a rectangle.
    package init(x: Double, y: Double, width: Double, height: Double) {
      (self.x, self.y, self.width, self.height) = (x, y, width, height)
    }
  }

  /// The bounding box of all strokes and 5 points around it.
  package let box: Rectangle
  /// The side of the square that the box is centred in, in whole points: the box's longer side, rounded
  /// up.
  package let side: Int
  /// The canvas's position of the square's upper left corner.
  package let origin: Stroke.Point

  /// Frames a drawing.
  package init(_ sketch: Sketch) {
    let points = sketch.strokes.flatMap(\.points)
    let (xs, ys) = (points.map(\.x), points.map(\.y))
    // A sketch has points.
    let (left, right) = (xs.min() ?? 0, xs.max() ?? 0)
    let (top, bottom) = (ys.min() ?? 0, ys.max() ?? 0)
    let margin = Sketch.margin
    box = Rectangle(
      x: left - margin, y: top - margin, width: right - left + 2 * margin,
      height: bottom - top + 2 * margin)
    side = Int(max(box.width, box.height).rounded(.up))
    origin = .init(
      x: box.x + (box.width - Double(side)) / 2, y: box.y + (box.height - Double(side)) / 2)
  }
}
