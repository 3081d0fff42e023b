/// A class that an image may belong to.
public struct Classification: Hashable, Sendable {
  /// The index of the class, from 0.
  public let classIndex: Int
  /// The name of the class; `nil` when the model does not name its classes.
  public let label: String?
  /// The probability of the class, 0...1.
  public let probability: Double

  /// Creates a classification.
  public init(classIndex: Int, label: String?, probability: Double) {
    self.classIndex = classIndex
    self.label = label
    self.probability = probability
  }

  /// The name of the class, or its index.
  public var name: String { label ?? "class \(classIndex)" }
}
