public import Bytes
public import GraphIR
public import Vision

/// How objects are searched for. What is `nil` is the model's own choice, or the default.
public struct DetectOptions: Sendable {
  /// Detections whose confidence is not above it are left out, 0...1; 0.25 when the model does not
  /// say.
  public var threshold: Double?
  /// The overlap (intersection over union, 0...1) above which boxes suppress each other; 0.45 when
  /// the model does not say.
  public var overlap: Double?
  /// How overlapping boxes are thinned out; greedy for each class when the model does not say.
  public var suppression: DetectorDescription.Suppression?
  /// How images are brought to the input's size; stretched when the model does not say.
  public var resize: ImageInput.ResizePolicy?
  /// How pixels are computed; as darknet for a darknet model, else as Pillow's bicubic filter, which
  /// the ports of YOLO to Keras use.
  public var resampling: Resampling?
  /// Threads, limits, cancellation.
  public var run = RunOptions()

  /// Searches as the model's owner did.
  public init() {}
}

/// A model that finds objects in images.
///
/// ```swift
/// let detector = try Detector(Model(contentsOf: "yolov3-tiny.wbm"))
/// for detection in try detector.detect(in: Image(contentsOf: "dog.jpg")) {
///   print(detection.label ?? "", detection.confidence, detection.box)
/// }
/// ```
///
/// An image is brought to the input's size and colors as the model's description says; the boxes
/// in the outputs are decoded, those of too little confidence are left out, overlapping ones thinned
/// out, and what is left is placed in the image.
public struct Detector: Sendable {
  /// The least confidence when neither the model nor the caller says one: darknet's.
  public static let defaultThreshold = DetectorDescription.defaultConfidenceThreshold
  /// The overlap when neither the model nor the caller says one: darknet's.
  public static let defaultOverlap = DetectorDescription.defaultOverlapThreshold

  /// The model.
  public let model: Model
  /// The input's size in pixels.
  public let inputWidth, inputHeight: Int
  private let options: DetectOptions
  private let session: Result<Session, WeighbridgeError>
  private let image: ImageInput
  private let inputName: String
  /// Whether the input's axes begin with a batch.
  private let hasBatch: Bool
  private let decoder: BoxDecoder
  private let suppression: BoxSuppression

  /// Makes a detector.
  ///
  /// - Parameters:
  ///   - model: A model whose description says how an image becomes its input and how boxes are
  ///     read from its outputs (``Model/describe(_:)``).
  ///   - options: How objects are searched for.
  /// - Throws: ``WeighbridgeError/Code/mismatch`` when the description lacks what is needed, says
  ///   another number of labels than classes, or an option is out of its range.
  public init(
    _ model: Model, options: DetectOptions = DetectOptions()
  ) throws(WeighbridgeError) {
    try options.check()
    let (graph, description) = (model.content.graph, model.description)
    try ModelPurpose(graph, description).checkFindsObjects(graph)
    let interface = try DetectorInterface(graph, description)
    (image, inputName) = (interface.image, interface.inputName)
    (inputWidth, inputHeight) = (interface.width, interface.height)
    hasBatch = interface.hasBatch
    let detector = interface.detector
    decoder = BoxDecoder(
      detector, layout: image.layout, inputWidth: inputWidth, inputHeight: inputHeight)
    suppression = BoxSuppression(
      options.suppression ?? detector.suppression ?? .greedy,
      threshold: options.overlap ?? detector.overlapThreshold ?? Self.defaultOverlap,
      distanceExponent: detector.distanceExponent ?? 0.6)
    self.model = model
    self.options = options
    session = Result { () throws(WeighbridgeError) in try model.session(options.run) }
  }

  /// Detections whose confidence is not above it are left out.
  public var threshold: Double {
    options.threshold ?? decoder.detector.confidenceThreshold ?? Self.defaultThreshold
  }

  /// Finds the objects in an image.
  ///
  /// - Parameter image: An image of any size.
  /// - Returns: One detection for each box and class, the most confident first.
  /// - Throws: ``WeighbridgeError/Code/unsupported`` when the model cannot run or its outputs are no
  ///   numbers, ``WeighbridgeError/Code/limitExceeded``, ``WeighbridgeError/Code/cancelled``.
  public func detect(in image: Image) throws(WeighbridgeError) -> [Detection] {
    let (outputs, placement) = try outputs(for: image)
    return try detections(in: outputs, placement: placement)
  }

  /// What the model computes from an image, by name, and where the image lies in its input.
  ///
  /// - Throws: As ``detect(in:)``.
  package func outputs(
    for image: Image
  ) throws(WeighbridgeError) -> (outputs: [NamedTensor], placement: ImagePlacement) {
    let (tensor, placement) = try input(for: image)
    let result = try session.get().run([NamedTensor(name: inputName, tensor: tensor)])
    return (result.outputs, placement)
  }

  /// The array that the model takes for an image, and where the image lies in it.
  ///
  /// - Throws: ``WeighbridgeError/Code/limitExceeded`` when there is not enough memory for it.
  public func input(
    for image: Image
  ) throws(WeighbridgeError) -> (tensor: Tensor, placement: ImagePlacement) {
    let (tensor, placement) = try image.tensor(
      for: self.image, width: inputWidth, height: inputHeight,
      policy: options.resize ?? self.image.resize ?? .stretch,
      resampling: options.resampling ?? model.imageResampling)
    return (hasBatch ? tensor : tensor.reshaped(Array(tensor.shape.dropFirst())), placement)
  }

  /// The detections in outputs that were computed before, of one image.
  ///
  /// - Parameters:
  ///   - outputs: The model's outputs by name; those without boxes may be missing.
  ///   - placement: Where the image lies in the input.
  /// - Throws: ``WeighbridgeError/Code/mismatch`` when an output is missing or has another shape,
  ///   ``WeighbridgeError/Code/malformed`` when it holds numbers that are none.
  public func detections(
    in outputs: [NamedTensor], placement: ImagePlacement = .filling
  ) throws(WeighbridgeError) -> [Detection] {
    let tensors = Dictionary(outputs.map { ($0.name, $0.tensor) }) { first, _ in first }
    let candidates = try decoder.candidates(tensors, above: threshold)
    let labels = model.description.labels
    return suppression.detections(candidates.map { $0.placed(placement) }).map { score, box in
      Detection(
        classIndex: score.classIndex,
        label: labels.isEmpty ? nil : labels[score.classIndex],
        confidence: score.confidence, box: box)
    }
  }
}

extension DetectOptions {
  /// - Throws: ``WeighbridgeError/Code/mismatch`` when a threshold is not 0...1.
  fileprivate func check() throws(WeighbridgeError) {
    try Self.check(threshold, of: "confidence")
    try Self.check(overlap, of: "overlap")
  }

  private static func check(_ value: Double?, of name: String) throws(WeighbridgeError) {
    guard let value, !(0...1 ~= value) else { return }
    throw .mismatch("the threshold of the \(name) is \(value), which must be 0 to 1")
  }
}
