/// A detected object: there is one for each combination of box and class.
public struct Detection: Hashable, Sendable {
  /// The index of the class in the model's labels, from 0.
  public var classIndex: Int
  /// The class's name; `nil` when the model has no labels.
  public var label: String?
  /// The model's confidence, 0...1.
  public var confidence: Double
  /// The object's box.
  public var box: Box

  /// Creates a detection.
  public init(classIndex: Int, label: String?, confidence: Double, box: Box) {
    self.classIndex = classIndex
    self.label = label
    self.confidence = confidence
    self.box = box
  }
}
