public import Bytes
public import Vision
public import Weighbridge

/// How images are analyzed.
public struct AnalyzeOptions: Sendable {
  /// How objects are searched for, by a detector. ``/Weighbridge/DetectOptions/resize``,
  /// ``/Weighbridge/DetectOptions/resampling`` and ``/Weighbridge/DetectOptions/run`` hold for features as well.
  public var detection = DetectOptions()
  /// The output or layer whose numbers are the features; by default the only output of a model that
  /// is no detector. A detector has features only when they are named here.
  public var features: String?

  /// Analyzes as the model's owner did.
  public init() {}
}

/// What a model says of an image.
public struct ImageAnalysis: Hashable, Sendable {
  /// The image's size in pixels.
  public var width, height: Int
  /// What was found; `nil` when the model is no detector.
  public var detections: [Detection]?
  /// The feature vector; `nil` when the model gives none.
  public var features: [Float]?
}

/// A model that says of images what is in them, by detections, and what they are like, by a feature
/// vector.
///
/// An image is analyzed by one thread, so the result does not depend on how many there are; several
/// images are analyzed at once by calling ``analyze(_:)`` from several threads.
public struct ImageAnalyzer: Sendable {
  /// The model.
  public let model: Model
  /// What decides the results: the model's identity and the options, a SHA-256 digest of 32 bytes.
  public let identity: [UInt8]
  private let detector: Detector?
  private let features: FeatureExtractor?

  /// Makes an analyzer.
  ///
  /// - Parameters:
  ///   - model: A model whose description says how an image becomes its input, and of a detector how
  ///     boxes are read from its outputs.
  ///   - options: How images are analyzed.
  /// - Throws: ``/Weighbridge/WeighbridgeError/Code/mismatch`` when the model takes no image, the description
  ///   lacks what is needed, or an output that is named is not there;
  ///   ``/Weighbridge/WeighbridgeError/Code/unsupported`` when the model cannot run.
  public init(
    _ model: Model, options: AnalyzeOptions = AnalyzeOptions()
  ) throws(WeighbridgeError) {
    var (model, options) = (model, options)
    options.detection.run.threads = 1
    let isDetector = model.description.detector != nil
    try model.checkTakesImage()
    if let resize = options.detection.resize { model.setResizePolicy(resize) }
    var output: String?
    if let name = options.features {
      output = try model.expose(layerOrOutput: name)
    } else if !isDetector {
      output = try model.onlyOutput()
    }
    self.model = model
    detector = isDetector ? try Detector(model, options: options.detection) : nil
    if isDetector, model.description.labels.isEmpty {
      throw .mismatch("the model does not name its classes, by which objects are searched for")
    }
    features = try output.map { (output) throws(WeighbridgeError) in
      try FeatureExtractor(model, output: output, options: options.detection)
    }
    identity = try AnalyzerIdentity(model, options, output: output).digest()
  }

  /// Whether detections are found.
  public var findsObjects: Bool { detector != nil }
  /// Whether feature vectors are made.
  public var makesFeatures: Bool { features != nil }

  /// Analyzes an image.
  ///
  /// - Throws: ``/Weighbridge/WeighbridgeError/Code/limitExceeded``, ``/Weighbridge/WeighbridgeError/Code/cancelled``;
  ///   ``/Weighbridge/WeighbridgeError/Code/malformed`` when the model gives numbers that are none.
  public func analyze(_ image: Image) throws(WeighbridgeError) -> ImageAnalysis {
    var analysis = ImageAnalysis(width: image.width, height: image.height)
    if let detector {
      let (outputs, placement) = try detector.outputs(for: image)
      analysis.detections = try detector.detections(in: outputs, placement: placement)
      analysis.features = try features?.features(in: outputs)
    } else if let features {
      analysis.features = try features.features(of: image)
    }
    return analysis
  }
}
