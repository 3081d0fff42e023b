public import Vision

/// Objects and where they are in an image: what a search asks for, or what was found.
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
    /// Where the object is, in the image's unit square from the upper left corner.
    public var box: Box

    /// Makes an object.
    public init(label: String, box: Box) {
      self.label = label
      self.box = box
    }
  }

  /// The objects; their order decides which of two equally near ones is the nearest.
  public var objects: [Object]
  /// The image's width over its height, which directions and distances depend on.
  public var aspectRatio: Double

  /// Makes a composition.
  ///
  /// - Parameters:
  ///   - objects: The objects.
  ///   - aspectRatio: The image's width over its height.
  public init(objects: [Object], aspectRatio: Double = 1) {
    self.objects = objects
    self.aspectRatio = aspectRatio
  }

  /// The composition of what a model found in an image: the parts of the boxes that lie in it.
  /// Detections without a label are left out.
  ///
  /// - Parameters:
  ///   - detections: What was found.
  ///   - width: The image's width in pixels.
  ///   - height: The image's height in pixels.
  public init(_ detections: [Detection], width: Int, height: Int) {
    objects = detections.compactMap { detection in
      detection.label.map { Object(label: $0, box: detection.box.clipped) }
    }
    aspectRatio = Double(width) / Double(height)
  }
}
