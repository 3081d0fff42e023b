import Bytes
import ConversionCore
import GraphIR
import LayerCatalog
import ONNXFormat

extension ONNXNodes {
  /// Functions of single elements, and softmax.
  static let activations: [String: ONNXLayer.Build] = [
    "Celu": plain("alpha", default: 1) { CELU(alpha: $0) },
    "Dropout": { (layer) throws(WeighbridgeError) in
      layer.ignore("ratio", "seed", "is_test")
      guard layer.node.outputs.count < 2 || layer.node.outputs[1].isEmpty else {
        throw layer.unsupported("the mask of Dropout, which is for training")
      }
      if let isTraining = try layer.constant(2), isTraining.doubles != [0] {
        throw layer.unsupported("a Dropout that is training")
      }
      return [try layer.input()]
    },
    "Elu": plain("alpha", default: 1) { ELU(alpha: $0) },
    "Gelu": { (layer) throws(WeighbridgeError) in
      let isApproximate = try layer.text("approximate", default: "none") == "tanh"
      return [try layer.apply(GELU(isApproximate: isApproximate), to: try layer.input())]
    },
    "HardSigmoid": { (layer) throws(WeighbridgeError) in
      let operation = HardSigmoid(
        slope: try layer.real("alpha", default: 0.2), offset: try layer.real("beta", default: 0.5))
      return [try layer.apply(operation, to: try layer.input())]
    },
    "HardSwish": plain { HardSwish() },
    "LeakyRelu": plain("alpha", default: 0.01) { LeakyReLU(slope: $0) },
    "LogSoftmax": { (layer) throws(WeighbridgeError) in
      try layer.softmax { LogSoftmax(axes: $0) }
    },
    "Mish": plain { Mish() },
    "PRelu": { (layer) throws(WeighbridgeError) in
      let (input, slope) = (try layer.input(0), try layer.input(1))
      let rank = layer.type(input).rank
      let slopes = layer.type(slope)
      guard slopes.rank < rank || (slopes.rank == rank && slopes.shape.first == 1) else {
        throw layer.unsupported("slopes \(slopes) for each image of a batch")
      }
      let alpha = try layer.derived(slope, "") { tensor in
        let dimensions = tensor.shape.count >= rank ? tensor.shape.dropFirst() : tensor.shape[...]
        return tensor.reshaped(
          [Int](repeating: 1, count: max(0, rank - 1 - dimensions.count)) + dimensions)
      }
      return try layer.apply(PReLU(), [input, alpha])
    },
    "Relu": plain { ReLU(slope: 0, threshold: 0, maximum: nil) },
    "Selu": { (layer) throws(WeighbridgeError) in
      let alpha = try layer.real("alpha", default: SELU.alpha)
      let scale = try layer.real("gamma", default: SELU.scale)
      guard Float(alpha) == Float(SELU.alpha), Float(scale) == Float(SELU.scale) else {
        throw layer.unsupported("a Selu of alpha \(alpha) and gamma \(scale)")
      }
      return [try layer.apply(SELU(), to: try layer.input())]
    },
    "Shrink": { (layer) throws(WeighbridgeError) in
      let threshold = try layer.real("lambd", default: 0.5)
      let bias = try layer.real("bias", default: 0)
      let input = try layer.input()
      if bias == 0 { return [try layer.apply(HardShrink(threshold: threshold), to: input)] }
      guard bias == threshold else {
        throw layer.unsupported("a Shrink of bias \(bias) and lambd \(threshold)")
      }
      return [try layer.apply(SoftShrink(threshold: threshold), to: input)]
    },
    "Sigmoid": plain { Sigmoid() },
    "Softmax": { (layer) throws(WeighbridgeError) in try layer.softmax { Softmax(axes: $0) } },
    "Softplus": plain { Softplus() },
    "Softsign": plain { Softsign() },
    "Swish": { (layer) throws(WeighbridgeError) in
      let alpha = try layer.real("alpha", default: 1)
      let input = try layer.input()
      if alpha == 1 { return [try layer.apply(Swish(), to: input)] }
      let factor = layer.number(alpha, like: input, "alpha")
      let scaled = try layer.apply(Multiply(), to: input, factor, role: "scaled")
      let gate = try layer.apply(Sigmoid(), to: scaled, role: "gate")
      return [try layer.apply(Multiply(), to: input, gate)]
    },
    "Tanh": plain { Tanh() },
    "ThresholdedRelu": plain("alpha", default: 1) { Threshold(threshold: $0, replacement: 0) },
  ]
}

extension ONNXLayer {
  /// Along one axis; before opset 13 along that and all axes behind it.
  fileprivate mutating func softmax(
    _ operation: ([Int]) -> any CatalogOperator
  ) throws(WeighbridgeError) -> [ONNXValue] {
    let input = try input()
    let axis = try axis(of: input, default: opset >= 13 ? -1 : 1)
    let axes = opset >= 13 ? [axis] : Array(axis..<type(input).rank)
    return [try apply(operation(axes), to: input)]
  }
}
