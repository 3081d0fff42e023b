import Bytes
import ConversionCore
import GraphIR
import LayerCatalog
import TFLiteFormat

/// Recurrent operators, one step after another: TFLite's own have no dynamic batch.
enum TFLiteRecurrent {
  static let rows: [TFLiteRow] = [
    .unrolled(GRU.self), .unrolled(LSTM.self), .unrolled(SimpleRNN.self),
    TFLiteRow(outputsOf: ConvLSTM.self) { (operation, builder) throws(WeighbridgeError) in
      let inputs = RecurrentInputs(builder.operands, operation.recurrence, stateCount: 2)
      return try builder.unrolled(operation.recurrence, builder[0], inputs) {
        (builder, frame, states) throws(WeighbridgeError) in
        try builder.step(operation, frame, states, weights: inputs.weights)
      }
    },
  ]
}

extension TFLiteRow {
  fileprivate static func unrolled<Operation: RecurrentOperator>(
    _ type: Operation.Type
  ) -> TFLiteRow {
    TFLiteRow(outputsOf: type) { (operation, builder) throws(WeighbridgeError) in
      let sums = try builder.inputProjection(operation)
      return try builder.unrolled(
        operation.recurrence, sums, builder.recurrentInputs(of: operation)
      ) { (builder, sums, states) throws(WeighbridgeError) in
        try builder.step(operation, sums, states)
      }
    }
  }
}

extension TFLiteBuilder {
  /// The states after a step, for its element of the sequence and the states before it.
  fileprivate typealias Step = (
    inout TFLiteBuilder, ExportOperand, [ExportOperand]
  ) throws(WeighbridgeError) -> [ExportOperand]

  /// The largest number of steps; more would make the file too large.
  private static var maximumStepCount: Int { 512 }

  /// Writes a sequence step by step.
  ///
  /// - Parameter sequence: `[batch, time, ...]`
  fileprivate mutating func unrolled(
    _ recurrence: Recurrence, _ sequence: ExportOperand, _ inputs: RecurrentInputs<ExportOperand>,
    _ step: Step
  ) throws(WeighbridgeError) -> [String] {
    guard let count = sequence.type.shape[1].value, count <= Self.maximumStepCount else {
      throw .unsupported(
        "writes each step of a sequence, \(Self.maximumStepCount) at most, and has "
          + "\(sequence.type.shape[1])")
    }
    let stateType = scope.outputTypes[1]
    let zero = try zeros(stateType)
    var states = inputs.states
    if states.isEmpty { states = scope.outputTypes.dropFirst().map { _ in zero } }
    var (output, outputs) = (zero, [ExportOperand?](repeating: nil, count: count))
    for position in 0..<count {
      let time = recurrence.isReversed ? count - 1 - position : position
      let element = try squeezed(try sliced(sequence, axis: 1, time..<time + 1), [1])
      let next = try step(&self, element, states)
      guard let mask = inputs.mask else {
        (states, output) = (next, next[0])
        outputs[time] = output
        continue
      }
      var isKept = try sliced(mask, axis: 1, time..<time + 1)
      for axis in 2..<max(2, stateType.rank) { isKept = try expanded(isKept, axis) }
      let (old, oldOutput) = (states, output)
      for index in states.indices {
        states[index] = try add(.select, isKept, next[index], old[index], as: stateType)
      }
      switch recurrence.mask {
      case .previous: output = try add(.select, isKept, next[0], oldOutput, as: stateType)
      case .zero: output = try add(.select, isKept, next[0], zero, as: stateType)
      case .state, .none: output = states[0]
      }
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
