import Bytes
import GraphIR
import LayerCatalog

extension LayerNormalization {
  /// Keras: `LayerNormalization(axis=-1, epsilon=1e-3)`, where `axis` may be a list. With
  /// `rms_scaling` (Keras 3) it is ``RMSNormalization``.
  static let keras = KerasMapping(layers: [
    "LayerNormalization": { (layer, inputs) throws(WeighbridgeError) in
      let type = layer.graph.type(of: try layer.onlyInput(inputs))
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
  ])
}

extension KerasLayer {
  /// Axes as Keras writes them, one or a list, counted from either end; -1 when nothing is written.
  /// They stand in the order in which they are written.
  ///
  /// - Throws: ``WeighbridgeError/Code/malformed`` when `type` has no such axis, or one stands
  ///   twice.
  mutating func axes(_ key: String, of type: TensorType) throws(WeighbridgeError) -> [Int] {
    let written = try integerList(key, default: [-1])
    var axes: [Int] = []
    for axis in written { axes.append(try Self.axis(axis, of: type)) }
    guard !axes.isEmpty, Set(axes).count == axes.count else {
      throw WeighbridgeError(.malformed, "\(key)=\(written), and different axes are expected")
    }
    return axes
  }

  /// The sizes along some axes.
  ///
  /// - Throws: ``WeighbridgeError/Code/malformed`` when one is not known.
  func dimensions(_ axes: [Int], of type: TensorType) throws(WeighbridgeError) -> [Int] {
    let dimensions = axes.compactMap { type.shape[$0].value }
    guard dimensions.count == axes.count else {
      throw WeighbridgeError(
        .malformed, "the sizes along the axes \(axes) of its input \(type) are not known")
    }
    return dimensions
  }
}
