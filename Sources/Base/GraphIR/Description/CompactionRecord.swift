/// The measured cost of making a model's weights smaller.
public struct CompactionRecord: Hashable, Sendable {
  /// The error of an output compared with the original model: ||compacted - original|| /
  /// ||original|| in the Euclidean norm. If the model ends in a softmax or sigmoid, it is the error
  /// of the logits.
  public struct OutputLoss: Hashable, Sendable {
    /// The output's name.
    public var output: String
    /// The largest error over the inputs.
    public var worst: Double
    /// The mean error over the inputs.
    public var mean: Double
    /// The error that at most one in 20 other inputs is expected to exceed; 0 if none was estimated.
    public var bound: Double

    /// Creates a loss.
    public init(output: String, worst: Double, mean: Double, bound: Double = 0) {
      self.output = output
      self.worst = worst
      self.mean = mean
      self.bound = bound
    }
  }

  /// The error of a weight compared with the original model, as in ``OutputLoss``.
  public struct WeightLoss: Hashable, Sendable {
    /// The weight's name.
    public var weight: String
    /// Its error.
    public var error: Double

    /// Creates a loss.
    public init(weight: String, error: Double) {
      self.weight = weight
      self.error = error
    }
  }

  /// The number of predictions that stayed the same.
  public struct Answers: Hashable, Sendable {
    /// The kind of prediction that is counted.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
      /// The class with the highest score, one for each input.
      case topClass
      /// Detections, matched by class and an intersection over union of 0.5 or more.
      case detections
    }

    /// What was counted.
    public var kind: Kind
    /// The number that stayed the same.
    public var kept: Int
    /// The number before.
    public var total: Int

    /// Creates a count.
    public init(kind: Kind, kept: Int, total: Int) {
      self.kind = kind
      self.kept = kept
      self.total = total
    }
  }

  /// The program that measured, with its version.
  public var author: String
  /// The request, in words.
  public var request: String
  /// The inputs used for the measurement, in words.
  public var inputs: String
  /// The number of those inputs.
  public var inputCount: Int
  /// The size of all weights before, in bytes.
  public var originalByteCount: Int
  /// The losses of the outputs, in their order.
  public var outputs: [OutputLoss]
  /// The losses of the weights that have any.
  public var weights: [WeightLoss]
  /// The answers, when the model gives any that can be counted.
  public var answers: Answers?
  /// Why the errors may not hold for other inputs, in words; empty if nothing speaks against it.
  public var caution: String

  /// The errors of the weights that have any, by name.
  package var weightErrors: [String: Double] {
    Dictionary(weights.map { ($0.weight, $0.error) }, uniquingKeysWith: { first, _ in first })
  }

  /// Creates a record.
  public init(
    author: String, request: String, inputs: String, inputCount: Int, originalByteCount: Int,
    outputs: [OutputLoss], weights: [WeightLoss], answers: Answers?, caution: String = ""
  ) {
    self.author = author
    self.request = request
    self.inputs = inputs
    self.inputCount = inputCount
    self.originalByteCount = originalByteCount
    self.outputs = outputs
    self.weights = weights
    self.answers = answers
    self.caution = caution
  }
}
