import Bytes
import ConversionCore
import CoreMLFormat
import GraphIR
import LayerCatalog
import ProtobufWire

extension CoreMLNetworkBuilder {
  /// Adds one step for its element of the sequence and the states before it, and returns the states
  /// after it.
  typealias Step =
    (inout CoreMLNetworkBuilder, ExportOperand, [ExportOperand]) throws(WeighbridgeError) ->
    [ExportOperand]

  /// Adds a recurrent operator, unrolled.
  mutating func unroll<Operation: RecurrentOperator>(
    _ operation: Operation
  ) throws(WeighbridgeError) -> [String] {
    let projection = try inputProjection(operation)
    let stateCount = Operation.stateNames.count
    return try unroll(
      operation.recurrence, projection, recurrentInputs(of: operation), stateCount: stateCount
    ) {
      (builder, sums, states) throws(WeighbridgeError) in
      try builder.step(operation, sums, states)
    }
  }

  /// Adds a recurrent convolution, unrolled.
  mutating func convLSTM(
    _ operation: ConvLSTM
  ) throws(WeighbridgeError) -> [String] {
    let stateCount = scope.outputTypes.count - 1
    let inputs = RecurrentInputs(operands, operation.recurrence, stateCount: stateCount)
    return try unroll(operation.recurrence, operands[0], inputs, stateCount: stateCount) {
      (builder, frame, states) throws(WeighbridgeError) in
      try builder.step(operation, frame, states, weights: inputs.weights)
    }
  }

  /// Unrolls a sequence step by step.
  ///
  /// - Parameters:
  ///   - sequence: `[batch, time, ...]`
  ///   - inputs: The operator's inputs.
  private mutating func unroll(
    _ recurrence: Recurrence, _ sequence: ExportOperand, _ inputs: RecurrentInputs<ExportOperand>,
    stateCount: Int, _ step: Step
  ) throws(WeighbridgeError) -> [String] {
    let count = try dimensions(type())[1]
    guard count <= Self.maximumStepCount else {
      throw .unsupported(
        "recurs over \(count.counted("step")) with settings that no layer of Core ML has, and at most "
          + "\(Self.maximumStepCount) steps can be written one by one")
    }
    let stateType = scope.outputTypes[1]
    let rank = stateType.rank
    let zero = try constant(
      Tensor(
        .float32, shape: try dimensions(stateType),
        [Double](repeating: 0, count: try dimensions(stateType).reduce(1, *))))
    let frames = try input(sequence)
    var frameType = sequence.type
    frameType.shape.remove(at: 1)
    var states: [String] = []
    for state in inputs.states { states.append(try input(state)) }
    if states.isEmpty { states = .init(repeating: zero, count: stateCount) }
    var output = zero
    var outputs: [Int: String] = [:]
    for position in 0..<count {
      let time = recurrence.isReversed ? count - 1 - position : position
      let frame = try slice(frames, rank: rank + 1, axis: 1, time..<time + 1)
      let newStates = try step(
        &self, value(try squeeze(frame, [1]), frameType), states.map { value($0, stateType) })
      (states, output) = try masked(
        recurrence, inputs, time, rank, newStates.map(\.name), states, output, zero)
      outputs[time] = output
    }
    guard recurrence.returnsSequences else { return [output] + states }
    var expanded: [String] = []
    for time in 0..<count {
      if let output = outputs[time] { expanded.append(try expandDims(output, [1])) }
    }
    return [try concatenate(expanded, axis: 1)] + states
  }

  /// The largest number of unrolled steps; more would make the file too large.
  private static var maximumStepCount: Int { 512 }

  /// Returns the states and the output after a step that a mask may skip.
  private mutating func masked(
    _ recurrence: Recurrence, _ inputs: RecurrentInputs<ExportOperand>, _ time: Int, _ rank: Int,
    _ newStates: [String], _ oldStates: [String], _ output: String, _ zero: String
  ) throws(WeighbridgeError) -> (states: [String], output: String) {
    guard let mask = inputs.mask else { return (newStates, newStates[0]) }
    let column = try slice(try input(mask), rank: 2, axis: 1, time..<time + 1)
    let isUnmasked = try expandDims(column, Array(2..<max(2, rank)))
    var states: [String] = []
    for (new, old) in zip(newStates, oldStates) {
      states.append(try select(isUnmasked, new, old))
    }
    switch recurrence.mask {
    case .previous: return (states, try select(isUnmasked, newStates[0], output))
    case .zero: return (states, try select(isUnmasked, newStates[0], zero))
    case .state, .none: return (states, states[0])
    }
  }
}
