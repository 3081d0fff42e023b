public import GraphIR
public import Vision

/// Options for transforming images. For `nil`, the model's own setting or the default applies.
public struct StylizeOptions: Sendable {
  /// The model's encoding of an 8-bit component x of the new image: `x * scale + bias`. When `nil`,
  /// the metadata of the model's output determine it, else its last activation: 0...1 for sigmoids,
  /// -1...1 for a tanh; all others are taken as 0...255.
  public var output: OutputScale?
  /// The most pixels along a side of a tile, if the model takes images of any size.
  public var tile = 512
  /// The fewest pixels that neighboring tiles share; less than ``tile``.
  public var overlap = 64
  /// How images are resized to the input's size, if that is fixed; stretched when the model does
  /// not say.
  public var resize: ImageInput.ResizePolicy?
  /// How pixels are computed; like darknet for a darknet model, else with Pillow's bicubic filter.
  public var resampling: Resampling?
  /// Threads, limits, cancellation.
  public var run = RunOptions()

  /// The model's own settings.
  public init() {}
}

/// A model's encoding of an 8-bit component: `x * scale + bias`.
public struct OutputScale: Hashable, Sendable {
  /// The factor, other than 0.
  public var scale: Double
  /// The offset for all components.
  public var bias: Double

  /// Creates a scale.
  public init(scale: Double, bias: Double = 0) {
    (self.scale, self.bias) = (scale, bias)
  }
}

extension StylizeOptions {
  /// - Throws: ``WeighbridgeError/Code/mismatch`` when an option is out of range.
  func check() throws(WeighbridgeError) {
    guard tile >= 16, overlap >= 0, overlap < tile else {
      throw .mismatch(
        "the tile is \(tile) pixels and the overlap \(overlap): the tile must be 16 or more, the "
          + "overlap from 0 to less than the tile")
    }
    if let output, output.scale == 0 || !output.scale.isFinite || !output.bias.isFinite {
      throw .mismatch(
        "the output's scale is \(output.scale) and its bias \(output.bias): the scale must not be "
          + "0, and both must be finite")
    }
  }
}
