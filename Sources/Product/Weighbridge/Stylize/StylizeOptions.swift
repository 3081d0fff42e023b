public import GraphIR
public import Vision

/// How images are made of images. What is `nil` is the model's own choice, or the default.
public struct StylizeOptions: Sendable {
  /// What an 8-bit component x of the new image is for the model: `x * scale + bias`. When it is `nil`,
  /// the record of the model's output says it, else its last activation: 0...1 of sigmoids, -1...1 of a
  /// tanh; other numbers are taken as 0...255.
  public var output: OutputScale?
  /// The most pixels along a side of what is computed at once, where the model takes any size.
  public var tile = 512
  /// The fewest pixels that neighbouring tiles share, less than ``tile``.
  public var overlap = 64
  /// How images are brought to the input's size, where that is fixed; stretched when the model does
  /// not say.
  public var resize: ImageInput.ResizePolicy?
  /// How pixels are computed; as darknet for a darknet model, else as Pillow's bicubic filter.
  public var resampling: Resampling?
  /// Threads, limits, cancellation.
  public var run = RunOptions()

  /// As the model says.
  public init() {}
}

/// What an 8-bit component is for a model: `x * scale + bias`.
public struct OutputScale: Hashable, Sendable {
  /// The factor, other than 0.
  public var scale: Double
  /// The summand for all components.
  public var bias: Double

  /// Makes a scale.
  public init(scale: Double, bias: Double = 0) {
    (self.scale, self.bias) = (scale, bias)
  }
}

extension StylizeOptions {
  /// - Throws: ``WeighbridgeError/Code/mismatch`` when an option is out of its range.
  func check() throws(WeighbridgeError) {
    guard tile >= 16, overlap >= 0, overlap < tile else {
      throw .mismatch(
        "tiles of \(tile) pixels that share \(overlap): a tile has 16 or more, and shares fewer than "
          + "it has")
    }
    if let output, output.scale == 0 || !output.scale.isFinite || !output.bias.isFinite {
      throw .mismatch("the output's scale is \(output.scale) and its bias \(output.bias)")
    }
  }
}
