import Bytes
import ConversionCore
import GraphIR
import LayerCatalog
import TFLiteFormat

extension TFLiteActivations {
  static let nodes: [String: TFLiteReading] = [
    "ELU": .unary { ELU(alpha: 1) },
    "EXP": .unary { Exponential() },
    "GELU": TFLiteReading(options: 116) { (layer) throws(WeighbridgeError) in
      let operation = GELU(isApproximate: try layer.flag(0))
      return [try layer.apply(operation, to: try layer.real())]
    },
    "HARD_SWISH": .unary { HardSwish() },
    "L2_NORMALIZATION": TFLiteReading(options: 12) { (layer) throws(WeighbridgeError) in
      try layer.readActivation(0)
      let input = try layer.real()
      return [
        try layer.apply(UnitNormalization(axes: [try layer.lastAxis(input)]), to: input)
      ]
    },
    "LEAKY_RELU": TFLiteReading(options: 75) { (layer) throws(WeighbridgeError) in
      let operation = LeakyReLU(slope: try layer.float(0))
      return [try layer.apply(operation, to: try layer.real())]
    },
    "LOCAL_RESPONSE_NORMALIZATION": TFLiteReading(options: 13) {
      (layer) throws(WeighbridgeError) in
      let (input, radius) = (try layer.real(), try layer.integer(0))
      let operation = LocalResponseNormalization(
        axis: layer.type(input).rank - 1, before: radius, after: radius,
        alpha: try layer.float(2), beta: try layer.float(3), bias: try layer.float(1),
        omitted: nil)
      return [try layer.apply(operation, to: input)]
    },
    "LOGISTIC": .unary { Sigmoid() },
    "LOG_SOFTMAX": TFLiteReading { (layer) throws(WeighbridgeError) in
      let input = try layer.real()
      return [try layer.apply(LogSoftmax(axes: [try layer.lastAxis(input)]), to: input)]
    },
    "PRELU": TFLiteReading { (layer) throws(WeighbridgeError) in
      let (input, slopes) = (try layer.real(0), try layer.real(1))
      let (rank, type) = (layer.type(input).rank, layer.type(slopes))
      guard type.rank < rank || type.rank == rank && type.shape.first == 1 else {
        throw layer.unsupported(
          "has slopes \(type) for each image of a batch, and only slopes that all images share "
            + "can be read")
      }
      let alpha = try layer.derived(slopes, "") { tensor in
        let sizes = tensor.shape.count >= rank ? tensor.shape.dropFirst() : tensor.shape[...]
        return tensor.reshaped([Int](repeating: 1, count: max(0, rank - 1 - sizes.count)) + sizes)
      }
      return try layer.apply(PReLU(), [input, alpha])
    },
    "RELU": .unary { ReLU(slope: 0, threshold: 0, maximum: nil) },
    "RELU6": .unary { ReLU(slope: 0, threshold: 0, maximum: 6) },
    "RELU_0_TO_1": .unary { ReLU(slope: 0, threshold: 0, maximum: 1) },
    "RELU_N1_TO_1": .unary { Clip(minimum: -1, maximum: 1) },
    "SOFTMAX": TFLiteReading(options: 9) { (layer) throws(WeighbridgeError) in
      var input = try layer.real()
      let factor = try layer.float(0)
      if factor != 1 {
        input = try layer.apply(
          Multiply(), to: input, layer.number(factor, like: input, "beta"), role: "scaled")
      }
      return [try layer.apply(Softmax(axes: [try layer.lastAxis(input)]), to: input)]
    },
    "TANH": .unary { Tanh() },
  ]
}

extension TFLiteLayer {
  /// The last axis of a value, which must have one.
  func lastAxis(_ value: SourceValue) throws(WeighbridgeError) -> Int {
    let rank = type(value).rank
    guard rank > 0 else { throw malformed("takes a tensor with axes, and has \(type(value))") }
    return rank - 1
  }
}
