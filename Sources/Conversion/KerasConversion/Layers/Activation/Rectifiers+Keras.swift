import Bytes
import ConversionCore
import GraphIR
import JSON
import KerasFormat
import LayerCatalog

extension ELU: KerasMapped {
  /// Keras: `ELU(alpha=1)`.
  static let keras = KerasMapping([
    .elementwise("ELU") { (layer, inputs) throws(WeighbridgeError) in
      try layer.add(ELU(alpha: try layer.real("alpha", default: 1)), inputs)
    }.distributed(.inputs)
  ])
  static let kerasRow = row { (operation, builder) throws(WeighbridgeError) in
    try builder.layer("ELU", ["alpha": .real(operation.alpha)])
  }
}

extension LeakyReLU: KerasMapped {
  /// Keras: `LeakyReLU(alpha=0.3)`, in Keras 3 `LeakyReLU(negative_slope=0.3)`.
  static let keras = KerasMapping([
    .elementwise("LeakyReLU") { (layer, inputs) throws(WeighbridgeError) in
      let key = layer.version.major < 3 ? "alpha" : "negative_slope"
      let slope = try layer.real(key, default: 0.3)
      if layer.version.major < 3, slope == 0 {
        let relu = ReLU(slope: 0, threshold: 0, maximum: nil)
        return try layer.addActivation(relu, of: try layer.onlyInput(inputs), role: "")
      }
      let values = try layer.cast(inputs, to: .float32)
      return try layer.add(LeakyReLU(slope: layer.constant(slope)), values)
    }.distributed(.inputs)
  ])
  static let kerasRow = row { (operation, builder) throws(WeighbridgeError) in
    let key = builder.format == .archive ? "negative_slope" : "alpha"
    return try builder.layer("LeakyReLU", [key: .real(operation.slope)])
  }
}

extension PReLU: KerasMapped {
  /// Keras: `PReLU(shared_axes=None)`, which counts its axes from 1. Keras 1 does not write which
  /// axes are shared; along those the weight has size 1.
  static let keras = KerasMapping([
    .elementwise("PReLU") { (layer, inputs) throws(WeighbridgeError) in
      let type = try layer.typedInput(inputs).type
      let shared = try layer.integerList("shared_axes", default: [])
      guard shared.allSatisfy((1..<max(1, type.rank)).contains) else {
        throw .malformed("shared_axes=\(shared), and the input is \(type)")
      }
      var shape: [Int] = []
      for (axis, dimension) in type.shape.enumerated().dropFirst() {
        guard let count = shared.contains(axis) ? 1 : dimension.value else {
          throw .malformed("the size of axis \(axis) is not known: \(type)")
        }
        shape.append(count)
      }
      return try layer.add(PReLU(), inputs + [try layer.weight("alpha", shape: shape)])
    }.distributed(.weights),
    KerasLayerClass("PReLU (Keras 1)", masks: .passed, casts: .floats, shape: .unknown) {
      (layer, inputs) throws(WeighbridgeError) in
      let type = try layer.typedInput(inputs).type
      let alpha = try layer.sharedWeight("alpha", of: type, hasBatchAxis: false)
      return try layer.add(PReLU(), inputs + [alpha])
    },
  ])
  static let kerasRow = row { (_, builder) throws(WeighbridgeError) in
    let alpha = try builder.tensor(1)
    let shape = builder.type().shape.dropFirst()
    let sharedAxes = zip(1..., zip(alpha.shape, shape)).filter { $1.0 == 1 && $1.1 != 1 }.map(\.0)
    return try builder.layer(
      "PReLU", ["shared_axes": sharedAxes.isEmpty ? .null : .integers(sharedAxes)],
      weights: [KerasLayerWeight(name: "alpha", tensor: alpha)])
  }
}

extension ReLU: KerasMapped {
  /// Keras: `ReLU(max_value=None, negative_slope=0, threshold=0)`, `ThresholdedReLU(theta=1)`;
  /// Keras 1: `SReLU`.
  static let keras = KerasMapping([
    .elementwise("ReLU") { (layer, inputs) throws(WeighbridgeError) in
      let maximum = try layer.optionalReal("max_value")
      if let maximum, !(maximum >= 0) {
        throw .malformed("max_value=\(maximum), and it is at least 0")
      }
      let slope = try layer.real("negative_slope", default: 0)
      let threshold = try layer.real("threshold", default: 0)
      let operation = ReLU(
        slope: layer.constant(slope), threshold: threshold, maximum: maximum)
      guard threshold == 0 else { return try thresholded(&layer, operation, inputs) }
      return try layer.addRectified(operation, inputs)
    }.distributed(.inputs),
    .elementwise("ThresholdedReLU") { (layer, inputs) throws(WeighbridgeError) in
      let threshold = try layer.real("theta", default: 1)
      return try layer.masked(inputs, above: threshold)
    },
    KerasLayerClass(
      "SReLU (Keras 1)", masks: .passed, casts: .floats, shape: .unknown, Keras1Activations.sReLU),
  ])
  static let kerasRow = row { (operation, builder) throws(WeighbridgeError) in
    if let value = try builder.namedActivation(operation) { return value }
    return try builder.layer("ReLU", operation.kerasSettings)
  }

