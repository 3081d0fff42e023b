/// The known operations of TensorFlow's graph.
extension KerasGraphNode {
  /// Their translations, by name.
  static let translations: [String: Translation] = positional.merging(others) { first, _ in first }

  /// Operations whose inputs are the function's arguments in their order.
  private static let positional: [String: Translation] = [
    "Abs": "math.abs", "Acos": "math.acos", "Acosh": "math.acosh", "Add": "math.add",
    "AddV2": "math.add", "Asin": "math.asin", "Asinh": "math.asinh", "Atan": "math.atan",
    "Atan2": "math.atan2", "Atanh": "math.atanh", "Ceil": "math.ceil", "Cos": "math.cos",
    "Cosh": "math.cosh", "DivNoNan": "math.divide_no_nan", "Elu": "nn.elu", "Equal": "math.equal",
    "Div": "raw_ops.Div", "Erf": "math.erf", "Erfc": "math.erfc", "Exp": "math.exp",
    "Expm1": "math.expm1", "Floor": "math.floor",
    "FloorDiv": "math.floordiv", "FloorMod": "math.floormod", "Greater": "math.greater",
    "GreaterEqual": "math.greater_equal", "Identity": "identity", "Inv": "math.reciprocal",
    "IsFinite": "math.is_finite", "IsInf": "math.is_inf", "IsNan": "math.is_nan",
    "Less": "math.less", "LessEqual": "math.less_equal", "Log": "math.log", "Log1p": "math.log1p",
    "LogSoftmax": "nn.log_softmax", "LogicalAnd": "math.logical_and",
    "LogicalNot": "math.logical_not", "LogicalOr": "math.logical_or", "Maximum": "math.maximum",
    "Minimum": "math.minimum", "Mul": "math.multiply", "Neg": "math.negative",
    "NotEqual": "math.not_equal", "OnesLike": "ones_like", "Pow": "math.pow",
    "RealDiv": "raw_ops.Div", "Reciprocal": "math.reciprocal", "Relu": "nn.relu",
    "Relu6": "nn.relu6", "Rint": "math.round", "Round": "math.round", "Rsqrt": "math.rsqrt",
    "Select": "where", "SelectV2": "where", "Selu": "nn.selu", "Sigmoid": "math.sigmoid",
    "Sign": "math.sign", "Sin": "math.sin", "Sinh": "math.sinh", "Softmax": "nn.softmax",
    "Softplus": "math.softplus", "Softsign": "nn.softsign", "Sqrt": "math.sqrt",
    "Square": "math.square", "SquaredDifference": "math.squared_difference",
    "StopGradient": "stop_gradient", "Sub": "math.subtract", "Tan": "math.tan",
    "Tanh": "math.tanh", "TruncateDiv": "truncatediv", "TruncateMod": "truncatemod",
    "Xdivy": "math.xdivy", "Xlog1py": "math.xlog1py", "Xlogy": "math.xlogy",
    "MulNoNan": "math.multiply_no_nan", "L2Loss": "nn.l2_loss", "Rank": "rank", "Slice": "slice",
    "ZerosLike": "zeros_like",
    "AdjustContrastv2": "image.adjust_contrast", "AdjustHue": "image.adjust_hue",
    "AdjustSaturation": "image.adjust_saturation", "BitwiseAnd": "bitwise.bitwise_and",
    "BitwiseOr": "bitwise.bitwise_or", "BitwiseXor": "bitwise.bitwise_xor",
    "Cross": "linalg.cross", "GuaranteeConst": "identity", "HSVToRGB": "image.hsv_to_rgb",
    "Invert": "bitwise.invert", "LeftShift": "bitwise.left_shift",
    "MatrixDiag": "linalg.diag", "MatrixDiagPart": "linalg.diag_part",
    "RGBToHSV": "image.rgb_to_hsv", "RightShift": "bitwise.right_shift",
  ].mapValues { Translation(function: $0) }

