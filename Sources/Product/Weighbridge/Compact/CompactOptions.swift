import Compaction

/// Options for compacting a model's weights.
public struct CompactOptions: Sendable {
  /// The loss to accept, or the size to reach.
  public enum Budget: Hashable, Sendable {
    /// No loss: all elements are restored bit for bit.
    case lossless
    /// The largest relative error of each output, ||actual - expected|| / ||expected||, over all examples.
    /// Where the model or a YOLO head ends with a softmax or sigmoids, it is the error of the
    /// scores before them. Where an expected output is 0 everywhere, it is the root mean square of
    /// the output.
    case error(Double)
    /// The most bytes that the weights may take.
    case size(Int)
    /// The smallest fraction of answers that stay the same: the most likely class of each example,
    /// or detections matched by class and an intersection over union of at least 0.5.
    case keptAnswers(Double)
    /// Any loss that results from storing all weights that are multiplied with data in one
    /// encoding, one of ``encodingNames``.
    case encoding(String)
  }

  /// Typical inputs of a model.
  public struct Examples: Sendable {
    /// For each example, one array for each input.
    public let inputs: [[NamedTensor]]
    /// A description for the record: `24 images`.
    public let words: String

    /// Makes examples.
    public init(_ inputs: [[NamedTensor]], words: String) {
      (self.inputs, self.words) = (inputs, words)
    }
  }

  /// The progress of the work.
  public struct Progress: Hashable, Sendable {
    /// The current step, for example `coding weights`.
    public let step: String
    /// The completed and the total units of the step.
    public let done, count: Int
  }

  /// The encodings that can be requested: `int2` to `int8` with a scale for each output channel,
  /// `int2-block32` to `int8-block32` with one for every 32 elements, `palette1` to `palette8`,
  /// `float16`, `bfloat16`.
  public static let encodingNames = FixedEncoding.all.map(\.name)

  /// The types that layers can compute with in place of float32.
  public enum Activations: String, Sendable, CaseIterable {
    /// 8-bit integers, with a scale for each output channel of the weights and one for the data of
    /// a layer.
    case int8
    /// bfloat16, both the weights and the data.
    case bfloat16
  }

  /// The default limit on the error of models that compute with 8-bit integers or bfloat16.
  public static let defaultActivationError = 0.05

  /// The loss to accept.
  public var budget = Budget.lossless
  /// The type that as many layers compute with as the budget allows; `nil` for float32. The budget
  /// must be an error, or ``Budget/lossless`` for ``defaultActivationError``; weights of other
  /// layers stay exact.
  public var activations: Activations?
  /// Examples for calibration, that is, for learning how errors interact. Generated when there are
  /// none.
  public var calibration: Examples?
  /// Other examples, on which the loss is measured. When there are none, a quarter of the
  /// calibration examples is held out; they are generated when there is no calibration either.
  public var evaluation: Examples?
  /// Whether batch normalizations are first folded into the weights before them, which then differ
  /// from those of the source; otherwise they are kept exactly. Not possible without loss.
  public var foldBatchNorm = false
  /// Whether an example with its outputs is stored for verifying the loss, if the model has no
  /// reference outputs; `nil` to do so when that takes at most a tenth of the size of the weights.
  public var proof: Bool?
  /// Threads and cancellation.
  public var run = RunOptions()
  /// Called after each part of the work, on the thread that does it.
  public var progress: (@Sendable (Progress) -> Void)?

  /// No loss.
  public init() {}
}

/// The names of version 0.2.
extension CompactOptions {
  /// The former name of ``foldBatchNorm``.
  @available(*, deprecated, renamed: "foldBatchNorm")
  public var foldsBatchNormalization: Bool {
    get { foldBatchNorm }
    set { foldBatchNorm = newValue }
  }

  /// The former name of ``proof``.
  @available(*, deprecated, renamed: "proof")
  public var storesProof: Bool? {
    get { proof }
    set { proof = newValue }
  }
}
