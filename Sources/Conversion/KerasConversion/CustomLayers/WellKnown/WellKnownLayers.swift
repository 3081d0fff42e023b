import Bytes
import GraphIR
import LayerCatalog

/// Third-party layers and functions that are common and unambiguous: the name, every setting and
/// every weight must be those of a single origin; otherwise they are refused like any unknown
/// layer. The interpretation is recorded as a decision.
///
/// Layers that differ between authors, or that the settings do not determine, are left to
/// `ReadOptions.customLayers`.
enum WellKnownLayers {
  /// The layers by class name, or by `package>Class` where the class is registered. (A class that
  /// is registered without a package is in Keras' package `Custom`, which is omitted.)
  static let layers: [String: KerasMapping.Build] = KerasMappings.byKind.values
    .reduce(into: others) { $0.merge($1.wellKnown) { first, _ in first } }

  private static let others: [String: KerasMapping.Build] = [
    "Addons>GELU": addonsGELU,
    "Addons>WeightNormalization": weightNormalization,
    "CastToFloat32": castToFloat32,
    "CustomScaleLayer": scaledSum,
    "FixedDropout": fixedDropout,
    "InstanceNormalization": contribNormalization,
    "L2Normalization": ssdNormalization,
    "ReflectionPadding2D": reflectionPadding,
    "Scale": channelScale,
    "TCN": temporalConvolution,
    "TokenAndPositionEmbedding": tokenAndPositionEmbedding,
    "TransformerBlock": transformerBlock,
  ]

  /// The functions by the name that a `Lambda` calls, or by the layer's name where the function is
  /// stored without a name, as in Keras 1 and 2.
  static let functions: [String: KerasMapping.Build] = [
    "space_to_depth_x2": spaceToDepth
  ]

  /// Activation functions by the names that they were registered under, with their defaults and whose
  /// they are.
  static let activations: [String: (make: KerasMapping.Activation, origin: String)] = [
    "Addons>hardshrink": ({ _, _ in HardShrink(threshold: 0.5) }, addons),
    "Addons>lisht": ({ _, _ in LiSHT() }, addons),
    "Addons>mish": ({ _, _ in Mish() }, addons),
    "Addons>softshrink": ({ _, _ in SoftShrink(threshold: 0.5) }, addons),
    "Addons>tanhshrink": ({ _, _ in TanhShrink() }, addons),
    "Mish": ({ _, _ in Mish() }, "that of digantamisra98/Mish"),
    "Swish": ({ _, _ in Swish() }, "the usual function of that name"),
  ]

  private static let addons = "TensorFlow Addons' function"

  /// The dropout of `efficientnet`: that of Keras with another default noise shape.
  private static let fixedDropout: KerasMapping.Build = {
    (layer, inputs) throws(WeighbridgeError) in
    layer.decideOnce("is read as efficientnet's dropout, which does nothing when the model runs")
    return try KerasMappings.builder(of: "Dropout")(&layer, inputs)
  }

  /// The layer of Keras' InceptionResNetV2: the first input plus the scaled second one.
  private static let scaledSum: KerasMapping.Build = { (layer, inputs) throws(WeighbridgeError) in
    guard inputs.count == 2 else {
      throw .unsupported(
        "takes \(inputs.count.counted("input")); the layer that is known takes two")
    }
    let types = inputs.map { layer.graph.type(of: $0) }
    guard types[0].rank == types[1].rank, types[0].elementType.isFloat else {
      throw .unsupported(
        "adds \(types[1]) to \(types[0]), expected floating-point numbers "
          + "of the same rank")
    }
    let scale = try layer.real("scale")
    layer.decideOnce("is read as Keras' layer of InceptionResNetV2: inputs[0] + scale * inputs[1]")
    let scaled = try layer.add(
      Rescaling(scale: [scale], offset: [0]), [inputs[1]], role: "scaled")
    return try layer.add(Add(), [inputs[0]] + scaled)
  }

  /// `ssd_keras`' L2Normalization of images (Liu et al. 2015): x / |x| along the channels, times a
  /// gamma for each channel.
  private static let ssdNormalization: KerasMapping.Build = {
    (layer, inputs) throws(WeighbridgeError) in
    let type = try layer.typedInput(inputs).type
    _ = try layer.real("gamma_init")  // absent in layers of another origin
    guard type.rank == 4, let channels = type.shape[3].value else {
      throw .unsupported("normalizes the last of four axes, whose size is known, and has \(type)")
    }
    layer.decideOnce("is read as ssd_keras' layer, channels last: x / |x| * gamma")
    let unit = try layer.add(UnitNormalization(axes: [3]), inputs, role: "unit")
    let gamma = try layer.weight("gamma", shape: [channels]) { $0.reshaped([1, 1, 1, channels]) }
    return try layer.add(Multiply(), unit + [gamma])
  }

  /// The Scale layer of the ported ResNets and DenseNets: gamma x + beta for each channel.
  private static let channelScale: KerasMapping.Build = {
    (layer, inputs) throws(WeighbridgeError) in
    let type = try layer.typedInput(inputs).type
    let axis = try KerasLayer.axis(try layer.integer("axis"), of: type)
    _ = try layer.real("momentum")  // for training; absent in layers of another origin
    let roles = ["gamma", "beta"]
    let names = layer.remainingWeights.map(\.name)
    guard names.count == 2, zip(names, roles).allSatisfy({ $0.hasSuffix($1) }) else {
      throw .unsupported(
        "has the weights \(names); the Scale layer that is known has a gamma and a beta")
    }
    layer.decideOnce("is read as the Scale layer of ported ResNets: gamma x + beta")
    let channels = try layer.dimensions([axis], of: type)
    var shape = [Int](repeating: 1, count: type.rank)
    shape[axis] = channels[0]
    let gamma = try layer.weight("gamma", shape: channels) { $0.reshaped(shape) }
    let beta = try layer.weight("beta", shape: channels) { $0.reshaped(shape) }
    let scaled = try layer.add(Multiply(), inputs + [gamma], role: "scaled")
    return try layer.add(Add(), scaled + [beta])
  }
}
