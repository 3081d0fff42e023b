import Bytes
import ConversionCore
import GraphIR
import JSON
import LayerCatalog

extension GroupNormalization: KerasMapped {
  /// Keras: `GroupNormalization(groups=32, axis=-1, epsilon=1e-3)`; groups of -1 stand for one
  /// channel a group. TensorFlow Addons' layer of that name, and its instance normalization, which is
  /// a group for each channel, are the same; Keras took them over.
  static let keras = KerasMapping(
    [.elementwise("GroupNormalization", grouped)],
    wellKnown: [
      "Addons>GroupNormalization": addons, "Addons>InstanceNormalization": addons,
    ])
  static let kerasRow: KerasRow? = KerasRow(GroupNormalization.self) {
    (operation, builder) throws(WeighbridgeError) in
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
      throw .malformed("\(channels[0]) channels along axis \(axis) in groups=\(written)")
    }
    let operation = GroupNormalization(
      groups: groups, axis: axis, epsilon: try layer.real("epsilon", default: 1e-3),
      hasScale: try layer.flag("scale", default: true),
      hasCenter: try layer.flag("center", default: true))
    var weights: [ValueID] = []
    for slot in operation.inputs.dropFirst() {
      weights.append(try layer.weight(slot.name, shape: channels))
    }
    return try layer.add(operation, inputs + weights)
  }

  private static let addons: KerasMapping.Build = { (layer, inputs) throws(WeighbridgeError) in
    layer.decideOnce("is read as TensorFlow Addons' layer: Keras' GroupNormalization")
    return try grouped(&layer, inputs)
  }
}
