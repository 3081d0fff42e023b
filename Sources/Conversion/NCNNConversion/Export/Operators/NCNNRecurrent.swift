import Bytes
import ConversionCore
import GraphIR
import LayerCatalog

/// Recurrent layers over a sequence `[time, features]`.
enum NCNNRecurrent {
  static let rows: [NCNNRow] = [
    // ncnn's gate order is i, f, o, g.
    NCNNRow(blobs: LSTM.self) { (operation, builder) throws(WeighbridgeError) in
      let functions = [operation.activation, operation.recurrentActivation]
      return try builder.recur("LSTM", operation, functions, gates: [0, 1, 3, 2])
    },
    // ncnn's gate order is r, z and the candidate, which has both biases.
    NCNNRow(blobs: GRU.self) { (operation, builder) throws(WeighbridgeError) in
      guard operation.resetsAfter else {
        throw .unsupported(
          "resets before the product with the recurrent kernel, and ncnn's GRU resets after it")
      }
      let functions = [operation.activation, operation.recurrentActivation]
      return try builder.recur("GRU", operation, functions, gates: [1, 0, 2])
    },
    NCNNRow(blobs: SimpleRNN.self) { (operation, builder) throws(WeighbridgeError) in
      try builder.recur("RNN", operation, [operation.activation, .sigmoid], gates: [0])
    },
  ]
}

extension NCNNBuilder {
  /// Adds one of ncnn's own layers.
  ///
  /// - Parameter gates: For each of ncnn's gates, the index of the operator's gate.
  fileprivate mutating func recur<Operation: RecurrentOperator>(
    _ type: String, _ operation: Operation, _ functions: [CellActivation], gates: [Int]
  ) throws(WeighbridgeError) -> [NCNNBlob] {
    let recurrence = operation.recurrence
    guard recurrence.mask == .none, functions == [.tanh, .sigmoid] else {
      throw .unsupported(
        "has a mask or other activations, and ncnn's recurrent layers have no masks, and only tanh "
          + "and sigmoid")
    }
    let count = Operation.stateNames.count
    let slots = RecurrentInputs(Array(operands.indices), recurrence, stateCount: count)
    var weights: [Tensor] = []
    for slot in slots.weights { weights.append(try tensor(slot)) }
    let parts = RecurrentGates(operation, weights: weights)
    let units = parts.units
    var inputs = [try input(slots.sequence)]
    for slot in slots.states { inputs.append(try reshape(try input(slot), [1, units])) }
    let kernels = weights.prefix(2).map { $0.reorderingGates(gates) }
    let bias = Self.biases(parts, gates, keepsCandidatePair: type == "GRU")
    let outputs: [NCNNBlob] = try add(
      type, inputs, [0: units, 1: kernels[0].count, 2: recurrence.isReversed ? 1 : 0],
      weights: [
        kernels[0], Tensor(.float32, shape: [bias.count, units], bias.flatMap { $0 }), kernels[1],
      ], shapes: [[inputs[0].shape[0], units]] + (0..<count).map { _ in [1, units] })
    guard !recurrence.returnsSequences else { return outputs }
    let last = recurrence.isReversed ? 0 : try knownShape(outputs[0])[0] - 1
    return [try crop(outputs[0], [(0, last..<last + 1)])] + outputs.dropFirst()
  }

  /// Returns ncnn's rows of biases, one for each gate in its order: the sum of both biases, and both
  /// of the candidate in a GRU.
  private static func biases(
    _ parts: RecurrentGates, _ gates: [Int], keepsCandidatePair: Bool
  ) -> [[Double]] {
    let zeros = [Double](repeating: 0, count: parts.units)
    let sums = gates.map { parts.summedBias($0)?.doubles ?? zeros }
    guard keepsCandidatePair, let candidate = gates.last else { return sums }
    let pair =
      parts.biases.isEmpty
      ? [zeros, zeros]
      : [parts.biases[candidate].doubles, parts.recurrentBiases[candidate].doubles]
    return sums.dropLast() + pair
  }
}
