import Bytes
import ConversionCore
import GraphIR
import JSON
import KerasFormat
import LayerCatalog

extension LayerNormalization: KerasMapped {
  /// Keras: `LayerNormalization(axis=-1, epsilon=1e-3)`, where `axis` may be a list. With
  /// `rms_scaling` (Keras 3) it is ``RMSNormalization``.
  static let keras = KerasMapping([
    KerasLayerClass(
      "LayerNormalization", masks: .passed, casts: .noneSinceKeras3, shape: .same, normalized
    ).distributed(.result)
  ])
  static let kerasRow = row { (operation, builder) throws(WeighbridgeError) in
    try builder.layer(
      "LayerNormalization",
      [
        "axis": .axes(operation.axes), "epsilon": .real(operation.epsilon),
        "center": .bool(operation.hasCenter), "scale": .bool(operation.hasScale),
      ], weights: builder.scales(operation.hasScale, operation.hasCenter))
  }

  private static let normalized: KerasMapping.Build = { (layer, inputs) throws(WeighbridgeError) in
    let type = try layer.typedInput(inputs).type
    if try layer.scalesByRMS() {
      layer.ignore("scale", "center")  // There is a gamma and no beta in any case.
      let unread = layer.unreadSettings
      let axes = try layer.axes("axis", of: type).sorted()
      layer.unreadSettings = unread
      guard layer.version >= KerasVersion(3, 4) || axes == Array(type.rank - axes.count..<type.rank)
      else {
        throw .unsupported(
          "has rms_scaling over axes that are not the last, whose scale Keras "
            + "\(layer.version) aligns "
            + "with the last ones")
      }
      var input = try layer.onlyInput(inputs)
      if let type = layer.types?.compute {
        input = try layer.cast(input, to: type, role: "input_cast")
      }
      return try layer.addRMSNormalization(of: [input], .variance, epsilon: 1e-3)
    }
    let axes = try layer.axes("axis", of: type)
    let operation = LayerNormalization(
      axes: axes.sorted(),
      epsilon: try layer.real("epsilon", default: 1e-3),
      hasScale: try layer.flag("scale", default: true),
      hasCenter: try layer.flag("center", default: true))
    var weights: [ValueID] = []
    for slot in operation.inputs.dropFirst() {
      // Keras creates the weights with the axes as written, but uses them in ascending order.
      let shape = try layer.dimensions(axes, of: type)
      let sortedShape = try layer.dimensions(operation.axes, of: type)
      weights.append(
        try layer.weight(slot.name, shape: shape, keepsType: true) { $0.reshaped(sortedShape) })
    }
    let isRounded = layer.version >= KerasVersion(3, 11)
    return try layer.addRounded(
      operation, inputs, weights, roundsIntegers: isRounded, roundsFloats: isRounded,
      keepsWide: layer.version >= KerasVersion(3, 6))
  }
}

extension KerasLayer {
  /// Whether a `LayerNormalization` has `rms_scaling`. Keras 3.0 to 3.3 do not store it, but then there
  /// is a gamma and no beta in any case.
  fileprivate mutating func scalesByRMS() throws(WeighbridgeError) -> Bool {
    let isUnstored = version.major >= 3 && version < KerasVersion(3, 4)
    guard isUnstored, unreadSettings["rms_scaling"] == nil, placeholderLimit == nil else {
      return try flag("rms_scaling", default: false)
    }
    let hasScale = unreadSettings["scale"]?.bool ?? true
    let hasCenter = unreadSettings["center"]?.bool ?? true
    guard unreadWeights.count == 1 else { return false }
    if hasScale == hasCenter { return true }
    if !hasScale, Self.shortName(unreadWeights.first?.path ?? "") == "gamma" { return true }
    decideOnce("rms_scaling is taken to be false: Keras \(version) did not store it.")
    return false
  }
}

extension GroupNormalization: KerasMapped {
  /// Keras: `GroupNormalization(groups=32, axis=-1, epsilon=1e-3)`; -1 groups mean one channel per
  /// group. TensorFlow Addons' layer of that name and its instance normalization, with one group
  /// per channel, are the same; Keras adopted them.
  static let keras = KerasMapping(
    [
      KerasLayerClass(
        "GroupNormalization", masks: .passed, casts: .noneSinceKeras3, shape: .same, grouped
      ).distributed(.result)
    ],
    wellKnown: [
      "Addons>GroupNormalization": addons, "Addons>InstanceNormalization": addons,
    ])
  static let kerasRow = row { (operation, builder) throws(WeighbridgeError) in
    try builder.layer(
      "GroupNormalization",
      [
        "groups": .integer(operation.groups), "axis": .integer(operation.axis),
        "epsilon": .real(operation.epsilon), "center": .bool(operation.hasCenter),
        "scale": .bool(operation.hasScale),
      ], weights: builder.scales(operation.hasScale, operation.hasCenter))
  }

