import Bytes
import GraphIR
import LayerCatalog

/// Activation layers that only Keras 1 has, made of other operators.
enum Keras1Activations {
  /// `ParametricSoftplus`: alpha · ln(1 + e^(beta · x)).
  static let parametricSoftplus: KerasMapping.Build = {
    (layer, inputs) throws(WeighbridgeError) in
    let type = try layer.typedInput(inputs).type
    let alphas = try layer.sharedWeight("alphas", of: type)
    let betas = try layer.sharedWeight("betas", of: type)
    let scaled = try layer.add(Multiply(), inputs + [betas], role: "scaled")
    let softplus = try layer.add(Softplus(), scaled, role: "softplus")
    return try layer.add(Multiply(), softplus + [alphas])
  }

  /// `SReLU` (Jin et al. 2015): the identity between two thresholds, with slopes of its own on both
  /// sides. The right threshold lies |t_right| behind the left one.
  static let sReLU: KerasMapping.Build = { (layer, inputs) throws(WeighbridgeError) in
    let type = try layer.typedInput(inputs).type
    let left = try layer.sharedWeight("t_left", of: type)
    let leftSlope = try layer.sharedWeight("a_left", of: type)
    let rightShift = try layer.sharedWeight("t_right", of: type)
    let rightSlope = try layer.sharedWeight("a_right", of: type)
    let rectifier = ReLU(slope: 0, threshold: 0, maximum: nil)
    let width = try layer.add(
      ReLU(slope: -1, threshold: 0, maximum: nil), [rightShift], role: "width")
    let right = try layer.add(Add(), [left] + width, role: "right_threshold")
    // What lies above, below and beyond.
    let above = try layer.add(Subtract(), inputs + [left], role: "above_left")
    let center = try layer.add(
      Minimum(), layer.add(rectifier, above, role: "center_open") + width, role: "center")
    let below = try layer.add(Subtract(), [left] + inputs, role: "below_left")
    let negative = try layer.add(
      Multiply(), layer.add(rectifier, below, role: "left_open") + [leftSlope], role: "left")
    let beyond = try layer.add(Subtract(), inputs + right, role: "above_right")
    let positive = try layer.add(
      Multiply(), layer.add(rectifier, beyond, role: "right_open") + [rightSlope], role: "right")
    let inner = try layer.add(Subtract(), center + negative, role: "inner")
    return try layer.add(Add(), [left] + inner + positive)
  }
}
