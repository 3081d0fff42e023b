/// Where a picture lies in a model's input, in unit squares whose origin is the upper left corner.
///
/// A point at `x` of the picture is at `x * scale.x + offset.x` of the input; the same for `y`.
public struct PicturePlacement: Hashable, Sendable {
  /// The picture's extent in units of the input's; more than 1 where the picture was cut.
  public var scale: (x: Double, y: Double) { (scaleX, scaleY) }
  /// The picture's upper left corner in the input; less than 0 where the picture was cut.
  public var offset: (x: Double, y: Double) { (offsetX, offsetY) }

  private let scaleX, scaleY, offsetX, offsetY: Double

  /// Makes a placement; neither scale may be 0.
  public init(scale: (x: Double, y: Double), offset: (x: Double, y: Double)) {
    (scaleX, scaleY) = scale
    (offsetX, offsetY) = offset
  }

  /// The picture fills the input.
  public static let filling = PicturePlacement(scale: (1, 1), offset: (0, 0))

  /// The picture's point that lies at a point of the input; outside of 0...1 beside the picture.
  public func pointInPicture(x: Double, y: Double) -> (x: Double, y: Double) {
    ((x - offsetX) / scaleX, (y - offsetY) / scaleY)
  }

  /// The extent in the picture of what has an extent in the input.
  public func extentInPicture(width: Double, height: Double) -> (width: Double, height: Double) {
    (width / scaleX, height / scaleY)
  }
}
