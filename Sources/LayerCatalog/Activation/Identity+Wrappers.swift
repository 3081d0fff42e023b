import Bytes
import GraphIR
import JSON

/// Wrappers of Keras that do nothing when the model runs.
extension Identity {
  /// `SpectralNormalization` (Miyato et al. 2018) divides the wrapped layer's kernel in training,
  /// and stores the quotient. Its vector u, the length of the kernel's last axis, serves the next
  /// division only.
  ///
  /// Keras writes the kernel first, as the wrapper's, then what is trained, then what is not, so
  /// where the layer is frozen the vector comes before the bias.
  static let spectralNormalization: KerasMapping.Build = {
    (layer, inputs) throws(WeighbridgeError) in
    layer.ignore("power_iterations")
    let isTrained = try layer.flag("trainable", default: true)
    let (className, settings) = try layer.unwrap()
    guard let outputs = (settings["filters"] ?? settings["units"])?.integer,
      ["Conv1D", "Conv2D", "Conv3D", "Dense"].contains(className),
      let build = Catalog.kerasLayers[className]
    else {
      throw WeighbridgeError(
        .unsupported,
        "wraps a layer of the class \(className), and only convolutions and Dense "
          + "are supported there")
    }
    let isFrozen = !isTrained || settings["trainable"] == false
    if isFrozen { try layer.ignoreWeight("vector_u", shape: [1, outputs], position: 1) }
    let result = try build(&layer, inputs)
    if !isFrozen { try layer.ignoreWeight("vector_u", shape: [1, outputs]) }
    return result
  }
}
