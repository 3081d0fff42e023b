import Bytes
import GraphIR
import KerasFormat
import LayerCatalog

/// `BatchNormalization` of Keras 1 in the modes that Keras 2 dropped: each sample separately along
/// the last axis (1), and each channel over the current batch (2). Neither uses the running mean
/// and variance.
extension BatchNormalization {
  static let keras1Modes: KerasMapping.Build = { (layer, inputs) throws(WeighbridgeError) in
    let mode = try layer.integer("mode")
    let epsilon = try layer.real("epsilon", default: 1e-3)
    layer.ignore("momentum")
    let (axis, channels) = try channels(&layer, inputs)
    let rank = layer.graph.type(of: inputs[0]).rank
    guard mode == 2 || axis == rank - 1 else {
      throw .unsupported(
        "mode=1 along an axis other than the last, which is the only one supported")
    }
    var shape = [Int](repeating: 1, count: rank)
    shape[axis] = channels
    let scaleAndOffset = try ["gamma", "beta"].map { (role) throws(WeighbridgeError) in
      try layer.weight(role, shape: [channels]) { $0.reshaped(shape) }
    }
    try layer.ignoreWeight("running_mean", shape: [channels])
    try layer.ignoreWeight("running_std", shape: [channels])
    let axes = mode == 1 ? [axis] : (0..<rank).filter { $0 != axis }
    var (centered, variance) = try statistics(&layer, inputs, axes)
    let constant = try layer.number("epsilon", epsilon, like: inputs[0])
    let addsEpsilon = Self.epsilonTargets(mode, layer.version)
    if addsEpsilon.toVariance {
      variance = try layer.add(Add(), variance + [constant], role: "variance_epsilon")
    }
    var deviation = try layer.add(UnaryMath(.squareRoot), variance, role: "deviation")
    if addsEpsilon.toDeviation {
      deviation = try layer.add(Add(), deviation + [constant], role: "deviation_epsilon")
    }
    let normalized = try layer.add(BinaryMath(.divide), centered + deviation, role: "normalized")
    let scaled = try layer.add(Multiply(), normalized + [scaleAndOffset[0]], role: "scaled")
    return try layer.add(Add(), scaled + [scaleAndOffset[1]])
  }

  /// Whether a version adds epsilon to the variance, and to the standard deviation.
  private static func epsilonTargets(
    _ mode: Int, _ version: KerasVersion
  ) -> (toVariance: Bool, toDeviation: Bool) {
    if mode == 1 { return (version >= KerasVersion(1, 0, 5), true) }
    return (true, version < KerasVersion(1, 0, 6))
  }

  /// Adds the input minus its mean along some axes, and its variance along them.
  static func statistics(
    _ layer: inout KerasLayer, _ inputs: [ValueID], _ axes: [Int]
  ) throws(WeighbridgeError) -> (centered: [ValueID], variance: [ValueID]) {
    let reduction = Reduce(.mean, axes: axes, keepDims: true)
    let mean = try layer.add(reduction, inputs, role: "mean")
    let centered = try layer.add(Subtract(), inputs + mean, role: "centered")
    let squares = try layer.add(Multiply(), centered + centered, role: "squares")
    return (centered, try layer.add(reduction, squares, role: "variance"))
  }
}
