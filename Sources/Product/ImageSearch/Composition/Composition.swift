public import Vision

/// Objects and their positions in an image, either wanted by a search or found.
///
/// ```swift
/// let wanted = Composition(objects: [
///   .init(label: "person", box: Box(x: 0.1, y: 0.2, width: 0.3, height: 0.6))
/// ])
/// ```
public struct Composition: Hashable, Sendable {
  /// An object of a class.
  public struct Object: Hashable, Sendable {
    /// The class's name.
    public var label: String
    /// The object's box, in the image's unit square with the origin in the upper left corner.
    public var box: Box

    /// Creates an object.
    public init(label: String, box: Box) {
      self.label = label
      self.box = box
    }
  }

  /// The objects; of two equally near ones the first counts as the nearest.
  public var objects: [Object]
  /// The image's width divided by its height, on which directions and distances depend.
  public var aspectRatio: Double

  /// Creates a composition.
  ///
  /// - Parameters:
  ///   - objects: The objects.
  ///   - aspectRatio: The image's width divided by its height.
  public init(objects: [Object], aspectRatio: Double = 1) {
    self.objects = objects
    self.aspectRatio = aspectRatio
  }

  /// Creates the composition of the objects that a model detected in an image, with their boxes
  /// clipped to it. Detections without a label are left out.
  ///
  /// - Parameters:
  ///   - detections: The detections.
  ///   - width: The image's width in pixels.
  ///   - height: The image's height in pixels.
  public init(_ detections: [Detection], width: Int, height: Int) {
    objects = detections.compactMap { detection in
      detection.label.map { Object(label: $0, box: detection.box.clipped) }
    }
    aspectRatio = Double(width) / Double(height)
  }
}
