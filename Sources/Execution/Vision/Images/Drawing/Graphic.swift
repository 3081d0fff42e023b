/// A drawing of rectangles, images and text, which is written as SVG or as pixels.
///
/// Points are counted from the upper left corner; a point is a pixel.
package struct Graphic: Sendable {
  /// A color, 0...255 for each component.
  package typealias Color = PixelColor
  /// A rectangle in points.
  package typealias Area = Rectangle

  /// What is drawn.
  package enum Item: Sendable {
    /// A filled rectangle.
    case rectangle(Area, Color)
    /// An image scaled to a rectangle.
    case image(Area, Image)
    /// A line of text whose letters are 9 points high; `x` is the left edge, `y` the upper one.
    case text(String, x: Double, y: Double, Color)
  }

  /// The size in points.
  package let width, height: Int
  /// What is drawn, on white, the last on top.
  package private(set) var items: [Item] = []

  /// The height of a line of text.
  package static let textHeight = Double(BitmapFont.height)

  /// An empty drawing.
  package init(width: Int, height: Int) { (self.width, self.height) = (width, height) }

  /// Draws something on top of all that is there.
  package mutating func add(_ item: Item) { items.append(item) }

  /// The width of a line of text.
  package static func textWidth(_ text: String) -> Double {
    Double(max(0, text.count * (BitmapFont.width + 1) - 1))
  }

  /// A line of text that is no wider than so many points: as it is, or its start with two dots.
  package static func shortened(_ text: String, to width: Double) -> String {
    guard textWidth(text) > width else { return text }
    let count = Int(width) / (BitmapFont.width + 1) - 2
    return count > 0 ? text.prefix(count) + ".." : ""
  }
}