  private static let others: [String: Translation] = [
    "AddN": Translation(function: "math.add_n", isList: true),
    "All": reduction("math.reduce_all"), "Any": reduction("math.reduce_any"),
    "ArgMax": position("math.argmax"), "ArgMin": position("math.argmin"),
    "AvgPool": pooling("nn.avg_pool"), "AvgPool3D": pooling("nn.avg_pool3d"),
    "BatchMatMul": product("adj_x", "adj_y"), "BatchMatMulV2": product("adj_x", "adj_y"),
    "BiasAdd": Translation(
      function: "nn.bias_add", arguments: [nil, "bias"],
      attributes: ["data_format": "data_format"]),
    "BroadcastTo": Translation(function: "broadcast_to", arguments: [nil, "shape"]),
    "Cast": Translation(function: "cast", attributes: ["DstT": "dtype"]),
    "ClipByValue": Translation(
      function: "clip_by_value", arguments: [nil, "clip_value_min", "clip_value_max"]),
    "ConcatV2": Translation(function: "concat", arguments: ["axis"], isList: true),
    "Conv2D": convolution("nn.conv2d"), "Conv3D": convolution("nn.conv3d"),
    "Conv2DBackpropInput": Translation(
      function: "nn.conv2d_transpose", arguments: ["output_shape", "filters"],
      attributes: ["strides": "strides", "padding": "padding", "data_format": "data_format"]),
    "Cumprod": Translation(
      function: "math.cumprod", arguments: [nil, "axis"],
      attributes: ["exclusive": "exclusive", "reverse": "reverse"]),
    "Cumsum": Translation(
      function: "math.cumsum", arguments: [nil, "axis"],
      attributes: ["exclusive": "exclusive", "reverse": "reverse"]),
    "DepthToSpace": blocks("nn.depth_to_space"),
    "DepthwiseConv2dNative": convolution("nn.depthwise_conv2d"),
    "Einsum": Translation(function: "raw_ops.Einsum", attributes: ["equation": "equation"]),
    "EuclideanNorm": reduction("math.reduce_euclidean_norm"),
    "ExtractImagePatches": Translation(
      function: "image.extract_patches",
      attributes: [
        "ksizes": "sizes", "strides": "strides", "rates": "rates", "padding": "padding",
      ]),
    "Fill": Translation(
      function: "fill", arguments: [nil, "value"], attributes: ["T": "dtype"]),
    "GatherNd": Translation(function: "gather_nd"),
    "MatrixBandPart": Translation(
      function: "linalg.band_part", arguments: [nil, "num_lower", "num_upper"]),
    "MatrixDiagPartV3": Translation(
      function: "linalg.diag_part", arguments: [nil, "k", "padding_value"]),
    "MatrixDiagV3": Translation(
      function: "linalg.diag", arguments: [nil, "k", "num_rows", "num_cols", "padding_value"]),
    "OneHot": Translation(
      function: "one_hot", arguments: [nil, "depth", "on_value", "off_value"],
      attributes: ["axis": "axis", "T": "dtype"]),
    "Range": Translation(function: "range", attributes: ["Tidx": "dtype"]),
    "Roll": Translation(function: "roll", arguments: [nil, nil, "axis"]),
    "Size": Translation(function: "size", attributes: ["out_type": "out_type"]),
    "ExpandDims": Translation(function: "expand_dims", arguments: [nil, "axis"]),
    "GatherV2": Translation(
      function: "gather", arguments: [nil, "indices", "axis"],
      attributes: ["batch_dims": "batch_dims"]),
    "LRN": Translation(
      function: "nn.local_response_normalization",
      attributes: [
        "depth_radius": "depth_radius", "bias": "bias", "alpha": "alpha", "beta": "beta",
      ]),
    "LeakyRelu": Translation(function: "nn.leaky_relu", attributes: ["alpha": "alpha"]),
    "MatMul": product("transpose_a", "transpose_b"),
    "Max": reduction("math.reduce_max"), "MaxPool": pooling("nn.max_pool"),
    "MaxPool3D": pooling("nn.max_pool3d"),
    "Mean": reduction("math.reduce_mean"),
    "Min": reduction("math.reduce_min"),
    "MirrorPad": Translation(
      function: "pad", arguments: [nil, "paddings"], attributes: ["mode": "mode"]),
    "Pack": Translation(function: "stack", attributes: ["axis": "axis"], isList: true),
    "Pad": Translation(function: "pad", arguments: [nil, "paddings"]),
    "PadV2": Translation(function: "pad", arguments: [nil, "paddings", "constant_values"]),
    "Prod": reduction("math.reduce_prod"),
    "Reshape": Translation(function: "reshape", arguments: [nil, "shape"]),
    "ResizeBicubic": resizing("raw_ops.ResizeBicubic"),
    "ResizeBilinear": resizing("raw_ops.ResizeBilinear"),
    "ResizeNearestNeighbor": resizing("raw_ops.ResizeNearestNeighbor"),
    "ReverseV2": Translation(function: "reverse", arguments: [nil, "axis"]),
    "Shape": Translation(function: "shape", attributes: ["out_type": "out_type"]),
    "SparseMatMul": product("transpose_a", "transpose_b"),
    "SpaceToDepth": blocks("nn.space_to_depth"),
    "Split": Translation(
      function: "split", arguments: ["axis"], attributes: ["num_split": "num_or_size_splits"]),
    "SplitV": Translation(function: "split", arguments: [nil, "num_or_size_splits", "axis"]),
    "Squeeze": Translation(function: "squeeze", attributes: ["squeeze_dims": "axis"]),
    "StridedSlice": Translation(function: "__operators__.getitem"),
    "Sum": reduction("math.reduce_sum"),
    "Tile": Translation(function: "tile", arguments: [nil, "multiples"]),
    "TopKV2": Translation(function: "math.top_k", arguments: [nil, "k"]),
    "Transpose": Translation(function: "transpose", arguments: [nil, "perm"]),
    "Unpack": Translation(function: "unstack", attributes: ["axis": "axis", "num": "num"]),
  ]

  private static func reduction(_ function: String) -> Translation {
    Translation(
      function: function, arguments: [nil, "axis"], attributes: ["keep_dims": "keepdims"])
  }

  private static func position(_ function: String) -> Translation {
    Translation(
      function: function, arguments: [nil, "axis"], attributes: ["output_type": "output_type"])
  }

  private static func product(_ first: String, _ second: String) -> Translation {
    Translation(
      function: "linalg.matmul", attributes: [first: "transpose_a", second: "transpose_b"])
  }

  private static func blocks(_ function: String) -> Translation {
    Translation(
      function: function,
      attributes: ["block_size": "block_size", "data_format": "data_format"])
  }

  private static func pooling(_ function: String) -> Translation {
    Translation(
      function: function,
      attributes: [
        "ksize": "ksize", "strides": "strides", "padding": "padding",
        "data_format": "data_format",
      ])
  }

  private static func resizing(_ function: String) -> Translation {
    Translation(
      function: function, arguments: [nil, "size"],
      attributes: [
        "align_corners": "align_corners", "half_pixel_centers": "half_pixel_centers",
      ])
  }

  private static func convolution(_ function: String) -> Translation {
    Translation(
      function: function, arguments: [nil, "filter"],
      attributes: [
        "strides": "strides", "padding": "padding", "dilations": "dilations",
        "data_format": "data_format",
      ])
  }
}
