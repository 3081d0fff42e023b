import Bytes
import ConversionCore
import GraphIR
import JSON
import LayerCatalog

extension LayerNormalization: KerasMapped {
  /// Keras: `LayerNormalization(axis=-1, epsilon=1e-3)`, where `axis` may be a list. With
  /// `rms_scaling` (Keras 3) it is ``RMSNormalization``.
  static let keras = KerasMapping([
    KerasLayerClass("LayerNormalization", masks: .passed, casts: .all, shape: .same, normalized)
  ])
  static let kerasRow: KerasRow? = KerasRow(LayerNormalization.self) {
    (operation, builder) throws(WeighbridgeError) in
    try builder.layer(
      "LayerNormalization",
      [
        "axis": .axes(operation.axes), "epsilon": .real(operation.epsilon),
        "center": .bool(operation.hasCenter), "scale": .bool(operation.hasScale),
      ], weights: builder.scales(operation.hasScale, operation.hasCenter))
  }

  private static let normalized: KerasMapping.Build = { (layer, inputs) throws(WeighbridgeError) in
    let type = try layer.typedInput(inputs).type
    if try layer.flag("rms_scaling", default: false) {
      layer.ignore("scale", "center")  // There is a gamma and no beta, whatever they say.
      return try layer.addRMSNormalization(of: inputs, .variance, epsilon: 1e-3)
    }
    let axes = try layer.axes("axis", of: type)
    let operation = LayerNormalization(
      axes: axes.sorted(),
      epsilon: try layer.real("epsilon", default: 1e-3),
      hasScale: try layer.flag("scale", default: true),
      hasCenter: try layer.flag("center", default: true))
    var weights: [ValueID] = []
    for slot in operation.inputs.dropFirst() {
      // Keras gives the weights the axes as they are written, and then takes them as rising.
      let shape = try layer.dimensions(axes, of: type)
      let rising = try layer.dimensions(operation.axes, of: type)
      weights.append(
        try layer.weight(slot.name, shape: shape, keepsType: true) { $0.reshaped(rising) })
    }
    return try layer.add(operation, inputs + weights)
  }
}
