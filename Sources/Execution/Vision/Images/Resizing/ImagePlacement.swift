/// The placement of an image in a model's input, in unit squares with the origin in the upper left
/// corner.
///
/// A point at `x` of the image is at `x * scale.x + offset.x` of the input; likewise for `y`.
public struct ImagePlacement: Hashable, Sendable {
  /// The image's size as a fraction of the input's; more than 1 where the image was cropped.
  public var scale: (x: Double, y: Double) { (scaleX, scaleY) }
  /// The image's upper left corner in the input; less than 0 where the image was cropped.
  public var offset: (x: Double, y: Double) { (offsetX, offsetY) }

  private let scaleX, scaleY, offsetX, offsetY: Double

  /// Creates a placement; neither scale may be 0.
  public init(scale: (x: Double, y: Double), offset: (x: Double, y: Double)) {
    (scaleX, scaleY) = scale
    (offsetX, offsetY) = offset
  }

  /// The placement of an image that fills the input.
  public static let filling = ImagePlacement(scale: (1, 1), offset: (0, 0))

  /// Returns the point of the image at a point of the input; outside 0...1 if that is not in the
  /// image.
  public func pointInImage(x: Double, y: Double) -> (x: Double, y: Double) {
    ((x - offsetX) / scaleX, (y - offsetY) / scaleY)
  }

  /// Returns the size in the image of something with the given size in the input.
  public func dimensionInImage(width: Double, height: Double) -> (width: Double, height: Double) {
    (width / scaleX, height / scaleY)
  }
}
