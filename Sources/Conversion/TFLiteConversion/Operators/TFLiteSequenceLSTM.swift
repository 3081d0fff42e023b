import Bytes
import ConversionCore
import GraphIR
import LayerCatalog
import TFLiteFormat

extension TFLiteBuilder {
  /// Adds TFLite's own LSTM; `nil` where it would compute something else. Its states are kept in
  /// tensors of one size, so that the batch must be known, and only their outputs can be read.
  mutating func sequenceLSTM(_ operation: LSTM) throws(WeighbridgeError) -> [String]? {
    let recurrence = operation.recurrence
    guard operation.activation == .tanh, operation.recurrentActivation == .sigmoid,
      recurrence.mask == .none, !recurrence.hasInitialStates, !scope.isUsed[2],
      let batch = type().shape[0].value
    else { return nil }
    var weights: [Tensor] = []
    for value in recurrentInputs(of: operation).weights { weights.append(try tensor(of: value)) }
    let gates = RecurrentGates(operation, weights: weights)
    let stateType = TensorType(.float32, [.fixed(batch), .fixed(gates.units)])
    var x = self[0]
    if recurrence.isReversed { x = try reversed(x) }
    var inputs: [ExportOperand?] = [x]
    inputs += operands(of: gates)
    for state in ["h", "c"] { inputs.append(addVariable(state, stateType)) }
    inputs += [nil, nil, nil, nil]
    var output = try add(
      .sequenceLSTM, inputs, .sequenceLSTM,
      types: [x.type.with(shape: [.fixed(batch), x.type.shape[1], .fixed(gates.units)])])[0]
    var last = try sliced(
      output, [Slice.Range(axis: 1, start: -1, stop: Int.max, step: 1)],
      as: stateType.with(shape: [.fixed(batch), 1, .fixed(gates.units)]))
    last = try squeezed(last, [1])
    if !recurrence.returnsSequences { return [last, last, last].map(\.name) }
    if recurrence.isReversed { output = try reversed(output) }
    return [output, last, last].map(\.name)
  }

  private mutating func reversed(_ x: ExportOperand) throws(WeighbridgeError) -> ExportOperand {
    try add(.reverse, x, integers([1]))
  }

  /// The weights in TFLite's order; it has gates in ours, and no connections from the cell, no
  /// projection and no normalization here.
  private func operands(of gates: RecurrentGates) -> [ExportOperand?] {
    let kernels = (gates.kernels + gates.recurrentKernels).map { ExportOperand.constant($0) }
    let zeros = Tensor(
      .float32, shape: [gates.units], floats: .init(repeating: 0, count: gates.units))
    let biases = (0..<LSTM.gateCount).map { ExportOperand.constant(gates.summedBias($0) ?? zeros) }
    return kernels + [nil, nil, nil] + biases + [nil, nil]
  }
}
