public import Bytes
public import Vision
public import Weighbridge

/// Options for analyzing images.
public struct AnalyzeOptions: Sendable {
  /// How a detector finds objects. ``/Weighbridge/DetectOptions/resize``,
  /// ``/Weighbridge/DetectOptions/resampling`` and ``/Weighbridge/DetectOptions/run`` apply to
  /// features too.
  public var detection = DetectOptions()
  /// The output or layer that gives the features; by default the only output of a model that is not
  /// a detector. A detector has features only when they are named here.
  public var features: String?

  /// The model's own settings.
  public init() {}
}

/// The results of a model for an image.
public struct ImageAnalysis: Hashable, Sendable {
  /// The image's size in pixels.
  public var width, height: Int
  /// The detections; `nil` when the model is not a detector.
  public var detections: [Detection]?
  /// The feature vector; `nil` when the model does not give one.
  public var features: [Float]?
}

/// A model that analyzes images: their contents by detections, and their similarity by a feature
/// vector.
///
/// An image is analyzed by one thread, so the result does not depend on the number of threads; to
/// analyze several images at once, call ``analyze(_:)`` from several threads.
public struct ImageAnalyzer: Sendable {
  /// The model.
  public let model: Model
  /// A SHA-256 digest, 32 bytes, of everything that the results depend on: the model's identity and
  /// the options.
  public let identity: [UInt8]
  private let detector: Detector?
  private let features: FeatureExtractor?

  /// Creates an analyzer.
  ///
  /// - Parameters:
  ///   - model: A model whose description says how an image becomes its input and, for a detector,
  ///     how boxes are read from its outputs.
  ///   - options: How images are analyzed.
  /// - Throws: ``/Weighbridge/WeighbridgeError/Code/mismatch`` when the model does not take an
  ///   image, the description is incomplete, or a named output does not exist;
  ///   ``/Weighbridge/WeighbridgeError/Code/unsupported`` when the model cannot run.
  public init(
    _ model: Model, options: AnalyzeOptions = AnalyzeOptions()
  ) throws(WeighbridgeError) {
    var (model, options) = (model, options)
    options.detection.run.threads = 1
    let isDetector = model.metadata.detector != nil
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
    if isDetector, model.metadata.labels.isEmpty {
      throw .mismatch("the model does not name its classes, by which objects are searched for")
    }
    features = try output.map { (output) throws(WeighbridgeError) in
      try FeatureExtractor(model, output: output, options: options.detection)
    }
    identity = try AnalyzerIdentity(model, options, output: output).digest()
  }

  /// Whether the results contain detections.
  public var findsObjects: Bool { detector != nil }
  /// Whether the results contain feature vectors.
  public var producesFeatures: Bool { features != nil }

  /// Analyzes an image.
  ///
  /// - Throws: ``/Weighbridge/WeighbridgeError/Code/limitExceeded``,
  ///   ``/Weighbridge/WeighbridgeError/Code/cancelled``;
  ///   ``/Weighbridge/WeighbridgeError/Code/malformed`` when an output contains NaN or a feature is
  ///   infinite.
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
