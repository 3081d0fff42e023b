public import Bytes
public import GraphIR
public import Vision

/// A model that finds objects in images.
///
/// ```swift
/// let detector = try Detector(Model(contentsOf: "yolov3-tiny.wbm"))
/// for detection in try detector.detect(in: Image(contentsOf: "dog.jpg")) {
///   print(detection.label ?? "", detection.confidence, detection.box)
/// }
/// ```
///
/// An image is converted to the input's size and colors according to the model's description; the
/// boxes in the outputs are decoded, those of too little confidence are left out, overlapping ones
/// are suppressed, and the remaining ones are mapped to the image's coordinates.
public struct Detector: Sendable {
  /// The confidence threshold when neither the model nor the caller states one: darknet's.
  public static let defaultConfidenceThreshold = DetectorDescription.defaultConfidenceThreshold
  /// The IoU threshold when neither the model nor the caller states one: darknet's.
  public static let defaultIoUThreshold = DetectorDescription.defaultIoUThreshold

  /// The model.
  public let model: Model
  /// The input's size in pixels.
  public let inputWidth, inputHeight: Int
  private let options: DetectOptions
  private let session: Result<Session, WeighbridgeError>
  private let imageInput: ImageInterface
  private let decoder: BoxDecoder
  private let suppression: BoxSuppression

  /// Creates a detector.
  ///
  /// - Parameters:
  ///   - model: A model whose description says how an image becomes its input and how boxes are
  ///     read from its outputs (``Model/describe(_:)``).
  ///   - options: How objects are detected.
  /// - Throws: ``WeighbridgeError/Code/mismatch`` when the description is incomplete, has a
  ///   different number of labels than classes, or an option is out of range.
  public init(
    _ model: Model, options: DetectOptions = DetectOptions()
  ) throws(WeighbridgeError) {
    try options.check()
    let (graph, description) = (model.content.graph, model.metadata)
    try ModelPurpose(graph, description).checkFindsObjects(graph)
    let interface = try DetectorInterface(graph, description)
    imageInput = interface.input
    (inputWidth, inputHeight) = (interface.width, interface.height)
    let detector = interface.detector
    decoder = BoxDecoder(
      detector, layout: imageInput.image.layout, inputWidth: inputWidth, inputHeight: inputHeight)
    suppression = BoxSuppression(
      options.suppression ?? detector.suppression ?? .greedy,
      threshold: options.iouThreshold ?? detector.iouThreshold ?? Self.defaultIoUThreshold,
      distanceExponent: detector.distanceExponent ?? 0.6)
    self.model = model
    self.options = options
    session = Result { () throws(WeighbridgeError) in try model.session(options.run) }
  }

  /// The confidence threshold; detections that are not above it are left out.
  public var confidenceThreshold: Double {
    options.confidenceThreshold ?? decoder.detector.confidenceThreshold
      ?? Self.defaultConfidenceThreshold
  }

  /// Finds the objects in an image.
  ///
  /// - Parameter image: An image of any size.
  /// - Returns: One detection for each box and class, the most confident first.
  /// - Throws: ``WeighbridgeError/Code/unsupported`` when the model cannot run,
  ///   ``WeighbridgeError/Code/malformed`` when its outputs contain NaN or infinite confidences,
  ///   ``WeighbridgeError/Code/limitExceeded``, ``WeighbridgeError/Code/cancelled``.
  public func detect(in image: Image) throws(WeighbridgeError) -> [Detection] {
    let (outputs, placement) = try outputs(for: image)
    return try detections(in: outputs, placement: placement)
  }

  /// Computes the model's outputs for an image, by name, and the placement of the image in its
  /// input.
  ///
  /// - Throws: See ``detect(in:)``.
  package func outputs(
    for image: Image
  ) throws(WeighbridgeError) -> (outputs: [NamedTensor], placement: ImagePlacement) {
    let (tensor, placement) = try input(for: image)
    let result = try session.get().run([NamedTensor(name: imageInput.name, tensor: tensor)])
    return (result.outputs, placement)
  }

  /// Returns the model's input array for an image, of the type and shape of that input (for example
  /// `[1, height, width, channels]`), and the placement of the image in it.
  ///
  /// - Throws: ``WeighbridgeError/Code/limitExceeded`` when there is not enough memory for it.
  public func input(
    for image: Image
  ) throws(WeighbridgeError) -> (tensor: Tensor, placement: ImagePlacement) {
    try image.tensor(
      for: imageInput, model, width: inputWidth, height: inputHeight, resize: options.resize,
      resampling: options.resampling)
  }

  /// Returns the detections in outputs that were computed before, for one image.
  ///
  /// - Parameters:
  ///   - outputs: The model's outputs by name; those without boxes may be missing.
  ///   - placement: The placement of the image in the input.
  /// - Throws: ``WeighbridgeError/Code/mismatch`` when an output is missing or has another shape,
  ///   ``WeighbridgeError/Code/malformed`` when it contains NaN or infinite confidences.
  public func detections(
    in outputs: [NamedTensor], placement: ImagePlacement = .filling
  ) throws(WeighbridgeError) -> [Detection] {
    let tensors = Dictionary(outputs.map { ($0.name, $0.tensor) }) { first, _ in first }
    let candidates = try decoder.candidates(tensors, above: confidenceThreshold)
      .map { $0.mappedToImage(placement) }
    let labels = model.metadata.labels
    return suppression.detections(candidates).map { score, box in
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
    try Self.check(confidenceThreshold, of: "confidence")
    try Self.check(iouThreshold, of: "overlap")
  }

  private static func check(_ value: Double?, of name: String) throws(WeighbridgeError) {
    guard let value, !(0...1 ~= value) else { return }
    throw .mismatch("the threshold of the \(name) is \(value), which must be 0 to 1")
  }
}

extension Detector {
  /// The former name of ``confidenceThreshold``.
  @available(*, deprecated, renamed: "confidenceThreshold")
  public var threshold: Double { confidenceThreshold }

  /// The former name of ``defaultConfidenceThreshold``.
  @available(*, deprecated, renamed: "defaultConfidenceThreshold")
  public static var defaultThreshold: Double { defaultConfidenceThreshold }

  /// The former name of ``defaultIoUThreshold``.
  @available(*, deprecated, renamed: "defaultIoUThreshold")
  public static var defaultOverlap: Double { defaultIoUThreshold }
}
