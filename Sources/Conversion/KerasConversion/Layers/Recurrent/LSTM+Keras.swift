import Bytes
import ConversionCore
import GraphIR
import JSON
import KerasFormat
import LayerCatalog

extension LSTM: KerasMapped {
  /// Keras: `LSTM`, `CuDNNLSTM`; its cell, `LSTMCell`, in `RNN`. Also the layers that hold any
  /// recurrent layer or cell: `Bidirectional`, `RNN`. See ``RecurrentLayer``.
  static let keras = KerasMapping([
    .recurrent("LSTM", cell), .recurrent("CuDNNLSTM", parts: .activation, cuDNNCell),
    .cell("LSTMCell", cell),
    KerasLayerClass(
      "Bidirectional", masks: .ownRule, casts: .floats, shape: .wrapped { $0 },
      parts: KerasLayerParts([
        .init(["forward_layer"], settings: ["layer"]),
        .init(["backward_layer"], settings: ["backward_layer", "layer"]),
      ]), RecurrentLayer.bidirectional),
    KerasLayerClass(
      "RNN", masks: .ownRule, casts: .floats, shape: .unknown,
      parts: KerasLayerParts([.init(["cell"], settings: ["cell"])]), RecurrentLayer.build("RNN")),
  ])
  static let kerasRow: KerasRow? = KerasRow(outputsOf: LSTM.self) {
    (operation, builder) throws(WeighbridgeError) in
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
