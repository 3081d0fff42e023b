import JSON
import KerasFormat

/// The parameters of a function in their order, as its framework declares them: first the tensors,
/// then the settings.
///
/// A call in Python may give any of them by position. In a mapping and in a call's operands, the
/// tensors are positional and the settings have names.
struct KerasFunctionSignature: Sendable {
  struct Parameter: Sendable {
    /// The framework's name.
    let name: String
    /// The name by which ``KerasFunctionTable`` reads it.
    let readName: String
    /// The function's own default, where the table has none or another one.
    let defaultValue: JSONValue?
  }

  /// The parameters that are tensors, or may be.
  let tensors: [String]
  /// The tensors that are settings unless they contain one, such as the shape of a reshape.
  let optionalTensors: Set<String>
  let settings: [Parameter]

  /// Reads `x y | axis=-1 pattern:perm`: after the bar the settings, with the name by which they are
  /// read after a colon, and the default after `=`. A tensor that may be a setting ends in `?`.
  init(_ text: String) {
    let sides = text.split(separator: "|", omittingEmptySubsequences: false)
    let written = sides[0].split(separator: " ").map(String.init)
    tensors = written.map { $0.hasSuffix("?") ? String($0.dropLast()) : $0 }
    optionalTensors = Set(written.filter { $0.hasSuffix("?") }.map { String($0.dropLast()) })
    settings = (sides.count > 1 ? sides[1] : "").split(separator: " ").map { text in
      let parts = text.split(separator: "=", maxSplits: 1)
      let names = parts[0].split(separator: ":").map(String.init)
      let json = parts.count > 1 ? try? JSONValue(parsing: Array(parts[1].utf8)) : nil
      return Parameter(
        name: names[0], readName: names.last ?? names[0], defaultValue: json)
    }
  }

  /// The signature of a function; one tensor and no settings where none is listed.
  static func of(_ name: KerasFunctionName) -> KerasFunctionSignature {
    switch name {
    case .operation(let text): return all["ops.\(text)"] ?? oneTensor
    case .tensorFlow(let text):
      let name = KerasFunctionTable.unversioned(text)
      return ofTensorFlow(name) ?? KerasFunctionTable.olderNames[name].flatMap(ofTensorFlow)
        ?? oneTensor
    case .graphNode: return oneTensor
    }
  }

  private static func ofTensorFlow(_ name: String) -> KerasFunctionSignature? {
    for prefix in ["math.", "nn.", "linalg."] where name.hasPrefix(prefix) {
      return all[String(name.dropFirst(prefix.count))]
    }
    return all[name]
  }

  private static let oneTensor = KerasFunctionSignature("x")

  private static let all: [String: KerasFunctionSignature] = {
    var result: [String: KerasFunctionSignature] = [:]
    for (names, text) in tensorFlow {
      for name in names.split(separator: " ") { result[String(name)] = .init(text) }
    }
    for (names, text) in operations {
      for name in names.split(separator: " ") { result["ops.\(name)"] = .init(text) }
    }
    for (name, function) in KerasBackendFunctions.all {
      result["keras.backend.\(name)"] = .init(function.signature)
    }
    return result
  }()

