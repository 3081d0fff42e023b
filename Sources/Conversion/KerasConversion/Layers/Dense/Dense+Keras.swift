import Bytes
import ConversionCore
import GraphIR
import JSON
import LayerCatalog

extension Dense: KerasMapped {
  /// Keras: `Dense`, whose kernel is `[in, out]`; Keras 1: `Highway` and `MaxoutDense`.
  static let keras = KerasMapping([
    KerasLayerClass("Dense", masks: .passed, casts: .all, shape: .features) {
      (layer, inputs) throws(WeighbridgeError) in
      let units = try layer.integer("units")
      let hasBias = try layer.flag("use_bias", default: true)
      guard units >= 1 else { throw .malformed("units=\(units), expected at least 1") }
      let features = try layer.channels(of: inputs, layout: .channelsLast)
      layer.ignore("lora_rank", "lora_alpha")  // Keras' own files contain the sum.
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
    }.distributed(.product),
    .plain("Highway (Keras 1)", highway),
    .plain("MaxoutDense (Keras 1)", maxout),
  ])
  static let kerasRow = row { (operation, builder) throws(WeighbridgeError) in
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

/// Dense layers that exist only in Keras 1.
extension Dense {
  /// `Highway` (Srivastava et al. 2015): t · activation(W x + b) + (1 - t) · x with the gate
  /// t = sigmoid(W_carry x + b_carry). The kernels are `[in, in]` and come before the biases.
  static let highway: KerasMapping.Build = { (layer, inputs) throws(WeighbridgeError) in
    let hasBias = try layer.flag("use_bias", default: true)  // since Keras 1.0.3
    let features = try layer.channels(of: inputs, layout: .channelsLast)
    let transpose: (Tensor) -> Tensor = { $0.permuted([1, 0]) }
    let kernels = [
      try layer.weight("kernel", shape: [features, features], canonical: transpose),
      try layer.weight("carry_kernel", shape: [features, features], canonical: transpose),
    ]
    var biases: [[ValueID]] = [[], []]
    if hasBias {
      biases[0] = [try layer.weight("bias", shape: [features])]
      biases[1] = [try layer.weight("carry_bias", shape: [features])]
    }
    let dense = Dense(hasBias: hasBias)
    let transformed = try layer.add(dense, inputs + [kernels[0]] + biases[0], role: "transform")
    let carried = try layer.add(dense, inputs + [kernels[1]] + biases[1], role: "carry")
    let activated = try layer.addActivation(to: transformed[0])
    let gate = try layer.add(Sigmoid(), carried, role: "gate")
    let one = try layer.number("one", 1, like: gate[0])
    let carryGate = try layer.add(Subtract(), [one] + gate, role: "rest")
    let gatedOutput = try layer.add(Multiply(), activated + gate, role: "new")
    let gatedInput = try layer.add(Multiply(), carryGate + inputs, role: "old")
    return try layer.add(Add(), gatedOutput + gatedInput)
  }

  /// `MaxoutDense` (Goodfellow et al. 2013): the elementwise maximum of several dense layers. The
  /// kernel is `[features, in, out]`, the bias `[features, out]`.
  static let maxout: KerasMapping.Build = { (layer, inputs) throws(WeighbridgeError) in
    let units = try layer.integer("units")
    let count = try layer.integer("nb_feature", default: 4)
    let hasBias = try layer.flag("use_bias", default: true)
    let features = try layer.channels(of: inputs, layout: .channelsLast)
    guard units >= 1, count >= 1, layer.graph.type(of: inputs[0]).rank == 2 else {
      throw .malformed(
        "output_dim=\(units) and nb_feature=\(count), expected at least 1; the input is "
          + "\(layer.graph.type(of: inputs[0]))")
    }
    let unitCount = try Checked.product([units, count], of: "the number of units")
    let kernel = try layer.weight("kernel", shape: [count, features, units]) {
      $0.permuted([0, 2, 1]).reshaped([unitCount, features])
    }
    let bias =
      hasBias ? [try layer.weight("bias", shape: [count, units]) { $0.reshaped([unitCount]) }] : []
    let dense = try layer.add(Dense(hasBias: hasBias), inputs + [kernel] + bias, role: "dense")
    let split = try layer.add(Reshape(target: [count, units]), dense, role: "split")
    return try layer.add(Reduce(.maximum, axes: [1], keepDims: false), split)
  }
}
