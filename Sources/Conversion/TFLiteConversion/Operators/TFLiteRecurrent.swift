import Bytes
import ConversionCore
import GraphIR
import LayerCatalog
import TFLiteFormat

/// Recurrent operators: TFLite's own LSTM where it computes the same, few steps one after another,
/// and many as a loop.
enum TFLiteRecurrent {
  static let rows: [TFLiteRow] = [
    .recurrent(GRU.self), .recurrent(SimpleRNN.self),
    TFLiteRow(outputsOf: LSTM.self) { (operation, builder) throws(WeighbridgeError) in
      if let outputs = try builder.sequenceLSTM(operation) { return outputs }
      return try builder.recurrent(operation)
    },
    TFLiteRow(outputsOf: ConvLSTM.self) { (operation, builder) throws(WeighbridgeError) in
      let inputs = RecurrentInputs(builder.operands, operation.recurrence, stateCount: 2)
      return try builder.repeated(operation.recurrence, builder[0], inputs) {
        (builder, frame, states) throws(WeighbridgeError) in
        try builder.step(operation, frame, states, weights: inputs.weights)
      }
    },
  ]
}

extension TFLiteRow {
  fileprivate static func recurrent<Operation: RecurrentOperator>(
    _ type: Operation.Type
  ) -> TFLiteRow {
    TFLiteRow(outputsOf: type) { (operation, builder) throws(WeighbridgeError) in
      try builder.recurrent(operation)
    }
  }
}

extension TFLiteBuilder {
  /// The states after a step, for its element of the sequence and the states before it.
  typealias Step = (
    inout TFLiteBuilder, ExportOperand, [ExportOperand]
  ) throws(WeighbridgeError) -> [ExportOperand]

  /// The largest number of steps that are written one after another.
  private static var maximumStepCount: Int { 16 }

  fileprivate mutating func recurrent(
    _ operation: some RecurrentOperator
  ) throws(WeighbridgeError) -> [String] {
    let sums = try inputProjection(operation)
    let inputs = recurrentInputs(of: operation)
    return try repeated(operation.recurrence, sums, inputs) {
      (builder, sums, states) throws(WeighbridgeError) in
      try builder.step(operation, sums, states)
    }
  }

  /// Writes all steps.
  ///
  /// - Parameter sequence: `[batch, time, ...]`
  fileprivate mutating func repeated(
    _ recurrence: Recurrence, _ sequence: ExportOperand, _ inputs: RecurrentInputs<ExportOperand>,
    _ step: Step
  ) throws(WeighbridgeError) -> [String] {
    if let count = sequence.type.shape[1].value, count <= Self.maximumStepCount {
      return try unrolled(recurrence, sequence, count, inputs, step)
    }
    return try looped(recurrence, sequence, inputs, step)
  }

  /// The states and the output after a step that a mask may exclude.
  ///
  /// - Parameters:
  ///   - isKept: `[batch, 1...]`, false for an example whose step is excluded; `nil` if none is.
  ///   - output: The output of the step before.
  mutating func masked(
    _ recurrence: Recurrence, _ isKept: ExportOperand?, _ next: [ExportOperand],
    _ states: [ExportOperand], output: ExportOperand
  ) throws(WeighbridgeError) -> (states: [ExportOperand], output: ExportOperand) {
    guard var isKept else { return (next, next[0]) }
    let type = next[0].type
    for axis in isKept.type.rank..<max(isKept.type.rank, type.rank) {
      isKept = try expanded(isKept, axis)
    }
    var result: [ExportOperand] = []
    for (new, old) in zip(next, states) {
      result.append(try add(.select, isKept, new, old, as: type))
    }
    switch recurrence.mask {
    case .previous: return (result, try add(.select, isKept, next[0], output, as: type))
    case .zero: return (result, try add(.select, isKept, next[0], try zeros(type), as: type))
    case .state, .none: return (result, result[0])
    }
  }

  private mutating func unrolled(
    _ recurrence: Recurrence, _ sequence: ExportOperand, _ count: Int,
    _ inputs: RecurrentInputs<ExportOperand>, _ step: Step
  ) throws(WeighbridgeError) -> [String] {
    let zero = try zeros(scope.outputTypes[1])
    var states = inputs.states
    if states.isEmpty { states = scope.outputTypes.dropFirst().map { _ in zero } }
    var (output, outputs) = (zero, [ExportOperand?](repeating: nil, count: count))
    for position in 0..<count {
      let time = recurrence.isReversed ? count - 1 - position : position
      let element = try squeezed(try sliced(sequence, axis: 1, time..<time + 1), [1])
      let next = try step(&self, element, states)
      var isKept: ExportOperand?
      if let mask = inputs.mask { isKept = try sliced(mask, axis: 1, time..<time + 1) }
      (states, output) = try masked(recurrence, isKept, next, states, output: output)
      outputs[time] = output
    }
    if recurrence.returnsSequences {
      var steps: [ExportOperand] = []
      for case let output? in outputs { steps.append(try expanded(output, 1)) }
      output = try concatenated(steps, axis: 1, as: outputType)
    }
    return ([output] + states).map(\.name)
  }

  /// States of zeros, for every example of the batch.
  private func zeros(_ type: TensorType) throws(WeighbridgeError) -> ExportOperand {
    let shape = [1] + type.shape.dropFirst().compactMap(\.value)
    guard shape.count == type.rank else {
      throw .unsupported("begins with states \(type), whose sizes must be known")
    }
    return .constant(
      Tensor(type.elementType, shape: shape, [Double](repeating: 0, count: shape.reduce(1, *))))
  }
}
