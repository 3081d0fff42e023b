import Compaction

/// How a model's weights are made smaller.
public struct CompactOptions: Sendable {
  /// What may be lost, or how large the weights may be.
  public enum Budget: Hashable, Sendable {
    /// Nothing: every number comes back bit by bit.
    case lossless
    /// The largest relative error of each output, ||got - want|| / ||want||, over all examples; where
    /// a softmax or sigmoids end the model or a YOLO head, of the scores in front of them. Where an output
    /// is to be 0 everywhere, the root of the mean square of what it is.
    case error(Double)
    /// The most bytes that the weights may take.
    case size(Int)
    /// The smallest share of answers that stay the same: the most likely class of each example, or
    /// detections matched by class and an intersection over union of 0.5 or more.
    case keptAnswers(Double)
    /// Whatever storing all weights that are multiplied with data in one encoding costs, with one of
    /// ``encodingNames``.
    case encoding(String)
  }

  /// Inputs of a model, as examples of what it is used for.
  public struct Examples: Sendable {
    /// One array for each input, for each example.
    public let inputs: [[NamedTensor]]
    /// What they are, for the record: `24 images`.
    public let words: String

    /// Makes examples.
    public init(_ inputs: [[NamedTensor]], words: String) {
      (self.inputs, self.words) = (inputs, words)
    }
  }

  /// How far the work is.
  public struct Progress: Hashable, Sendable {
    /// What is done, for example `coding weights`.
    public let step: String
    /// How much of the step is done, and how much there is.
    public let done, count: Int
  }

  /// The encodings that may be asked for: `int2` to `int8` with a scale for each output channel,
  /// `int2-block32` to `int8-block32` with one for each 32 numbers, `palette1` to `palette8`, `float16`,
  /// `bfloat16`.
  public static let encodingNames = FixedEncoding.all.map(\.name)

  /// What may be lost.
  public var budget = Budget.lossless
  /// Examples from which is learned how errors work together. Made up when there are none.
  public var calibration: Examples?
  /// Other examples, on which the loss is measured. When there are none, every fourth of the
  /// calibration's is kept back for it; made up when there is no calibration either.
  public var evaluation: Examples?
  /// Whether batch normalisations first become part of the weights before them, which then are no longer
  /// those of the source; otherwise they stay, exactly. Not without loss.
  public var foldsBatchNormalization = false
  /// Whether an example with its outputs is stored, by which the loss can be verified, where the model
  /// has no reference outputs; `nil` for when that takes at most a tenth of the weights.
  public var storesProof: Bool?
  /// The threads, and what may stop the work.
  public var run = RunOptions()
  /// Called after each part of the work, by the thread that does it.
  public var progress: (@Sendable (Progress) -> Void)?

  /// Nothing is lost.
  public init() {}
}
