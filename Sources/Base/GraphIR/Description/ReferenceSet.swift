/// Inputs and the reference outputs that another program computed from them.
public struct ReferenceSet: Sendable {
  /// A tensor and the name of what it belongs to.
  public struct Entry: Sendable {
    /// The name of the input, output or layer.
    public var name: String
    /// The elements.
    public var tensor: Tensor

    /// Creates an entry.
    public init(name: String, tensor: Tensor) {
      self.name = name
      self.tensor = tensor
    }
  }

  /// What computed the outputs, for example `keras 2.1.5`.
  public var author: String
  /// One entry for each input.
  public var inputs: [Entry]
  /// One entry for each output.
  public var outputs: [Entry]
  /// Outputs of single layers, by the layers' names; may be empty.
  public var layers: [Entry]
  /// The allowed difference of computed outputs from the recorded ones.
  public var tolerance: Tolerance
  /// Who decided the tolerance.
  public var toleranceSource: ToleranceSource

  /// Who decided a tolerance.
  public enum ToleranceSource: String, Hashable, Sendable, CaseIterable {
    /// Weighbridge, by the coarsest floating-point type that leads to the outputs.
    case standard
    /// The author of the recorded arrays.
    case author
    /// The measured loss from a compaction.
    case compaction
  }

  /// Creates a set.
  public init(
    author: String, inputs: [Entry], outputs: [Entry], layers: [Entry], tolerance: Tolerance,
    toleranceSource: ToleranceSource
  ) {
    self.author = author
    self.inputs = inputs
    self.outputs = outputs
    self.layers = layers
    self.tolerance = tolerance
    self.toleranceSource = toleranceSource
  }
}