  /// Adds the part above the threshold, limited to the maximum, minus the slope times the part below.
  /// From Keras 3.15 on, what is not above the threshold is replaced by 0, also NaN; older versions
  /// multiply by 0, which gives NaN for an infinity too.
  private static func thresholded(
    _ layer: inout KerasLayer, _ operation: ReLU, _ inputs: [ValueID]
  ) throws(WeighbridgeError) -> [ValueID] {
    let role = operation.maximum == nil && operation.slope == 0 ? "" : "above"
    let (input, type) = try layer.typedInput(inputs)
    let threshold = layer.wrapping(operation.threshold, in: type.elementType)
    var value =
      layer.version >= KerasVersion(3, 15)
      ? try layer.addSelection(
        Threshold(threshold: threshold, replacement: 0), inputs, role: role)
      : try layer.masked(inputs, above: threshold, role: role)
    if let maximum = operation.maximum {
      let (role, limit) = (
        operation.slope == 0 ? "" : "limited", max(0, layer.wrapping(maximum, in: type.elementType))
      )
      value =
        type.elementType.isFloat
        ? try layer.add(Clip(minimum: 0, maximum: limit), value, role: role)
        : try layer.addSelection(ReLU(slope: 0, threshold: 0, maximum: limit), value, role: role)
    }
    guard operation.slope != 0 else { return value }
    if !type.elementType.isFloat { return try layer.addSlope(of: operation, input, to: value) }
    let below = try layer.add(
      Rescaling(scale: [-1], offset: [operation.threshold]), inputs, role: "below")
    let negative = try layer.add(
      ReLU(slope: 0, threshold: 0, maximum: nil), below, role: "negative")
    let scaled = try layer.add(
      Rescaling(scale: [operation.slope], offset: [0]), negative, role: "scaled")
    return try layer.add(Subtract(), value + scaled)
  }

  /// The settings of Keras' layer.
  var kerasSettings: JSONObject {
    [
      "max_value": maximum.map(JSONValue.real) ?? .null, "negative_slope": .real(slope),
      "threshold": .real(threshold),
    ]
  }
}

extension KerasLayer {
  /// Adds a rectifier. TensorFlow converts integers to float32 where there is a slope and no limit; otherwise
  /// Keras computes in their type, to which it converts limit and slope (Keras 3 takes slopes of that
  /// type only).
  fileprivate mutating func addRectified(
    _ operation: ReLU, _ inputs: [ValueID]
  ) throws(WeighbridgeError) -> [ValueID] {
    let (value, type) = try typedInput(inputs)
    if operation.slope != 0, operation.maximum == nil || type.elementType.isFloat {
      return try add(operation, try cast(inputs, to: .float32))
    }
    // A limit that wraps around to a negative number leaves 0.
    let limited = ReLU(
      slope: operation.slope, threshold: 0,
      maximum: operation.maximum.map { max(0, wrapping($0, in: type.elementType)) })
    return operation.slope == 0
      ? try addSelection(limited, inputs) : try addExactly(limited, of: value)
  }
}

extension Softplus: KerasMapped {
  /// Keras 1: `ParametricSoftplus`.
  static let keras = KerasMapping([
    KerasLayerClass(
      "ParametricSoftplus (Keras 1)", masks: .passed, casts: .floats, shape: .unknown,
      Keras1Activations.parametricSoftplus)
  ])
  static let kerasRow: KerasRow? = .named(Softplus.self)
}

extension KerasLayer {
  /// Adds the product of a value and whether it is above a threshold.
  fileprivate mutating func masked(
    _ inputs: [ValueID], above threshold: Double, role: String = ""
  ) throws(WeighbridgeError) -> [ValueID] {
    let type = try typedInput(inputs).type
    let bound = try constant(
      "threshold",
      Tensor(
        type.elementType, shape: type.shape.map { _ in 1 },
        [wrapping(threshold, in: type.elementType)]))
    let isAbove = try add(Comparison(.greater), inputs + [bound], role: "is_above")
    let factor = try add(Cast(to: type.elementType), isAbove, role: "factor")
    return try add(Multiply(), inputs + factor, role: role)
  }
}

/// Activation layers that only Keras 1 has, composed of other operators.
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

  /// `SReLU` (Jin et al. 2015): the identity between two thresholds, with another slope on either
  /// side. The right threshold is |t_right| above the left one.
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
    // The parts above the left threshold, below it, and above the right one.
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
