/// A drawing of rectangles, images and text, which can be written as SVG or as pixels.
///
/// Coordinates are in points from the upper left corner; a point is a pixel.
package struct Graphic: Sendable {
  /// A color, 0...255 for each component.
  package typealias Color = PixelColor
  /// A rectangle in points.
  package typealias Area = Rectangle

  /// An item of the drawing.
  package enum Item: Sendable {
    /// A filled rectangle.
    case rectangle(Area, Color)
    /// An image scaled to a rectangle.
    case image(Area, Image)
    /// A line of text, 9 points high; `x` is its left edge, `y` its upper one.
    case text(String, x: Double, y: Double, Color)
  }

  /// The size in points.
  package let width, height: Int
  /// The items, drawn on white in this order.
  package private(set) var items: [Item] = []

  /// The height of a line of text.
  package static let textHeight = Double(BitmapFont.height)

  /// Creates an empty drawing.
  package init(width: Int, height: Int) { (self.width, self.height) = (width, height) }

  /// Draws an item on top of all others.
  package mutating func add(_ item: Item) { items.append(item) }

  /// Returns the width of a line of text.
  package static func textWidth(_ text: String) -> Double {
    Double(max(0, text.count * (BitmapFont.width + 1) - 1))
  }

  /// Returns a line of text, shortened with two dots if it is wider than the given points.
  package static func shortened(_ text: String, to width: Double) -> String {
    guard textWidth(text) > width else { return text }
    let count = Int(width) / (BitmapFont.width + 1) - 2
    return count > 0 ? text.prefix(count) + ".." : ""
  }
}
