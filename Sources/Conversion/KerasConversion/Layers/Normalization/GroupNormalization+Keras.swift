import Bytes
import GraphIR
import LayerCatalog

extension GroupNormalization {
  /// Keras: `GroupNormalization(groups=32, axis=-1, epsilon=1e-3)`; groups of -1 stand for one
  /// channel a group.
  static let keras = KerasMapping(layers: [
    "GroupNormalization": { (layer, inputs) throws(WeighbridgeError) in
      try add(&layer, inputs)
    }
  ])

  private static func add(
    _ layer: inout KerasLayer, _ inputs: [ValueID]
  ) throws(WeighbridgeError) -> [ValueID] {
    let type = layer.graph.type(of: try layer.onlyInput(inputs))
    let axis = try KerasLayer.axis(try layer.integer("axis", default: -1), of: type)
    let channels = try layer.dimensions([axis], of: type)
    let written = try layer.integer("groups", default: 32)
    let groups = written == -1 ? channels[0] : written
    guard axis >= 1, groups >= 1, channels[0] % groups == 0 else {
      throw WeighbridgeError(
        .malformed, "\(channels[0]) channels along axis \(axis) in groups=\(written)")
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
}
