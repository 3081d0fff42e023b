import Bytes
import ConversionCore
import GraphIR
import JSON
import KerasFormat
import LayerCatalog

extension GRU: KerasMapped {
  /// Keras: `GRU`, `CuDNNGRU`; its cell, `GRUCell`, in `RNN`. See ``RecurrentLayer``.
  static let keras = KerasMapping([
    .recurrent("GRU", cell), .recurrent("CuDNNGRU", parts: .activation, cuDNNCell),
    .cell("GRUCell", cell),
  ])
  static let kerasRow: KerasRow? = KerasRow(outputsOf: GRU.self) {
    (operation, builder) throws(WeighbridgeError) in
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
  static let kerasRow: KerasRow? = KerasRow(outputsOf: SimpleRNN.self) {
    (operation, builder) throws(WeighbridgeError) in
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