  private static let grouped: KerasMapping.Build = { (layer, inputs) throws(WeighbridgeError) in
    let type = try layer.typedInput(inputs).type
    let axis = try KerasLayer.axis(try layer.integer("axis", default: -1), of: type)
    let channels = try layer.dimensions([axis], of: type)
    let written = try layer.integer("groups", default: 32)
    let groups = written == -1 ? channels[0] : written
    guard axis >= 1, groups >= 1, channels[0] % groups == 0 else {
      throw .malformed(
        "has \(channels[0].counted("channel")) along axis \(axis), which must be a multiple of "
          + "groups=\(written)")
    }
    let operation = GroupNormalization(
      groups: groups, axis: axis, epsilon: try layer.real("epsilon", default: 1e-3),
      hasScale: try layer.flag("scale", default: true),
      hasCenter: try layer.flag("center", default: true))
    let weights = try operation.inputs.dropFirst().map { (slot) throws(WeighbridgeError) in
      try layer.weight(slot.name, shape: channels)
    }
    guard type.elementType.isFloat || layer.version >= KerasVersion(3, 8) else {
      throw .unsupported("normalizes \(type), which is known from Keras 3.8 on")
    }
    return try layer.addRounded(
      operation, inputs, weights, roundsIntegers: true,
      roundsFloats: layer.version >= KerasVersion(3, 15),
      keepsWide: layer.version >= KerasVersion(3, 15))
  }

  private static let addons: KerasMapping.Build = { (layer, inputs) throws(WeighbridgeError) in
    layer.decideOnce("is read as TensorFlow Addons' layer: Keras' GroupNormalization")
    return try grouped(&layer, inputs)
  }
}

extension RMSNormalization: KerasMapped {
  /// Keras 3: `RMSNormalization(axis=-1, epsilon=1e-6)`, where `axis` may be a list. Also
  /// `LayerNormalization(rms_scaling=True)`, which divides by the root of the variance.
  static let keras = KerasMapping([
    .plain("RMSNormalization", shape: .same) { (layer, inputs) throws(WeighbridgeError) in
      try layer.addRMSNormalization(of: inputs, .meanSquare, epsilon: 1e-6)
    }
  ])
  static let kerasRow: KerasRow? = nil
}

extension UnitNormalization: KerasMapped {
  /// Keras: `UnitNormalization(axis=-1)`, where `axis` may be a list.
  static let keras = KerasMapping([
    .elementwise("UnitNormalization") { (layer, inputs) throws(WeighbridgeError) in
      let type = try layer.typedInput(inputs).type
      let axes = try layer.axes("axis", of: type).sorted()
      let values = try layer.cast(inputs, to: layer.types?.compute ?? .float32)
      // Since Keras 3.6 the bound of 1e-12 applies to the norm, before to its square.
      let epsilon = layer.version < KerasVersion(3, 6) ? 1e-12 : 1e-24
      return try layer.add(UnitNormalization(axes: axes, epsilon: epsilon), values)
    }
  ])
  static let kerasRow = nativeRow { (operation, builder) throws(WeighbridgeError) in
    guard operation.leastSum == (builder.format == .archive ? 1e-24 : 1e-12) else { return nil }
    return try builder.layer("UnitNormalization", ["axis": .axes(operation.axes)])
  }
}

extension KerasLayer {
  /// Adds the normalization with the settings `axis` and `epsilon`. Of integers, Keras computes it in
  /// float32 and converts the result back.
  ///
  /// - Parameter epsilon: Keras' default.
  mutating func addRMSNormalization(
    of inputs: [ValueID], _ denominator: RMSNormalization.Denominator, epsilon: Double
  ) throws(WeighbridgeError) -> [ValueID] {
    let input = try onlyInput(inputs)
    let type = graph.type(of: input).elementType
    if type.isFloat { return try addRMSNormalization(of: input, denominator, epsilon, role: "") }
    try requireSigned(type)
    let value = try cast(input, to: .float32, role: "input_cast")
    let result = try addRMSNormalization(of: value, denominator, epsilon, role: "normalized")
    return try add(Cast(to: type), result)
  }

  private mutating func addRMSNormalization(
    of input: ValueID, _ denominator: RMSNormalization.Denominator, _ epsilon: Double, role: String
  ) throws(WeighbridgeError) -> [ValueID] {
    let type = graph.type(of: input)
    let axes = try axes("axis", of: type)
    let operation = RMSNormalization(
      axes: axes.sorted(), denominator: denominator,
      epsilon: try real("epsilon", default: epsilon))
    let sortedShape = try dimensions(operation.axes, of: type)
    let written = try dimensions(axes, of: type)
    let first = type.rank - axes.count
    if denominator == .variance || axes == Array(first..<type.rank) {
      // Keras creates the scale with the axes as written, but uses it in ascending order.
      let scale = try weight("scale", shape: written) { $0.reshaped(sortedShape) }
      return try add(operation, [input, scale], role: role)
    }
    // Keras aligns the scale with the last axes, whichever axes it normalizes over.
    guard zip(type.shape[first...], written).allSatisfy({ $1 == 1 || $0.value == $1 }) else {
      throw .malformed("axis=\(axes), and a scale \(written) does not fit the last axes of \(type)")
    }
    let scale = try weight("scale", shape: written) {
      $0.reshaped(Array(repeating: 1, count: first) + written)
    }
    let ones = Tensor(type.elementType, shape: sortedShape.map { _ in 1 }, [1])
      .broadcast(to: sortedShape)
    let normalized = try add(
      operation, [input, try constant("ones", ones)], role: "unscaled")
    return try add(Multiply(), normalized + [scale], role: role)
  }
}
