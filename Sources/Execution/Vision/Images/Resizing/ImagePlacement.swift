/// Where an image lies in a model's input, in unit squares whose origin is the upper left corner.
///
/// A point at `x` of the image is at `x * scale.x + offset.x` of the input; the same for `y`.
public struct ImagePlacement: Hashable, Sendable {
  /// The image's size in units of the input's; more than 1 where the image was cut.
  public var scale: (x: Double, y: Double) { (scaleX, scaleY) }
  /// The image's upper left corner in the input; less than 0 where the image was cut.
  public var offset: (x: Double, y: Double) { (offsetX, offsetY) }

  private let scaleX, scaleY, offsetX, offsetY: Double

  /// Makes a placement; neither scale may be 0.
  public init(scale: (x: Double, y: Double), offset: (x: Double, y: Double)) {
    (scaleX, scaleY) = scale
    (offsetX, offsetY) = offset
  }

  /// The image fills the input.
  public static let filling = ImagePlacement(scale: (1, 1), offset: (0, 0))

  /// The image's point that lies at a point of the input; outside of 0...1 beside the image.
  public func pointInImage(x: Double, y: Double) -> (x: Double, y: Double) {
    ((x - offsetX) / scaleX, (y - offsetY) / scaleY)
  }

  /// The size in the image of what has a size in the input.
  public func dimensionInImage(width: Double, height: Double) -> (width: Double, height: Double) {
    (width / scaleX, height / scaleY)
  }
}
