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
      return try unrolled(recurrence, sequence, count, inputs, step).map(\.name)
    }
    return try looped(recurrence, sequence, inputs, step)
  }
}
