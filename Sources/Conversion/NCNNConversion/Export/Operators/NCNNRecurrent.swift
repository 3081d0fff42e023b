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
        throw .unsupported("ncnn's GRU resets behind the product with the recurrent kernel only")
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
      throw .unsupported("ncnn's recurrent layers have no masks, and tanh and sigmoid only")
    }
    let count = Operation.stateNames.count
    let slots = RecurrentInputs(Array(operands.indices), recurrence, stateCount: count)
    let kernels = [try tensor(slots.weights[0]), try tensor(slots.weights[1])]
    let units = kernels[1].shape[1]
    let biasValues = operation.bias == .none ? [] : try tensor(slots.weights[2]).doubles
    let zeros = [Double](repeating: 0, count: 2 * gates.count * units - biasValues.count)
    let biases = (0..<2 * gates.count).map {
      Array((biasValues + zeros)[$0 * units..<($0 + 1) * units])
    }
    var bias = gates.map { zip(biases[$0], biases[$0 + gates.count]).map(+) }
    if type == "GRU" { bias.replaceSubrange(2..., with: [biases[2], biases[5]]) }
    var inputs = [try input(slots.sequence)]
    for slot in slots.states { inputs.append(try reshape(try input(slot), [1, units])) }
    let reordered = kernels.map { kernel in
      let blocks = kernel.splitting(0, into: [gates.count, units])
      let bytes = gates.flatMap { blocks.slice($0..<$0 + 1, along: 0).contiguousBytes() }
      return Tensor(kernel.elementType, shape: kernel.shape, bytes: bytes)
    }
    let outputs: [NCNNBlob] = try add(
      type, inputs, [0: units, 1: reordered[0].count, 2: recurrence.isReversed ? 1 : 0],
      weights: [
        reordered[0], Tensor(.float32, shape: [bias.count, units], bias.flatMap { $0 }),
        reordered[1],
      ], shapes: [[inputs[0].shape[0], units]] + (0..<count).map { _ in [1, units] })
    guard !recurrence.returnsSequences else { return outputs }
    let last = recurrence.isReversed ? 0 : try knownShape(outputs[0])[0] - 1
    return [try crop(outputs[0], [(0, last..<last + 1)])] + outputs.dropFirst()
  }
}
