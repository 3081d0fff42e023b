import Bytes
import ConversionCore
import GraphIR
import JSON
import KerasFormat
import LayerCatalog

extension ConvLSTM: KerasMapped {
  /// Keras: `ConvLSTM1D`, `ConvLSTM2D`, `ConvLSTM3D`. See ``RecurrentLayer``.
  static let keras = KerasMapping(
    (1...3).map { axes in
      .recurrent("ConvLSTM\(axes)D", shape: .image(axes: axes, isSequence: true)) {
        (layer, sequence, prefix) throws(WeighbridgeError) in
        try cell(&layer, axes: axes, sequence: sequence, prefix: prefix)
      }
    })
  static let kerasRow = rowOfOutputs { (operation, builder) throws(WeighbridgeError) in
    guard operation.layout == .channelsLast else {
      throw .unsupported("takes channels first, and TensorFlow has it with channels last only")
    }
    let (window, recurrence) = (operation.window, operation.recurrence)
    let axes = window.size.count
    let parts = RecurrentInputs(Array(builder.operands.indices), recurrence, stateCount: 2)
    let gates = try builder.gates(operation.recurrentActivation, [0, 1, 3])
    guard (1...3).contains(axes) else {
      throw .unsupported(
        "has \(axes.counted("spatial axis")), and Keras' layer "
          + "one to three")
    }
    guard recurrence.mask == .none else {
      throw .unsupported("Keras fails where this layer is given a mask by a function")
    }
    let paddingName: String
    switch window.padding {
    case .valid: paddingName = "valid"
    case .same: paddingName = "same"
    case .explicit:
      throw .unsupported("has a padding other than valid or same, which are those of Keras' layer")
    }
    let filters = try builder.tensor(parts.weights[1]).shape[1]
    let activation = try builder.cellActivation(operation.activation)
    let owner = builder.format == .archive ? "cell" : ""
    var weights = try builder.kernels(parts, gates, gateCount: 4, owner: owner)
    if operation.hasBias {
      let bias = gates.applied(try builder.tensor(parts.weights[2]), gateCount: 4, isBias: true)
      weights.append(KerasLayerWeight(name: "bias", tensor: bias, owner: owner))
    } else if gates.offset != 0 {
      throw .unsupported("its gates need an offset in the bias, and it has no bias")
    }
    return try builder.addRecurrent(
      "ConvLSTM\(axes)D", recurrence, parts,
      [
        "filters": .integer(filters), "kernel_size": .integers(window.size),
        "strides": .integers(window.strides), "padding": .string(paddingName),
        "data_format": "channels_last", "dilation_rate": .integers(window.dilation),
        "activation": activation, "recurrent_activation": gates.name, "unit_forget_bias": true,
        "use_bias": .bool(operation.hasBias),
      ], weights, canUnroll: false)
  }

  private static func cell(
    _ layer: inout KerasLayer, axes: Int, sequence: TensorType, prefix: String
  ) throws(WeighbridgeError) -> RecurrentCell {
    guard sequence.rank == axes + 3 else {
      throw .malformed(
        "takes sequences of images with \(axes.counted("spatial axis")), not \(sequence)")
    }
    let filters = try layer.integer("filters")
    let window = try layer.kernelWindow(axes: axes) { (layer, plain) throws(WeighbridgeError) in
      guard layer.backend == .tensorflow || plain.size.allSatisfy({ $0 % 2 == 1 }) else {
        throw .unsupported(
          "kernel_size=\(plain.size), and beside TensorFlow only odd sizes are known")
      }
      let padding = try layer.choice("padding", default: KerasPadding.valid)
      return padding == .valid ? .valid : try layer.samePadding(of: plain)
    }
    let layout = try layer.dataLayout()
    let hasBias = try layer.flag("use_bias", default: true)
    guard filters >= 1,
      let channels = sequence.shape[layout.channelAxis(rank: axes + 2) + 1].value
    else {
      throw .malformed(
        "makes \(filters) filters of \(sequence), expected at least 1 of a known number of "
          + "channels")
    }
    let type = TensorType(sequence.elementType, [sequence.shape[0], .fixed(filters)])
    let activation = try layer.cellActivation("activation", default: "tanh", for: type)
    let gate = try layer.cellActivation("recurrent_activation", default: nil, for: type)
    guard layout == .channelsLast || activation.isElementwise && gate.isElementwise else {
      throw .unsupported(
        "has an activation along the last axis, which with channels first is not that of the channels"
      )
    }
    let gateUnits = try Checked.product([4, filters], of: "the number of sums")
    let kernelOrder = [axes + 1, axes] + Array(0..<axes)
    let isFlipped = layer.flipsKernels
    var weights: [ValueID] = []
    for (role, dimension) in [("kernel", channels), ("recurrent_kernel", filters)] {
      weights.append(
        try layer.weight(prefix + role, shape: window.size + [dimension, gateUnits]) {
          $0.permuted(kernelOrder).flipped(from: 2, if: isFlipped)
        })
    }
    if hasBias { weights.append(try layer.weight(prefix + "bias", shape: [gateUnits])) }
    return RecurrentCell(stateCount: 2, isConvolutional: true, weights: weights) { recurrence in
      ConvLSTM(
        window: window, layout: layout, recurrence: recurrence, hasBias: hasBias,
        activation: activation, recurrentActivation: gate)
    }
  }
}
