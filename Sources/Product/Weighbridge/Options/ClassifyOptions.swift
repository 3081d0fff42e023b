// Generated from Schemas/options.json by Scripts/options. Do not edit.

public import GraphIR
public import Vision

/// How images are classified; by default as the model says.
public struct ClassifyOptions: Sendable {
  /// The most classes that are given for an image; 5 by default.
  public var top: Int? = 5
  /// The probability above which a class is given, 0 to 1; by default all are.
  public var threshold: Double?
  /// The kind of scores: probabilities, logits (a softmax turns them into probabilities) or
  /// log-probabilities. By default as the metadata entry class_scores says, else as the last layers
  /// show.
  public var scores: ScoreKind?
  /// How an image is brought to the input's size: letterbox, stretch or center-crop; the model's
  /// own, or stretch.
  public var resize: ImageInput.ResizePolicy?
  /// How pixels are computed then: darknet, half-pixel, top-left, nearest, pillow-bilinear or
  /// pillow-bicubic; darknet for its models, else pillow-bicubic.
  public var resampling: Resampling?
  /// How the model is run.
  public var run = RunOptions()

  /// Creates options with the defaults.
  public init() {}
}
