import Bytes
import ConversionCore
import GraphIR
import LayerCatalog

extension MILActivations {
  static let nodes = [String: MILLayer.Build](families: [functions, parametric])

  private static let functions: [String: MILLayer.Build] = [
    "exp": MILOperators.unary { Exponential() }, "identity": MILOperators.unary { Identity() },
    "relu": MILOperators.unary { ReLU(slope: 0, threshold: 0, maximum: nil) },
    "relu6": MILOperators.unary { ReLU(slope: 0, threshold: 0, maximum: 6) },
    "sigmoid": MILOperators.unary { Sigmoid() }, "silu": MILOperators.unary { Swish() },
    "softplus": MILOperators.unary { Softplus() }, "softsign": MILOperators.unary { Softsign() },
    "tanh": MILOperators.unary { Tanh() },
    "gelu": { (layer) throws(WeighbridgeError) in
      let (input, mode) = (try layer.input(), try layer.text("mode", default: "EXACT"))
      switch mode {
      case "EXACT": return [try layer.apply(GELU(isApproximate: false), to: input)]
      case "TANH_APPROXIMATION": return [try layer.apply(GELU(isApproximate: true), to: input)]
      case "SIGMOID_APPROXIMATION":
        let scaled = try layer.scaling(input, by: 1.702, role: "factor")
        let gate = try layer.apply(Sigmoid(), to: scaled, role: "gate")
        return [try layer.apply(Multiply(), to: input, gate)]
      default: throw layer.malformed("has the mode \(mode), expected EXACT or an approximation")
      }
    },
    "softmax": { (layer) throws(WeighbridgeError) in
      let input = try layer.input()
      return [
        try layer.apply(Softmax(axes: [try layer.axis(of: input, default: -1)]), to: input)
      ]
    },
  ]

  private static let parametric: [String: MILLayer.Build] = [
    "clamped_relu": { (layer) throws(WeighbridgeError) in
      let (input, slope) = (try layer.input(), try layer.number("alpha", default: 1))
      let maximum = try layer.number("beta", default: 1)
      let rectified = try layer.apply(LeakyReLU(slope: slope), to: input, role: "rectified")
      return [
        try layer.apply(Minimum(), to: rectified, layer.number(maximum, like: input, "beta"))
      ]
    },
    "elu": { (layer) throws(WeighbridgeError) in
      let input = try layer.input()
      return [try layer.apply(ELU(alpha: try layer.number("alpha", default: 1)), to: input)]
    },
    "leaky_relu": { (layer) throws(WeighbridgeError) in
      let input = try layer.input()
      return [
        try layer.apply(LeakyReLU(slope: try layer.number("alpha", default: 0.01)), to: input)
      ]
    },
    "linear_activation": { (layer) throws(WeighbridgeError) in
      let input = try layer.input()
      let scaled = try layer.apply(
        Multiply(), to: input,
        layer.number(try layer.number("alpha", default: 1), like: input, "alpha"), role: "scaled")
      return [
        try layer.apply(
          Add(), to: scaled,
          layer.number(try layer.number("beta", default: 0), like: input, "beta"))
      ]
    },
    "prelu": { (layer) throws(WeighbridgeError) in
      let input = try layer.input()
      return [try layer.apply(PReLU(), to: input, try layer.channels("alpha", of: input))]
    },
    "scaled_tanh": { (layer) throws(WeighbridgeError) in
      let input = try layer.input()
      let factor = try layer.number("alpha", default: 1)
      let scaled = try layer.scaling(input, by: try layer.number("beta", default: 1), role: "beta")
      let value = try layer.apply(Tanh(), to: scaled, role: "tanh")
      return [try layer.apply(Multiply(), to: value, layer.number(factor, like: input, "alpha"))]
    },
    "sigmoid_hard": { (layer) throws(WeighbridgeError) in
      let input = try layer.input()
      let operation = HardSigmoid(
        slope: try layer.number("alpha", default: 0.2),
        offset: try layer.number("beta", default: 0.5))
      return [try layer.apply(operation, to: input)]
    },
    "softplus_parametric": { (layer) throws(WeighbridgeError) in
      let input = try layer.input()
      let factor = try layer.channels("alpha", of: input)
      let slope = try layer.channels("beta", of: input)
      let scaled = try layer.apply(
        Multiply(), try layer.aligned([input, slope]), role: "scaled")[0]
      let value = try layer.apply(Softplus(), to: scaled, role: "softplus")
      return try layer.apply(Multiply(), try layer.aligned([value, factor]))
    },
    "thresholded_relu": { (layer) throws(WeighbridgeError) in
      let input = try layer.input()
      let limit = layer.number(try layer.number("alpha", default: 1), like: input, "alpha")
      let isKept = try layer.apply(Comparison(.greaterOrEqual), to: input, limit, role: "is_kept")
      return [try layer.apply(Where(), to: isKept, input, layer.number(0, like: input, "zero"))]
    },
  ]
}

extension MILLayer {
  /// Numbers for each channel of an image, `[channels, 1...]`.
  fileprivate mutating func channels(
    _ name: String, of input: SourceValue
  ) throws(WeighbridgeError) -> SourceValue {
    let (value, rank) = (try self.input(name), type(input).rank)
    guard rank >= 3, type(value).rank == 1 else {
      throw malformed("has \(type(value)) as \(name), expected a number for each channel")
    }
    return try derived(value, "channels") {
      $0.reshaped([$0.count] + [Int](repeating: 1, count: rank - 2))
    }
  }
}
