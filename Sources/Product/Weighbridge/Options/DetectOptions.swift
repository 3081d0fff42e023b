// Generated from Schemas/options.json by Scripts/options. Do not edit.

public import GraphIR
public import Vision

/// How objects are detected; by default as the model says.
public struct DetectOptions: Sendable {
  /// The confidence above which an object counts, 0 to 1; the model's own, or 0.25.
  public var confidenceThreshold: Double?
  /// The overlap (intersection over union) above which boxes suppress each other, 0 to 1; the
  /// model's own, or 0.45.
  public var iouThreshold: Double?
  /// How overlapping boxes are suppressed: none, greedy (each class by itself), distance (the same
  /// with the centers' distance, DIoU) or class-agnostic; the model's own, or greedy.
  public var suppression: DetectorDescription.Suppression?
  /// How the model is run.
  public var run = RunOptions()
  /// How an image is brought to the input's size: letterbox, stretch or center-crop; the model's
  /// own, or stretch.
  public var resize: ImageInput.ResizePolicy?
  /// How pixels are computed then: darknet, half-pixel, top-left, nearest, pillow-bilinear or
  /// pillow-bicubic; darknet for its models, else pillow-bicubic.
  public var resampling: Resampling?

  /// Creates options with the defaults.
  public init() {}
}

/// The names of version 0.2.
extension DetectOptions {
  /// The former name of ``confidenceThreshold``.
  @available(*, deprecated, renamed: "confidenceThreshold")
  public var threshold: Double? {
    get { confidenceThreshold }
    set { confidenceThreshold = newValue }
  }

  /// The former name of ``iouThreshold``.
  @available(*, deprecated, renamed: "iouThreshold")
  public var overlap: Double? {
    get { iouThreshold }
    set { iouThreshold = newValue }
  }
}
