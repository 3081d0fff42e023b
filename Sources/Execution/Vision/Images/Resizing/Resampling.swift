/// How the pixels of an image of another size are computed.
///
/// `old` and `new` are the numbers of pixels along an axis. Each axis is treated by itself, rows
/// (the horizontal axis) first.
public enum Resampling: String, Hashable, Sendable, CaseIterable {
  /// As darknet's `resize_image`, the same in both forks: linear between the pixels at
  /// `i * (old - 1) / (new - 1)`, in float32. The last row is computed from one pixel only, as
  /// there; where the rounded coordinate falls short of the last row, it is nearly black.
  case darknet
  /// As TensorFlow 2's `tf.image.resize` with `bilinear`: linear between the pixels around
  /// `(i + 0.5) * old / new - 0.5`, kept inside the axis; in float32.
  case halfPixel = "half-pixel"
  /// As TensorFlow 1's `tf.image.resize_bilinear` with its defaults: linear between the pixels
  /// around `i * old / new`, kept inside the axis; in float32.
  case topLeft = "top-left"
  /// As Pillow's `NEAREST`, which Keras' `load_img` uses unless told otherwise: the pixel that
  /// holds the point `(i + 0.5) * old / new`.
  case nearest
  /// As Pillow's `BILINEAR`: the triangle filter around `(i + 0.5) * old / new`, as wide as a new
  /// pixel where the image shrinks; rounded to whole numbers after each axis. (Pillow 13 takes
  /// the axis first that saves work; earlier versions take rows first, and so do we.)
  case pillowBilinear = "pillow-bilinear"
  /// As Pillow's `BICUBIC`: the same with the cubic convolution of Keys (1981), a = -1/2.
  case pillowBicubic = "pillow-bicubic"

  /// The brightness of the bars of a letterbox, in 0...255: darknet's one half, else the 128 that
  /// Keras' ports of YOLO use.
  var barBrightness: Double { self == .darknet ? 127.5 : 128 }
}
