import Bytes
import Testing

/// A layer or function whose settings or inputs have no meaning, or one that is not read, and what
/// the error says.
struct KerasRefusal: CustomTestStringConvertible, Sendable {
  /// The class of the layer, `keras.ops`' class of the function, or TensorFlow's function behind `tf.`.
  let name: String
  /// The settings, as JSON.
  let settings: String
  /// The shape of each input, without its batch.
  let shapes: [[Int]]
  /// The type of their elements.
  let type: ElementType
  let reason: String
  /// The minor version of Keras 2 for a layer; functions are those of Keras 3.15.
  let version: Int

  init(
    _ name: String, _ settings: String, _ shapes: [[Int]], _ reason: String, version: Int = 15,
    type: ElementType = .float32
  ) {
    (self.name, self.settings, self.shapes, self.type) = (name, settings, shapes, type)
    (self.reason, self.version) = (reason, version)
  }

  var testDescription: String { "\(name) \(settings) \(shapes)" }

  static let layers: [KerasRefusal] = [
    .init("Permute", #"{"dims": [1, 1]}"#, [[4, 3]], "is not an order of the axes 1 to 2"),
    .init("Rescaling", #"{"scale": [], "offset": 0}"#, [[3]], "scale or offset is an empty list"),
    .init(
      "Normalization", #"{"axis": [1, 1], "mean": 0, "variance": 1}"#, [[4, 3]],
      "and different axes are expected"),
    .init(
      "Normalization", #"{"axis": -1, "mean": 0}"#, [[3]],
      "has one of mean and variance without the other"),
    .init(
      "MultiHeadAttention", #"{"num_heads": 0, "key_dim": 2}"#, [[4, 3], [4, 3]], "num_heads=0"),
    .init(
      "MultiHeadAttention", #"{"num_heads": 1, "key_dim": 2, "attention_axes": [2, 1]}"#,
      [[4, 3, 2], [4, 3, 2]], "which are not in ascending order"),
    .init(
      "GroupQueryAttention", #"{"head_dim": 2, "num_query_heads": 3, "num_key_value_heads": 2}"#,
      [[4, 3], [4, 3]], "3 heads cannot share 2 equally"),
    .init("Attention", "{}", [[4, 3]], "takes query, value and maybe key, and has 1"),
    .init("AdditiveAttention", "{}", [[4, 3]], "takes query, value and maybe key, and has 1"),
    .init(
      "EinsumDense", #"{"equation": "abb,bc->ac", "output_shape": [5]}"#, [[3, 3]],
      "in which an axis occurs twice"),
    .init(
      "EinsumDense", #"{"equation": "ab,bcd->ac", "output_shape": [5]}"#, [[3]],
      "an axis of the kernel is in neither input nor output"),
    .init(
      "EinsumDense", #"{"equation": "ab,bc->ac", "output_shape": [5], "bias_axes": "z"}"#, [[3]],
      "bias_axes=z are not axes of the output"),
    .init(
      "EinsumDense", #"{"equation": "abc,cd->abd", "output_shape": [7, 5]}"#, [[3, 2]],
      "which does not fit the input"),
    .init("Hashing", #"{"num_bins": 4}"#, [[3]], "hashes whole numbers or texts only"),
    .init("Hashing", #"{"num_bins": 4}"#, [[3]], "hashes booleans", type: .bool),
    .init("HashedCrossing", #"{"num_bins": 4}"#, [[1]], "crosses one whole number of each element"),
    .init("Dot", #"{"axes": [0, 1]}"#, [[3], [3]], "and axis 0 is the batch"),
    .init("Dot", #"{"axes": 1}"#, [[3]], "takes two inputs and has 1"),
    .init("Concatenate", #"{"axis": -1}"#, [], "has no inputs"),
    .init(
      "ConvLSTM2D", #"{"filters": 2, "kernel_size": 3}"#, [[4, 5, 3]],
      "takes sequences of images with 2 spatial axes, not"),
    .init(
      "ConvLSTM1D", #"{"filters": 0, "kernel_size": 3}"#, [[4, 5, 3]],
      "expected at least 1 of a known number of channels"),
    .init("LSTM", #"{"units": 2}"#, [[4]], "takes sequences of vectors of known length, not"),
    .init("GRU", #"{"units": 2}"#, [[4, 3, 2]], "takes sequences of vectors of known length, not"),
    .init(
      "RNN", #"{"cell": {"class_name": "StackedRNNCells", "config": {"cells": []}}}"#, [[4, 3]],
      "has stacked cells without cells"),
    .init(
      "RNN", #"{"cell": {"class_name": "OddCell", "config": {}}}"#, [[4, 3]],
      "cell of the class OddCell, which is unknown"),
    .init(
      "TimeDistributed", #"{"layer": {"class_name": "Odd", "config": {"name": "odd"}}}"#, [[4, 3]],
      "wraps a layer of the unknown class Odd"),
    .init(
      "TimeDistributed",
      #"{"layer": {"class_name": "LSTM", "config": {"name": "l", "units": 2, "stateful": true}}}"#,
      [[4, 5, 3]], "wraps a stateful layer, whose state would carry over"),
    .init(
      "AutoContrast", #"{"value_range": [1, 1]}"#, [[4, 4, 3]],
      "value_range=[1.0, 1.0], expected two"),
    .init(
      "AutoContrast", #"{"value_range": [0, 1]}"#, [[3]], "takes images of floating-point numbers"),
    .init(
      "Resizing",
      #"{"height": 2, "width": 2, "crop_to_aspect_ratio": true, "pad_to_aspect_ratio": true}"#,
      [[4, 4, 3]], "both crops and pads to the aspect ratio"),
    .init(
      "RandomCrop", #"{"height": 2, "width": 2}"#, [[4, 4, 3]],
      "was never compared with that version", version: 7),
    .init(
      "STFTSpectrogram", #"{"frame_length": 4, "frame_step": 2}"#, [[3, 2, 2]], "takes signals"),
    .init("MelSpectrogram", #"{"num_mel_bins": 0}"#, [[4096]], "expected at least one band"),
    .init(
      "MelSpectrogram", #"{"min_power": 0}"#, [[4096]], "min_power=0.0, expected a positive number"),
    .init(
      "LocallyConnected1D", #"{"filters": 2, "kernel_size": 2, "implementation": 4}"#, [[4, 3]],
      "implementation=4, and 1, 2 or 3 is expected"),
    .init(
      "LocallyConnected1D",
      #"{"filters": 2, "kernel_size": 2, "implementation": 1, "padding": "same"}"#, [[4, 3]],
      "padding=same, which implementation=1 does not have"),
    .init(
      "CategoryEncoding", #"{"num_tokens": 3, "output_mode": "one_hot"}"#, [[4, 2]],
      "output_mode=one_hot takes one index"),
    .init(
      "SpectralNormalization", #"{"layer": {"class_name": "ReLU", "config": {"name": "r"}}}"#,
      [[3]],
      "wraps a layer of the class ReLU, which has no kernel to normalize"),
    .init("Softmax", #"{"axis": []}"#, [[3]], "axis="),
    .init("UpSampling2D", #"{"size": [0, 2]}"#, [[4, 4, 3]], "must be at least 1"),
    .init(
      "MultiHeadAttention", #"{"num_heads": 1, "key_dim": 2, "attention_axes": [9]}"#,
      [[4, 3], [4, 3]], "and the query is float32 [batch, 4, 3]"),
    .init(
      "GRU", #"{"units": 2, "activation": {"class_name": "PReLU", "config": {"name": "p"}}}"#,
      [[4, 3]], "which is not supported inside a cell"),
    .init(
      "CategoryEncoding", #"{"num_tokens": 3, "output_mode": "multi_hot"}"#, [[2, 2, 2]],
      "along one axis"),
  ]

  static let functions: [KerasRefusal] = [
    .init(
      "tf.nn.local_response_normalization", #"{"depth_radius": -1}"#, [[4, 4, 2]],
      "depth_radius=-1, expected at least 0"),
    .init("tf.nn.local_response_normalization", "{}", [[4]], "takes images and has"),
    .init(
      "tf.image.crop_to_bounding_box",
      #"{"offset_height": 3, "offset_width": 0, "target_height": 4, "target_width": 1}"#,
      [[4, 4, 2]], "takes 4 elements from 3 on of 4"),
    .init(
      "tf.gather", #"{"indices": [0], "batch_dims": 1, "axis": 0}"#, [[4]],
      "batch_dims=1 and axis=0, expected batch_dims from 0 to axis"),
    .init("TopK", #"{"k": -1}"#, [[4]], "k=-1, expected at least 0"),
    .init("tf.one_hot", #"{"depth": -1}"#, [[4]], "has -1 classes, expected at least 0"),
    .init("Rot90", #"{"axes": [1]}"#, [[4, 4]], "axes=[1], expected two"),
    .init("Rot90", #"{"axes": [1, 1]}"#, [[4, 4]], "expected two different ones"),
    .init(
      "Split", #"{"indices_or_sections": 3, "axis": 1}"#, [[4]],
      "cuts axis 1 of float32 [batch, 4] into 3 parts"),
    .init(
      "tf.split", #"{"num_or_size_splits": 3, "axis": 1}"#, [[4]],
      "into 3 parts, which must be equal"),
    .init("Transpose", #"{"axes": [0, 0, 1]}"#, [[4, 3]], "is not an order of the axes of"),
    .init("ExpandDims", #"{"axis": 9}"#, [[4]], "axis=[9], and there will be 3 axes"),
    .init("Tensordot", #"{"axes": 9}"#, [[4], [4]], "expected at most the axes of each"),
    .init("Norm", #"{"ord": 3, "axis": [1, 2]}"#, [[4, 3]], "ord=3 of matrices is not supported"),
    .init("Quantile", #"{"q": []}"#, [[4]], "q=[], expected one number or up to 1024"),
    .init("Diff", #"{"n": 65}"#, [[4]], "n=65, expected 1 to 64"),
    .init("Roll", #"{"shift": 5}"#, [[4]], "rolls all elements of float32 [batch, 4] by [5]"),
    .init("Cross", "{}", [[4], [4]], "takes vectors that do not have 3 elements"),
    .init("Repeat", #"{"repeats": -1, "axis": 1}"#, [[4]], "expected at least 0"),
    .init("BroadcastTo", #"{"shape": [3]}"#, [[4, 3]], "has more axes than it is repeated to"),
    .init("tf.sequence_mask", "{}", [[]], "takes whole numbers"),
    .init("tf.image.adjust_hue", #"{"delta": 3}"#, [[4, 4, 3]], "delta=3.0, expected -1 to 1"),
    .init("tf.image.adjust_hue", #"{"delta": 0.5}"#, [[4, 4, 2]], "channels"),
    .init("tf.image.grayscale_to_rgb", "{}", [[4, 4, 3]], "takes images of one channel and has"),
    .init("DotProductAttention", "{}", [[4, 3], [4, 3], [4, 3]], "takes four axes, not"),
    .init(
      "MaxPool", #"{"pool_size": [1, 2, 3]}"#, [[4, 4, 3]],
      "expected a number for each of 2 spatial axes"),
    .init("tf.signal.frame", #"{"frame_length": 9, "frame_step": 1}"#, [[4]], "frames of 9"),
    .init("tf.linalg.diag", #"{"k": 5000}"#, [[4]], "at most 4096 rows"),
    .init("tf.linalg.diag", #"{"padding_value": 1}"#, [[4]], "padding_value is not 0"),
    .init("Flip", #"{"axis": [1, 1]}"#, [[4]], "different axes are expected"),
    .init("tf.keras.backend.repeat", #"{"n": 2}"#, [[4, 3]], "and two axes are expected"),
    .init("tf.nn.l2_normalize", #"{"axis": []}"#, [[4]], "normalizes along no axis"),
    .init("Linspace", #"{"num": 0, "axis": 0}"#, [[4], [4]], "num=0, expected 1 to 2^20"),
    .init("Reshape", #"{"newshape": [-2, 4]}"#, [[4]], "-2"),
    .init(
      "Resize", #"{"size": [2, 2], "crop_to_aspect_ratio": true, "pad_to_aspect_ratio": true}"#,
      [[4, 4, 3]], "both crops and pads to the aspect ratio"),
    .init(
      "tf.image.resize", #"{"size": [2, 2]}"#, [[4, 4]], "expected a batch of images and two sizes"),
    .init(
      "PadImages", #"{"top_padding": 0, "left_padding": 0, "target_height": 2, "target_width": 2}"#,
      [[4, 4, 3]], "which do not fit float32 [batch, 4, 4, 3]"),
    .init("ExtractPatches", #"{"size": [100, 100]}"#, [[200, 200, 1]], "expected at most 4096"),
    .init("RGBToHSV", "{}", [[4, 4, 2]], "takes fractions of three channels"),
    .init("tf.image.convert_image_dtype", #"{"dtype": "int8"}"#, [[4, 4, 3]], "dtype=int8 of"),
    .init("tf.saturate_cast", #"{"dtype": "int64"}"#, [[4]], "dtype=int64 of"),
    .init(
      "AdaptiveAveragePool", #"{"output_size": "x"}"#, [[4, 4, 3]],
      #"output_size="x", expected whole numbers"#),
    .init("tf.tile", #"{"multiples": [1, -1]}"#, [[4]], "expected at least 0"),
    .init(
      "tf.broadcast_to", #"{"shape": [-1, -3]}"#, [[4]], "expected at least 0, or -1 for its own"),
    .init("tf.math.polyval", #"{"coeffs": 3}"#, [[4]], "coeffs is no list of tensors"),
    .init("tf.linalg.diag", #"{"k": 0, "num_rows": 5}"#, [[4]], "num_rows"),
  ]
}
