import Bytes
import ConversionCore
import GraphIR
import JSON
import KerasFormat
import LayerCatalog

extension KerasTrainingMode {
  /// The recurrent layers, each with a cell, that drop inputs and states in training.
  static let recurrentNames = ["SimpleRNN", "GRU", "LSTM"]
}

extension GRU: KerasMapped {
  /// Keras: `GRU`, `CuDNNGRU`; its cell, `GRUCell`, in `RNN`. See ``RecurrentLayer``.
  static let keras = KerasMapping([
    .recurrent("GRU", cell), .recurrent("CuDNNGRU", parts: .activation, cuDNNCell),
    .cell("GRUCell", cell),
  ])
  static let kerasRow = rowOfOutputs { (operation, builder) throws(WeighbridgeError) in
    let gates = try builder.gates(operation.recurrentActivation, [0, 1])
    return try builder.recurrent(
      "GRU", operation, "gru_cell", gates,
      [
        "activation": try builder.cellActivation(operation.activation),
        "recurrent_activation": gates.name, "reset_after": .bool(operation.resetsAfter),
      ], keepsBiases: operation.resetsAfter)
  }

  private static let cell: RecurrentCell.Read = {
    (layer, sequence, prefix) throws(WeighbridgeError) in
    let resetsAfter = try layer.flag("reset_after", default: false)
    let cell = try VectorCell(&layer, sequence, prefix, gates: 3, resetsAfter: resetsAfter)
    return RecurrentCell(stateCount: 1, weights: cell.weights) { recurrence in
      GRU(
        recurrence: recurrence, bias: cell.bias, activation: cell.activation,
        recurrentActivation: cell.recurrentActivation, resetsAfter: resetsAfter)
    }
  }

  private static let cuDNNCell: RecurrentCell.Read = {
    (layer, sequence, prefix) throws(WeighbridgeError) in
    let weights = try VectorCell.cuDNNWeights(&layer, sequence, prefix, gates: 3)
    return RecurrentCell(stateCount: 1, takesMask: false, weights: weights) { recurrence in
      GRU(
        recurrence: recurrence, bias: .separate, activation: .tanh, recurrentActivation: .sigmoid,
        resetsAfter: true)
    }
  }
}

extension SimpleRNN: KerasMapped {
  /// Keras: `SimpleRNN`; its cell, `SimpleRNNCell`, in `RNN`. See ``RecurrentLayer``.
  static let keras = KerasMapping([.recurrent("SimpleRNN", cell), .cell("SimpleRNNCell", cell)])
  static let kerasRow = rowOfOutputs { (operation, builder) throws(WeighbridgeError) in
    try builder.recurrent(
      "SimpleRNN", operation, "simple_rnn_cell", KerasGates(name: .null),
      ["activation": try builder.cellActivation(operation.activation)])
  }

  private static let cell: RecurrentCell.Read = {
    (layer, sequence, prefix) throws(WeighbridgeError) in
    let cell = try VectorCell(&layer, sequence, prefix, gates: 1)
    return RecurrentCell(stateCount: 1, weights: cell.weights) { recurrence in
      SimpleRNN(recurrence: recurrence, bias: cell.bias, activation: cell.activation)
    }
  }
}

extension LSTM: KerasMapped {
  /// Keras: `LSTM`, `CuDNNLSTM`; its cell, `LSTMCell`, in `RNN`. Also the layers that contain any
  /// recurrent layer or cell: `Bidirectional`, `RNN`. See ``RecurrentLayer``.
  static let keras = KerasMapping([
    .recurrent("LSTM", cell), .recurrent("CuDNNLSTM", parts: .activation, cuDNNCell),
    .cell("LSTMCell", cell),
    KerasLayerClass(
      "Bidirectional", masks: .handledByBuilder, casts: .allToKeras2, shape: .wrapped { $0 },
      parts: KerasLayerParts([
        .init(["forward_layer"], settings: ["layer"]),
        .init(["backward_layer"], settings: ["backward_layer", "layer"]),
      ]), RecurrentLayer.bidirectional),
    KerasLayerClass(
      "RNN", masks: .handledByBuilder, casts: .allToKeras2, shape: .unknown,
      parts: KerasLayerParts([.init(["cell"], settings: ["cell"])]), RecurrentLayer.build("RNN")),
  ])
  static let kerasRow = rowOfOutputs { (operation, builder) throws(WeighbridgeError) in
    let gates = try builder.gates(operation.recurrentActivation, [0, 1, 3])
    return try builder.recurrent(
      "LSTM", operation, "lstm_cell", gates,
      [
        "activation": try builder.cellActivation(operation.activation),
        "recurrent_activation": gates.name, "unit_forget_bias": true,
      ])
  }

  private static let cell: RecurrentCell.Read = {
    (layer, sequence, prefix) throws(WeighbridgeError) in
    let cell = try VectorCell(&layer, sequence, prefix, gates: 4)
    return RecurrentCell(stateCount: 2, weights: cell.weights) { recurrence in
      LSTM(
        recurrence: recurrence, bias: cell.bias, activation: cell.activation,
        recurrentActivation: cell.recurrentActivation)
    }
  }

  private static let cuDNNCell: RecurrentCell.Read = {
    (layer, sequence, prefix) throws(WeighbridgeError) in
    let weights = try VectorCell.cuDNNWeights(&layer, sequence, prefix, gates: 4)
    return RecurrentCell(stateCount: 2, takesMask: false, weights: weights) { recurrence in
      LSTM(
        recurrence: recurrence, bias: .separate, activation: .tanh, recurrentActivation: .sigmoid)
    }
  }
}

extension Masking: KerasMapped {
  /// Keras: `Masking(mask_value=0.0)`. The mask is passed on with the output.
  static let keras = KerasMapping([
    KerasLayerClass("Masking", masks: .handledByBuilder, casts: .floats, shape: .same) {
      (layer, inputs) throws(WeighbridgeError) in
      var value = try layer.real("mask_value", default: 0)
      var (input, type) = try layer.typedInput(inputs)
      // Keras 2 compares with a constant of the input's type, Keras 3 with the number.
      if layer.version.major < 3 { value = type.elementType.wrapping(value) }
      // Keras multiplies by the mask, and the product of booleans is a number since 3.15.
      if type.elementType == .bool, layer.version >= KerasVersion(3, 15) {
        input = try layer.cast(input, to: .int32, role: "number")
      }
      let outputs = try layer.addSelection(Masking(value: value), [input])
      layer.setMask(outputs[1], of: outputs[0])
      return [outputs[0]]
    }
  ])
  static let kerasRow = rowOfOutputs { (operation, builder) throws(WeighbridgeError) in
    if builder.format == .tensorFlowJS {
      let output = try builder.layer("Masking", ["mask_value": .real(operation.value)])
      return [output, try builder.passedMask(of: output, builder.scope.outputTypes[1])]
    }
    let last = builder.type().rank - 1
    let differs = try builder.compare(.notEqual, builder[0], builder.number(operation.value))
    let any = try builder.reduce(.any, differs, [last])
    let factor = try builder.function(.cast, [any], to: builder.type().elementType)
    let output = try builder.function(.multiply, [builder[0], factor], type: builder.type())
    guard builder.scope.isUsed[1] else { return [output, any] }
    let mask = try builder.reduce(
      .any, differs, [last], keepDims: false, type: builder.scope.outputTypes[1])
    return [output, mask]
  }
}
