public import Bytes
public import GraphIR
public import Vision

/// A model that classifies images.
///
/// ```swift
/// let classifier = try Classifier(Model(contentsOf: "sketches.wbm"))
/// for found in try classifier.classify(Image(contentsOf: "drawing.png")) {
///   print(found.label ?? "", found.probability)
/// }
/// ```
///
/// An image is converted to the input's size and colors as the model's description says. Scores
/// that are not yet probabilities are passed through a softmax.
public struct Classifier: Sendable {
  /// The model.
  public let model: Model
  /// The input's size in pixels.
  public let inputWidth, inputHeight: Int
  /// The output that contains a score for each class.
  public var outputName: String { classScores.outputName }
  /// The kind of these scores.
  public var scores: ScoreKind { classScores.kind }
  private let classScores: ClassScores
  private let options: ClassifyOptions
  private let session: Session
  private let input: ImageInterface

  /// Creates a classifier.
  ///
  /// - Parameters:
  ///   - model: A model that takes one image whose preprocessing is described, and returns one
  ///     score for each class.
  ///   - options: How images are classified.
  /// - Throws: ``WeighbridgeError/Code/mismatch`` when the model is not a classifier (the message
  ///   says what it is), does not say how an image becomes its input, or an option is out of range;
  ///   ``WeighbridgeError/Code/unsupported`` when it cannot run.
  public init(
    _ model: Model, options: ClassifyOptions = ClassifyOptions()
  ) throws(WeighbridgeError) {
    try options.check()
    let (graph, description) = (model.content.graph, model.metadata)
    classScores = try ClassScores(model, kind: options.scores)
    input = try ImageInterface(graph, description, for: "a classifier of images")
    (inputWidth, inputHeight) = try input.fixedSize()
    self.model = model
    self.options = options
    session = try model.session(options.run)
  }

  /// Returns the most probable classes of an image, the most probable first.
  ///
  /// - Parameter image: An image of any size.
  /// - Throws: ``WeighbridgeError/Code/malformed`` when a score is NaN or infinite,
  ///   ``WeighbridgeError/Code/mismatch`` when the scores cannot be of the stated kind,
  ///   ``WeighbridgeError/Code/limitExceeded``, ``WeighbridgeError/Code/cancelled``.
  public func classify(_ image: Image) throws(WeighbridgeError) -> [Classification] {
    let result = try session.run([NamedTensor(name: input.name, tensor: try tensor(for: image))])
    return try classes(in: result.outputs)
  }

  /// Returns the model's input array for an image, of the type and shape of that input (for example
  /// `[1, height, width, channels]`).
  public func tensor(for image: Image) throws(WeighbridgeError) -> Tensor {
    try image.tensor(
      for: input, model, width: inputWidth, height: inputHeight, resize: options.resize,
      resampling: options.resampling
    ).tensor
  }

  /// Returns the most probable classes from outputs that were computed before, for one image.
  ///
  /// - Parameter outputs: The model's outputs by name; those without scores may be missing.
  /// - Throws: ``WeighbridgeError/Code/mismatch`` when the output is missing or has another size,
  ///   or its scores cannot be of the stated kind; ``WeighbridgeError/Code/malformed`` when one is
  ///   NaN or infinite.
  public func classes(in outputs: [NamedTensor]) throws(WeighbridgeError) -> [Classification] {
    let likely = try classScores.ranking(outputs).filter {
      $0.probability > options.threshold ?? -1
    }
    return Array(likely.prefix(options.top ?? likely.count))
  }
}

extension ClassifyOptions {
  /// - Throws: ``WeighbridgeError/Code/mismatch`` when an option is out of range.
  fileprivate func check() throws(WeighbridgeError) {
    if let threshold, !(0...1 ~= threshold) {
      throw .mismatch("the threshold of the probability is \(threshold), which must be 0 to 1")
    }
    if let top, top < 1 {
      throw .mismatch("the number of classes must be 1 or more, not \(top)")
    }
  }
}
