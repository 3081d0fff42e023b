import Bytes
import ConversionCore
import GraphIR
import JSON
import LayerCatalog

extension Dense: KerasMapped {
  /// Keras: `Dense`, whose kernel is `[in, out]`; of Keras 1 `Highway` and `MaxoutDense`.
  static let keras = KerasMapping([
    KerasLayerClass("Dense", masks: .passed, casts: .all, shape: .features) {
      (layer, inputs) throws(WeighbridgeError) in
      let units = try layer.integer("units")
      let hasBias = try layer.flag("use_bias", default: true)
      guard units >= 1 else { throw .malformed("units=\(units)") }
      let features = try layer.channels(of: inputs, layout: .channelsLast)
      layer.ignore("lora_rank", "lora_alpha")  // Keras' own files have the sum.
      if let quantization = try layer.takeQuantization() {
        let output = try addQuantized(
          quantization, to: &layer, inputs[0], features: features, units: units,
          hasBias: hasBias)
        return try layer.addActivation(to: output)
      }
      let kernel = try layer.weight("kernel", shape: [features, units]) { $0.permuted([1, 0]) }
      let bias = hasBias ? [try layer.weight("bias", shape: [units])] : []
      let output = try layer.add(Dense(hasBias: hasBias), inputs + [kernel] + bias)
      return try layer.addActivation(to: output[0])
    },
    .plain("Highway (Keras 1)", highway),
    .plain("MaxoutDense (Keras 1)", maxout),
  ])
  static let kerasRow: KerasRow? = KerasRow(Dense.self) {
    (operation, builder) throws(WeighbridgeError) in
    let kernel = try builder.tensor(1)
    return try builder.layer(
      "Dense",
      [
        "units": .integer(kernel.shape[0]), "activation": .string(builder.fusedActivation),
        "use_bias": .bool(operation.hasBias),
      ],
      weights: [KerasLayerWeight(name: "kernel", tensor: kernel.permuted([1, 0]))]
        + builder.bias(operation.hasBias))
  }
}
