import Bytes
import ConversionCore
import GraphIR
import LayerCatalog
import TFLiteFormat

extension TFLiteBuilder {
  /// Adds TFLite's own LSTM; `nil` where it would compute something else. Its states are kept in
  /// tensors of one size, so that the batch must be known, and only their outputs can be read. They
  /// also stay from one run to the next: a step before the sequence, in which all features are 1,
  /// clears them by a feature of its own, whose weights close the gates.
  mutating func sequenceLSTM(_ operation: LSTM) throws(WeighbridgeError) -> [String]? {
    let recurrence = operation.recurrence
    guard operation.activation == .tanh, operation.recurrentActivation == .sigmoid,
      recurrence.mask == .none, !recurrence.hasInitialStates, !scope.isUsed[2],
      let batch = type().shape[0].value
    else { return nil }
    var weights: [Tensor] = []
    for value in recurrentInputs(of: operation).weights { weights.append(try tensor(of: value)) }
    let gates = RecurrentGates(operation, weights: weights)
    // An additional column would not fit the encoding of a kernel.
    guard weights[0].storedElements == nil, let closing = gates.closingWeight else { return nil }
    let stateType = TensorType(.float32, [.fixed(batch), .fixed(gates.units)])
    var x = self[0]
    if recurrence.isReversed { x = try reversed(x) }
    x = try padded(try padded(x, [0, 0, 0], [0, 0, 1]), [0, 1, 0], [0, 0, 0], value: 1)
    var inputs: [ExportOperand?] = [x]
    inputs += operands(of: gates, closing: closing)
    for state in ["h", "c"] { inputs.append(addVariable(state, stateType)) }
    inputs += [nil, nil, nil, nil]
    let all = try add(
      .sequenceLSTM, inputs, .sequenceLSTM,
      types: [x.type.with(shape: [.fixed(batch), x.type.shape[1], .fixed(gates.units)])])[0]
    var last = try sliced(
      all, [Slice.Range(axis: 1, start: -1, stop: nil, step: 1)],
      as: stateType.with(shape: [.fixed(batch), 1, .fixed(gates.units)]))
    last = try squeezed(last, [1])
    if !recurrence.returnsSequences { return [last, last, last].map(\.name) }
    var output = try sliced(
      all, [Slice.Range(axis: 1, start: 1, stop: nil, step: 1)], as: outputType)
    if recurrence.isReversed { output = try reversed(output) }
    return [output, last, last].map(\.name)
  }

  private mutating func reversed(_ x: ExportOperand) throws(WeighbridgeError) -> ExportOperand {
    try add(.reverse, x, integers([1]))
  }

  /// The weights in TFLite's order; it has gates in ours, and no connections from the cell, no
  /// projection and no normalization here. With the input and the forget gate closed, the cell state
  /// is 0, and so is the output.
  private func operands(of gates: RecurrentGates, closing: Double) -> [ExportOperand?] {
    let kernels = gates.kernels.enumerated().map { gate, kernel in
      ExportOperand.constant(kernel.appendingColumn(gate < 2 ? closing : 0))
    }
    let recurrentKernels = gates.recurrentKernels.map { ExportOperand.constant($0) }
    let zeros = Tensor(
      .float32, shape: [gates.units], floats: .init(repeating: 0, count: gates.units))
    let biases = (0..<LSTM.gateCount).map { ExportOperand.constant(gates.summedBias($0) ?? zeros) }
    return kernels + recurrentKernels + [nil, nil, nil] + biases + [nil, nil]
  }
}

extension RecurrentGates {
  /// A weight of a feature of 1 with which a sigmoid is 0 whatever the state is, if the other
  /// features are 1; `nil` if float16 does not hold it.
  fileprivate var closingWeight: Double? {
    let biases = (0..<kernels.count).compactMap { summedBias($0)?.doubles.map(abs).max() }
    let bound =
      (kernels.map(\.largestRowSum).max() ?? 0) + (recurrentKernels.map(\.largestRowSum).max() ?? 0)
      + (biases.max() ?? 0)
    return bound < 60_000 ? -(bound + 200) : nil
  }
}

extension Tensor {
  /// The largest sum of the magnitudes of a matrix' row.
  fileprivate var largestRowSum: Double {
    let (numbers, columns) = (doubles, shape[1])
    return (0..<shape[0]).map { row in
      numbers[row * columns..<(row + 1) * columns].reduce(0) { $0 + abs($1) }
    }.max() ?? 0
  }

  /// A matrix with another column, of one number.
  fileprivate func appendingColumn(_ number: Double) -> Tensor {
    let (numbers, columns) = (doubles, shape[1])
    let elements = (0..<shape[0]).flatMap {
      numbers[$0 * columns..<($0 + 1) * columns] + [number]
    }
    return Tensor(.float32, shape: [shape[0], columns + 1], elements)
  }
}
