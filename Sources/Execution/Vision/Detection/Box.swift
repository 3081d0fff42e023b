/// A box in an image, in the image's unit square: 0...1 from the upper left corner to the right and
/// downwards. A model's boxes may extend beyond the image.
public struct Box: Hashable, Sendable {
  /// The left edge, as a fraction of the image's width.
  public var x: Double
  /// The upper edge, as a fraction of the image's height.
  public var y: Double
  /// The width, as a fraction of the image's width.
  public var width: Double
  /// The height, as a fraction of the image's height.
  public var height: Double

  /// Creates a box from its upper left corner.
  public init(x: Double, y: Double, width: Double, height: Double) {
    self.x = x
    self.y = y
    self.width = width
    self.height = height
  }

  /// Creates a box from its center.
  public init(centerX: Double, centerY: Double, width: Double, height: Double) {
    self.init(x: centerX - width / 2, y: centerY - height / 2, width: width, height: height)
  }

  /// The center, in the image's unit square with the origin in the upper left corner.
  public var center: (x: Double, y: Double) { (x + width / 2, y + height / 2) }

  /// Whether all numbers are finite.
  var isFinite: Bool { x.isFinite && y.isFinite && width.isFinite && height.isFinite }

  /// Returns the box in pixels from the upper left corner of an image, not rounded.
  ///
  /// - Parameters:
  ///   - width: The image's width in pixels.
  ///   - height: The image's height in pixels.
  public func pixels(width: Int, height: Int) -> Rectangle {
    Rectangle(
      x: x * Double(width), y: y * Double(height), width: self.width * Double(width),
      height: self.height * Double(height))
  }

  /// The box in the coordinates of Apple's Vision framework
  /// (`VNDetectedObjectObservation.boundingBox`): in the image's unit square with the origin in the
  /// lower left corner, given by its own lower left corner.
  public var visionRectangle: Rectangle {
    Rectangle(x: x, y: 1 - y - height, width: width, height: height)
  }

  /// The part of the box inside the image; its size is 0 if the box is outside.
  public var clipped: Box {
    let (left, top) = (min(max(x, 0), 1), min(max(y, 0), 1))
    return Box(
      x: left, y: top, width: min(max(x + width, left), 1) - left,
      height: min(max(y + height, top), 1) - top)
  }
}

/// A rectangle whose unit and origin depend on the context.
public struct Rectangle: Hashable, Sendable {
  /// The left edge.
  public var x: Double
  /// The edge nearest the origin along the other axis.
  public var y: Double
  /// The size along x.
  public var width: Double
  /// The size along y.
  public var height: Double

  /// Creates a rectangle.
  public init(x: Double, y: Double, width: Double, height: Double) {
    self.x = x
    self.y = y
    self.width = width
    self.height = height
  }
}
