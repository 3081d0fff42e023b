import Bytes
import ConversionCore
import GraphIR
import LayerCatalog

/// Activation functions, also normalizations along an axis.
enum TensorFlowActivations {
  /// Those without settings.
  static let functions: [String: @Sendable () -> any CatalogOperator] = [
    "Elu": { ELU(alpha: 1) },
    "Relu": { ReLU(slope: 0, threshold: 0, maximum: nil) },
    "Relu6": { ReLU(slope: 0, threshold: 0, maximum: 6) },
    "Selu": { SELU() },
    "Sigmoid": { Sigmoid() },
    "Softplus": { Softplus() },
    "Softsign": { Softsign() },
    "Tanh": { Tanh() },
  ]

  static let nodes = TensorFlowOperators.Table(families: [
    functions.mapValues { TensorFlowOperators.unary($0) }, others,
  ])

  private static let others: TensorFlowOperators.Table = [
    "L2Loss": { (layer) throws(WeighbridgeError) in
      let input = try layer.input()
      let squares = try layer.apply(UnaryMath(.square), to: input, role: "squares")
      let axes = Array(0..<layer.type(input).rank)
      let sum = try layer.apply(Reduce(.sum, axes: axes, keepDims: false), to: squares, role: "sum")
      return [try layer.apply(Multiply(), to: sum, layer.number(0.5, like: sum, "half"))]
    },
    "LRN": { (layer) throws(WeighbridgeError) in
      let (input, radius) = (try layer.input(), try layer.integer("depth_radius", default: 5))
      let operation = LocalResponseNormalization(
        axis: try layer.lastAxis(input), before: radius, after: radius,
        alpha: try layer.real("alpha", default: 1), beta: try layer.real("beta", default: 0.5),
        bias: try layer.real("bias", default: 1), omitted: nil)
      return [try layer.apply(operation, to: input)]
    },
    "LeakyRelu": { (layer) throws(WeighbridgeError) in
      let slope = try layer.real("alpha", default: Double(Float(0.2)))
      return [try layer.apply(LeakyReLU(slope: slope), to: try layer.input())]
    },
    "LogSoftmax": { (layer) throws(WeighbridgeError) in
      let input = try layer.input()
      return [try layer.apply(LogSoftmax(axes: [try layer.lastAxis(input)]), to: input)]
    },
    "Prelu": { (layer) throws(WeighbridgeError) in
      [try layer.prelu(try layer.input(0), try layer.input(1))]
    },
    "Softmax": { (layer) throws(WeighbridgeError) in
      let input = try layer.input()
      return [try layer.apply(Softmax(axes: [try layer.lastAxis(input)]), to: input)]
    },
  ]
}

extension TensorFlowLayer {
  /// The last axis of a value, which must have one.
  func lastAxis(_ value: SourceValue) throws(WeighbridgeError) -> Int {
    let rank = type(value).rank
    guard rank > 0 else { throw malformed("takes a tensor with axes, and has \(type(value))") }
    return rank - 1
  }
}
