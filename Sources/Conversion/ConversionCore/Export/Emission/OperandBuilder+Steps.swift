package import Bytes
package import GraphIR
package import LayerCatalog

// Recurrent operators, one step after another.
extension OperandBuilder {
  /// The states after a step, for its element of the sequence and the states before it.
  package typealias Step = (
    inout Self, ExportOperand, [ExportOperand]
  ) throws(WeighbridgeError) -> [ExportOperand]

  /// Adds all steps, and returns the output and the last states.
  ///
  /// - Parameters:
  ///   - sequence: `[batch, time, ...]`
  ///   - count: The number of steps.
  package mutating func unrolled(
    _ recurrence: Recurrence, _ sequence: ExportOperand, _ count: Int,
    _ inputs: RecurrentInputs<ExportOperand>, _ step: Step
  ) throws(WeighbridgeError) -> [ExportOperand] {
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
      for case let output? in outputs { steps.append(try expanded(output, [1])) }
      output = try concatenated(steps, axis: 1, as: outputType)
    }
    return [output] + states
  }

  /// The states and the output after a step that a mask may exclude.
  ///
  /// - Parameters:
  ///   - isKept: `[batch, 1...]`, false for an example whose step is excluded; `nil` if none is.
  ///   - output: The output of the step before.
  package mutating func masked(
    _ recurrence: Recurrence, _ isKept: ExportOperand?, _ next: [ExportOperand],
    _ states: [ExportOperand], output: ExportOperand
  ) throws(WeighbridgeError) -> (states: [ExportOperand], output: ExportOperand) {
    guard var isKept else { return (next, next[0]) }
    let (rank, type) = (isKept.type.rank, next[0].type)
    if rank < type.rank { isKept = try expanded(isKept, Array(rank..<type.rank)) }
    var result: [ExportOperand] = []
    for (new, old) in zip(next, states) {
      result.append(try chosen(where: isKept, new, else: old))
    }
    switch recurrence.mask {
    case .previous: return (result, try chosen(where: isKept, next[0], else: output))
    case .zero: return (result, try chosen(where: isKept, next[0], else: try zeros(type)))
    case .state, .none: return (result, result[0])
    }
  }

  /// States of zeros, for every example of the batch.
  package func zeros(_ type: TensorType) throws(WeighbridgeError) -> ExportOperand {
    // One row stands for a batch of unknown size.
    let shape = type.fixedShape ?? [1] + type.shape.dropFirst().compactMap(\.value)
    guard shape.count == type.rank else {
      throw .unsupported("begins with states \(type), whose sizes must be known")
    }
    return .constant(
      Tensor(type.elementType, shape: shape, [Double](repeating: 0, count: shape.reduce(1, *))))
  }
}
