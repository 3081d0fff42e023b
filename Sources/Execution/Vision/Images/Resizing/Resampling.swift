/// How the pixels of a resized image are computed.
///
/// `old` and `new` are the numbers of pixels along an axis. Each axis is handled independently,
/// rows (the horizontal axis) first.
public enum Resampling: String, Hashable, Sendable, CaseIterable {
  /// Like darknet's `resize_image`, the same in both forks: linear between the pixels at `i * (old
  /// - 1) / (new - 1)`, in float32. The last row is computed from one pixel only, as in darknet;
  /// where the rounded coordinate falls short of the last row, it is nearly black.
  case darknet
  /// Like TensorFlow 2's `tf.image.resize` with `bilinear`: linear between the pixels around `(i +
  /// 0.5) * old / new - 0.5`, clamped to the axis; in float32.
  case halfPixel = "half-pixel"
  /// Like TensorFlow 1's `tf.image.resize_bilinear` with its defaults: linear between the pixels
  /// around `i * old / new`, clamped to the axis; in float32.
  case topLeft = "top-left"
  /// Like Pillow's `NEAREST`, the default of Keras' `load_img`: the pixel that contains the point
  /// `(i + 0.5) * old / new`.
  case nearest
  /// Like Pillow's `BILINEAR`: the triangle filter around `(i + 0.5) * old / new`, as wide as a new
  /// pixel where the image shrinks; rounded to integers after each axis. (Pillow 13 starts with the
  /// axis that saves work; earlier versions start with rows, and so does this.)
  case pillowBilinear = "pillow-bilinear"
  /// Like Pillow's `BICUBIC`: the same with the cubic convolution of Keys (1981), a = -1/2.
  case pillowBicubic = "pillow-bicubic"

  /// The brightness of the bars of a letterbox, in 0...255: darknet's one half, else the 128 of
  /// Keras' ports of YOLO.
  var barBrightness: Double { self == .darknet ? 127.5 : 128 }
}
