/// A box in an image, in the image's unit square: 0...1 from the upper left corner to the right
/// and downwards. It may reach beyond the image, where a model says so.
public struct Box: Hashable, Sendable {
  /// The left edge, in widths of the image from its left.
  public var x: Double
  /// The upper edge, in heights of the image from its top.
  public var y: Double
  /// The size in widths of the image.
  public var width: Double
  /// The size in heights of the image.
  public var height: Double

  /// Makes a box by its upper left corner.
  public init(x: Double, y: Double, width: Double, height: Double) {
    self.x = x
    self.y = y
    self.width = width
    self.height = height
  }

  /// Makes a box by its centre.
  public init(centerX: Double, centerY: Double, width: Double, height: Double) {
    self.init(x: centerX - width / 2, y: centerY - height / 2, width: width, height: height)
  }

  /// The centre, in the image's unit square from its upper left corner.
  public var center: (x: Double, y: Double) { (x + width / 2, y + height / 2) }

  /// The box in pixels from the upper left corner of an image, not rounded.
  ///
  /// - Parameters:
  ///   - width: The image's width in pixels.
  ///   - height: The image's height in pixels.
  public func pixels(width: Int, height: Int) -> Rectangle {
    Rectangle(
      x: x * Double(width), y: y * Double(height), width: self.width * Double(width),
      height: self.height * Double(height))
  }

  /// The box as Apple's Vision framework has it (`VNDetectedObjectObservation.boundingBox`): in the
  /// image's unit square with the origin in the lower left corner, by its own lower left corner.
  public var visionRectangle: Rectangle {
    Rectangle(x: x, y: 1 - y - height, width: width, height: height)
  }

  /// The part of the image that the box covers; no size where it lies outside.
  public var clipped: Box {
    let (left, top) = (min(max(x, 0), 1), min(max(y, 0), 1))
    return Box(
      x: left, y: top, width: min(max(x + width, left), 1) - left,
      height: min(max(y + height, top), 1) - top)
  }
}

/// A rectangle whose unit and origin are said where it is given.
public struct Rectangle: Hashable, Sendable {
  /// The left edge.
  public var x: Double
  /// The edge nearest to the origin along the other axis.
  public var y: Double
  /// The size along x.
  public var width: Double
  /// The size along y.
  public var height: Double

  /// Makes a rectangle.
  public init(x: Double, y: Double, width: Double, height: Double) {
    self.x = x
    self.y = y
    self.width = width
    self.height = height
  }
}