  /// TensorFlow's functions, as far as the parameters of TensorFlow 1 and 2 have the same order.
  private static let tensorFlow: [(String, String)] = [
    (
      "__operators__.add add subtract multiply divide truediv div floordiv floor_div floormod mod "
        + "truncatemod pow maximum minimum squared_difference equal not_equal less less_equal greater "
        + "greater_equal logical_and logical_or logical_xor divide_no_nan bitwise_and bitwise_or "
        + "bitwise_xor left_shift right_shift", "x y"
    ),
    ("atan2", "y x"), ("add_n", "inputs"), ("argmax argmin", "input | axis"),
    ("argsort", "values | axis direction stable"), ("sort", "values | axis direction"),
    ("bias_add", "value bias | data_format"), ("band_part", "input | num_lower num_upper"),
    ("broadcast_to", "input shape?"), ("cast", "x | dtype"), ("convert_to_tensor", "value | dtype"),
    ("clip_by_value", "t | clip_value_min clip_value_max"), ("concat", "values | axis"),
    ("cumsum cumprod", "x | axis exclusive reverse"), ("expand_dims squeeze", "input | axis"),
    ("ensure_shape", "x | shape"), ("fill", "| dims value"), ("ones zeros", "| shape dtype"),
    ("gather", "params indices | validate_indices"), ("gelu", "features | approximate"),
    ("range", "| start limit delta dtype"), ("silu swish", "features | beta"),
    ("image.central_crop", "image | central_fraction"),
    (
      "image.crop_to_bounding_box",
      "image | offset_height offset_width target_height target_width"
    ),
    ("image.resize", "images | size method preserve_aspect_ratio antialias"),
    ("image.resize_images", "images | size method align_corners preserve_aspect_ratio"),
    (
      "image.resize_bilinear image.resize_nearest_neighbor image.resize_bicubic image.resize_area",
      "images | size align_corners half_pixel_centers"
    ),
    ("leaky_relu", "features | alpha"), ("l2_normalize", "x | axis epsilon"),
    ("local_response_normalization", "input | depth_radius bias alpha beta"),
    ("softmax log_softmax", "logits | axis"),
    ("matmul", "a b | transpose_a transpose_b adjoint_a adjoint_b"),
    ("moments", "x | axes"), ("norm", "tensor | ord axis keepdims"), ("tensordot", "a b | axes"),
    ("one_hot", "indices | depth on_value off_value axis dtype"),
    ("ones_like zeros_like", "tensor | dtype"), ("pad", "tensor | paddings mode"),
    (
      "reduce_sum reduce_mean reduce_max reduce_min reduce_prod reduce_any reduce_all reduce_std "
        + "reduce_variance reduce_logsumexp reduce_euclidean_norm", "input_tensor | axis keepdims"
    ),
    ("repeat", "input | repeats axis"), ("reshape", "tensor shape?"), ("reverse", "tensor | axis"),
    ("roll", "input | shift axis"), ("slice", "input_ | begin size"),
    ("space_to_depth depth_to_space", "input | block_size"),
    ("split", "value | num_or_size_splits axis num"), ("stack", "values | axis"),
    ("unstack", "value | num axis"), ("tile", "input | multiples"), ("transpose", "a | perm"),
    ("top_k", "input | k sorted"), ("where", "condition x y"),
    (
      "avg_pool max_pool avg_pool2d max_pool2d avg_pool1d max_pool1d avg_pool3d max_pool3d",
      "input | ksize strides padding data_format"
    ), ("conv1d", "input filters | stride padding"),
    ("conv2d conv3d convolution", "input filters | strides padding"),
    ("depthwise_conv2d", "input filter | strides padding"),
  ]

  /// The operations of Keras 3.
  private static let operations: [(String, String)] = [
    (
      "Add Subtract Multiply Divide TrueDivide FloorDivide Mod Fmod Power Maximum Minimum Equal NotEqual "
        + "Less LessEqual Greater GreaterEqual LogicalAnd LogicalOr LogicalXor Arctan2 Hypot Logaddexp "
        + "Matmul Dot DivideNoNan", "x1 x2"
    ),
    (
      "BitwiseAnd BitwiseOr BitwiseXor BitwiseLeftShift BitwiseRightShift CDist LeftShift RightShift",
      "x y"
    ),
    ("Append", "x1 x2 | axis"), ("Tensordot", "x1 x2 | axes=2"), ("Where", "condition x1 x2"),
    ("Take TakeAlongAxis", "x indices | axis"),
    (
      "Sum Mean Max Amax Min Amin Prod Any All Var Std Logsumexp Argmax Argmin",
      "x | axis keepdims"
    ),
    ("Sort Argsort Softmax LogSoftmax Sparsemax Glu", "x | axis=-1"),
    ("Cumsum Cumprod Squeeze ExpandDims Flip", "x | axis"), ("Norm", "x | ord axis keepdims"),
    ("Normalize", "x | axis=-1 order epsilon"), ("Concatenate", "xs | axis=0"),
    ("Stack", "x | axis=0"), ("Hstack Vstack", "xs"), ("Unstack", "x | num axis=0"),
    ("Split", "x | indices_or_sections axis=0"), ("Reshape", "x newshape?"),
    ("Transpose", "x | axes"), ("Swapaxes", "x | axis1 axis2"),
    ("Moveaxis", "x | source destination"), ("BroadcastTo", "x shape?"),
    ("Pad", "x | pad_width mode constant_values"), ("Tile", "x | repeats"),
    ("Repeat", "x | repeats axis"), ("Roll", "x | shift axis"), ("Diff", "a | n axis=-1"),
    ("Clip", "x | x_min x_max"), ("Cast Array OnesLike ZerosLike", "x | dtype"),
    ("FullLike", "x | fill_value dtype"), ("OneHot", "x | num_classes axis dtype"),
    ("TopK", "x | k sorted"), ("Moments", "x | axes keepdims"), ("Tril Triu", "x | k"),
    ("Slice", "inputs | start_indices shape"), ("Round", "x | decimals"),
    ("SpaceToDepth DepthToSpace", "x | block_size data_format"),
    ("Resize", "images | size interpolation antialias"), ("LeakyRelu", "x | negative_slope"),
    ("Elu Celu", "x | alpha"), ("Gelu", "x | approximate"),
    ("HardShrink SoftShrink", "x | threshold"), ("Threshold", "x | threshold default_value"),
    (
      "MaxPool AveragePool", "inputs | pool_size strides padding data_format"
    ), ("GetItem", "x | key"),
  ]
}
