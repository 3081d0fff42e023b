public import Bytes
public import GraphIR
public import Vision

/// How images are classified. What is `nil` is the model's own choice, or the default.
public struct ClassifyOptions: Sendable {
  /// The most classes that are given for an image, at least 1; all of them when `nil`.
  public var top: Int? = 5
  /// Classes whose probability is not above it are left out, 0...1.
  public var threshold: Double?
  /// What the model's numbers are; what its metadata says under ``ScoreKind/metadataKey``, else what
  /// its last layers show.
  public var scores: ScoreKind?
  /// How images are brought to the input's size; stretched when the model does not say.
  public var resize: ImageInput.ResizePolicy?
  /// How pixels are computed; as darknet for a darknet model, else as Pillow's bicubic filter.
  public var resampling: Resampling?
  /// Threads, limits, cancellation.
  public var run = RunOptions()

  /// The five most probable classes, found as the model's owner did.
  public init() {}
}

/// A model that says what images show.
///
/// ```swift
/// let classifier = try Classifier(Model(contentsOf: "sketches.wbm"))
/// for found in try classifier.classify(Image(contentsOf: "drawing.png")) {
///   print(found.label ?? "", found.probability)
/// }
/// ```
///
/// An image is brought to the input's size and colors as the model's description says. Of numbers that
/// are no probabilities yet a softmax makes some.
public struct Classifier: Sendable {
  /// The model.
  public let model: Model
  /// The input's size in pixels.
  public let inputWidth, inputHeight: Int
  /// The output that holds a score for each class.
  public var outputName: String { classScores.outputName }
  /// What these scores are.
  public var scores: ScoreKind { classScores.kind }
  private let classScores: ClassScores
  private let options: ClassifyOptions
  private let session: Session
  private let input: ImageInterface

  /// Makes a classifier.
  ///
  /// - Parameters:
  ///   - model: A model that takes one image whose preprocessing is described, and gives one number
  ///     for each class.
  ///   - options: How images are classified.
  /// - Throws: ``WeighbridgeError/Code/mismatch`` when the model is no classifier (the message says
  ///   what it is), does not say how an image becomes its input, or an option is out of its range;
  ///   ``WeighbridgeError/Code/unsupported`` when it cannot run.
  public init(
    _ model: Model, options: ClassifyOptions = ClassifyOptions()
  ) throws(WeighbridgeError) {
    try options.check()
    let (graph, description) = (model.content.graph, model.description)
    classScores = try ClassScores(model, kind: options.scores)
    input = try ImageInterface(graph, description, for: "a classifier of images")
    (inputWidth, inputHeight) = try input.fixedSize()
    self.model = model
    self.options = options
    session = try model.session(options.run)
  }

  /// The most probable classes of an image, the most probable first.
  ///
  /// - Parameter image: An image of any size.
  /// - Throws: ``WeighbridgeError/Code/malformed`` when a score is no number,
  ///   ``WeighbridgeError/Code/mismatch`` when the scores cannot be what they are said to be,
  ///   ``WeighbridgeError/Code/limitExceeded``, ``WeighbridgeError/Code/cancelled``.
  public func classify(_ image: Image) throws(WeighbridgeError) -> [Classification] {
    let result = try session.run([NamedTensor(name: input.name, tensor: try tensor(for: image))])
    return try classes(in: result.outputs)
  }

  /// The array that the model takes for an image.
  public func tensor(for image: Image) throws(WeighbridgeError) -> Tensor {
    try image.tensor(
      for: input, model, width: inputWidth, height: inputHeight, resize: options.resize,
      resampling: options.resampling
    ).tensor
  }

  /// The most probable classes by outputs that were computed before, of one image.
  ///
  /// - Parameter outputs: The model's outputs by name; those without scores may be missing.
  /// - Throws: ``WeighbridgeError/Code/mismatch`` when the output is missing or has another size, or
  ///   its numbers cannot be what they are said to be; ``WeighbridgeError/Code/malformed`` when one
  ///   is NaN.
  public func classes(in outputs: [NamedTensor]) throws(WeighbridgeError) -> [Classification] {
    let likely = try classScores.ranking(outputs).filter {
      $0.probability > options.threshold ?? -1
    }
    return Array(likely.prefix(options.top ?? likely.count))
  }
}

extension ClassifyOptions {
  /// - Throws: ``WeighbridgeError/Code/mismatch`` when an option is out of its range.
  fileprivate func check() throws(WeighbridgeError) {
    if let threshold, !(0...1 ~= threshold) {
      throw .mismatch("the threshold of the probability is \(threshold), which must be 0 to 1")
    }
    if let top, top < 1 {
      throw .mismatch("\(top) classes are wanted, and it must be 1 or more")
    }
  }
}
