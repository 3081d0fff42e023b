import Bytes
import GraphIR
import LayerCatalog

/// Names that TensorFlow 1 had for functions.
extension KerasFunctionTable {
  /// The names and those of the functions that compute the same.
  static let olderNames: [String: String] = [
    "batch_matmul": "linalg.matmul", "ceil": "math.ceil", "cumprod": "math.cumprod",
    "depth_to_space": "nn.depth_to_space", "div_no_nan": "math.divide_no_nan",
    "erf": "math.erf", "expm1": "math.expm1", "is_finite": "math.is_finite",
    "is_inf": "math.is_inf", "is_nan": "math.is_nan", "log": "math.log", "log1p": "math.log1p",
    "log_sigmoid": "math.log_sigmoid", "logical_xor": "math.logical_xor",
    "matrix_band_part": "linalg.band_part", "matrix_transpose": "linalg.matrix_transpose",
    "mod": "math.floormod", "mul": "math.multiply", "neg": "math.negative",
    "nn.lrn": "nn.local_response_normalization", "realdiv": "math.truediv",
    "reciprocal": "math.reciprocal", "reverse_v2": "reverse", "rint": "math.rint",
    "rsqrt": "math.rsqrt", "space_to_depth": "nn.space_to_depth",
    "squared_difference": "math.squared_difference", "sub": "math.subtract",
  ]

  static let older: [Entry] = [
    // Python 2's division: of integers, the quotient rounded down.
    Entry(tf: ["div", "math.div"]) { (call) throws(WeighbridgeError) in
      let values = try call.unified(try call.pair(), sharesRank: true)
      let isFloat = call.type(of: values[0]).elementType.isFloat
      return try call.add(BinaryMath(isFloat ? .divide : .floorDivide), values)
    }
  ]
}
