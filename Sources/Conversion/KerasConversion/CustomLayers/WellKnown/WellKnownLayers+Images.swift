import Bytes
import GraphIR
import JSON
import LayerCatalog

/// Well-known image layers that become several operators, or one that no Keras layer becomes.
extension WellKnownLayers {
  /// YAD2K's reorganization: TensorFlow's `space_to_depth` with blocks of 2 x 2, channels last.
  static let spaceToDepth: KerasMapping.Build = { (layer, inputs) throws(WeighbridgeError) in
    let input = try layer.onlyInput(inputs)
    let statedShape = layer.lambdaShape
    let shape = layer.take("output_shape")
    guard shape != nil else {
      throw .unsupported(
        "is called space_to_depth_x2 as YAD2K's, which states its output's shape, and it does not")
    }
    layer.ignore(
      "function", "function_type", "module", "output_shape_type", "output_shape_module")
    if layer.take("arguments").map({ $0 != .object([:]) }) ?? false {
      throw .unsupported(
        "has the name of YAD2K's function and has arguments, which that function does not take")
    }
    layer.decideOnce(
      "is read as YAD2K's space_to_depth_x2: TensorFlow's space_to_depth in blocks of 2 x 2")
    let outputs = try layer.add(SpaceToDepth(block: 2, layout: .channelsLast), [input])
    let type = layer.graph.type(of: outputs[0])
    let dimensions =
      [Dimension.unknown] + (statedShape ?? []).map { $0.map(Dimension.fixed) ?? .unknown }
    guard statedShape == nil || type.agrees(with: type.with(shape: dimensions)) else {
      throw .unsupported(
        "has the name of YAD2K's function, which makes \(type), and states \(dimensions)")
    }
    return outputs
  }

  /// A layer by several authors that mirrors images at their borders. They disagree on which of two
  /// different numbers applies to the rows.
  static let reflectionPadding: KerasMapping.Build = { (layer, inputs) throws(WeighbridgeError) in
    let input = try layer.onlyInput(inputs)
    try layer.require("data_format", toBe: "channels_last", because: "of unknown origin")
    let borders = try layer.borders("padding", axes: 2)
    guard Set(borders.before + borders.after).count == 1 else {
      throw .unsupported(
        "pads by \(borders.before) and \(borders.after), and authors of such layers disagree on "
          + "the order; \(APIName.customLayers) can say it")
    }
    layer.decideOnce("is read as the usual layer of that name: tf.pad with REFLECT, channels last")
    let before = [0] + borders.before + [0]
    let after = [0] + borders.after + [0]
    return try layer.add(Pad(before: before, after: after, mode: .reflect), [input])
  }

  /// keras-contrib's instance normalization: gamma (x - mean) / (standard deviation + epsilon) +
  /// beta, with the mean and the standard deviation of each image, or of each of its channels.
  /// TensorFlow Addons' layer of that name is registered, and has `groups`.
  static let contribNormalization: KerasMapping.Build = {
    (layer, inputs) throws(WeighbridgeError) in
    let (input, type) = try layer.typedInput(inputs)
    let written = layer.take("axis")
    guard written == nil || written?.integer != nil else {
      throw layer.unexpected("axis", written ?? .null, "an integer or null")
    }
    let axis = try written?.integer.map { (axis) throws(WeighbridgeError) in
      try KerasLayer.axis(axis, of: type)
    }
    let epsilon = try layer.real("epsilon")
    let (hasScale, hasCenter) = (try layer.flag("scale"), try layer.flag("center"))
    guard axis != 0, type.rank >= 2 else {
      throw .malformed(
        "normalizes along axis 0 of \(type), which is the "
          + "batch; another axis is needed")
    }
    layer.decideOnce(
      "is read as keras-contrib's layer: gamma (x - mean) / (deviation + \(epsilon)) + beta")
    let axes = (1..<type.rank).filter { $0 != axis }
    var result = try normalized(&layer, input, axes, epsilon)
    let dimensions = try axis.map { (axis) throws(WeighbridgeError) in
      try layer.dimensions([axis], of: type)
    }
    var shape = [Int](repeating: 1, count: type.rank)
    if let axis, let dimensions { shape[axis] = dimensions[0] }
    if hasScale {
      let gamma = try layer.weight("gamma", shape: dimensions ?? [1]) { $0.reshaped(shape) }
      result = try layer.add(Multiply(), result + [gamma], role: hasCenter ? "scaled" : "")
    }
    guard hasCenter else { return result }
    let beta = try layer.weight("beta", shape: dimensions ?? [1]) { $0.reshaped(shape) }
    return try layer.add(Add(), result + [beta])
  }

  private static func normalized(
    _ layer: inout KerasLayer, _ input: ValueID, _ axes: [Int], _ epsilon: Double
  ) throws(WeighbridgeError) -> [ValueID] {
    let (centered, variance) = try BatchNormalization.statistics(&layer, [input], axes)
    let deviation = try layer.add(UnaryMath(.squareRoot), variance, role: "deviation")
    let shifted = try layer.add(
      Rescaling(scale: [1], offset: [epsilon]), deviation, role: "shifted")
    return try layer.add(BinaryMath(.divide), centered + shifted, role: "normalized")
  }
}
