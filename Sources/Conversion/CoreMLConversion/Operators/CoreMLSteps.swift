import Bytes
import ConversionCore
import CoreMLFormat
import GraphIR
import LayerCatalog
import ProtobufWire

extension CoreMLNetworkBuilder {
  /// Adds one step for its part of the sequence and the states before it, and returns the states
  /// after it.
  typealias Step =
    (inout CoreMLNetworkBuilder, ExportOperand, [ExportOperand]) throws(WeighbridgeError) ->
    [ExportOperand]

  /// Adds an unrolled operator.
  mutating func steps<Operation: RecurrentOperator>(
    _ operation: Operation
  ) throws(WeighbridgeError) -> [String] {
    let sums = try inputSums(operation)
    let stateCount = Operation.stateNames.count
    return try walk(operation.recurrence, sums, parts(of: operation), stateCount: stateCount) {
      (builder, sums, states) throws(WeighbridgeError) in
      try builder.step(operation, sums, states)
    }
  }

  /// Adds an unrolled convolutional LSTM.
  mutating func convolutionalMemory(
    _ operation: ConvLSTM
  ) throws(WeighbridgeError) -> [String] {
    let stateCount = scope.outputTypes.count - 1
    let parts = RecurrentInputs(operands, operation.recurrence, stateCount: stateCount)
    return try walk(operation.recurrence, operands[0], parts, stateCount: stateCount) {
      (builder, frame, states) throws(WeighbridgeError) in
      try builder.step(operation, frame, states, weights: parts.weights)
    }
  }

  /// Unrolls a sequence step by step.
  ///
  /// - Parameters:
  ///   - sequence: `[batch, time, ...]`
  ///   - parts: The operator's inputs.
  private mutating func walk(
    _ recurrence: Recurrence, _ sequence: ExportOperand, _ parts: RecurrentInputs<ExportOperand>,
    stateCount: Int, _ step: Step
  ) throws(WeighbridgeError) -> [String] {
    let count = try dimensions(type())[1]
    guard count <= Self.largestWalk else {
      throw .unsupported(
        "Core ML has no layer for these settings, and \(count) steps are too many to be written"
          + " one by one (\(Self.largestWalk) can be)")
    }
    let stateType = scope.outputTypes[1]
    let rank = stateType.rank
    let zero = try constant(
      Tensor(
        .float32, shape: try dimensions(stateType),
        [Double](repeating: 0, count: try dimensions(stateType).reduce(1, *))))
    let whole = try input(sequence)
    var partType = sequence.type
    partType.shape.remove(at: 1)
    var states: [String] = []
    for state in parts.states { states.append(try input(state)) }
    if states.isEmpty { states = .init(repeating: zero, count: stateCount) }
    var output = zero
    var outputs: [Int: String] = [:]
    for number in 0..<count {
      let time = recurrence.isReversed ? count - 1 - number : number
      let part = try slice(whole, rank: rank + 1, axis: 1, time..<time + 1)
      let new = try step(
        &self, value(try squeeze(part, [1]), partType), states.map { value($0, stateType) })
      (states, output) = try masked(
        recurrence, parts, time, rank, new.map(\.name), states, output, zero)
      outputs[time] = output
    }
    guard recurrence.returnsSequences else { return [output] + states }
    var all: [String] = []
    for time in 0..<count {
      if let output = outputs[time] { all.append(try expandDims(output, [1])) }
    }
    return [try concatenate(all, axis: 1)] + states
  }

  /// The largest number of steps; more would make the file too large.
  private static var largestWalk: Int { 512 }

  /// Returns the states and the output after a step that a mask may skip.
  private mutating func masked(
    _ recurrence: Recurrence, _ parts: RecurrentInputs<ExportOperand>, _ time: Int, _ rank: Int,
    _ new: [String], _ old: [String], _ output: String, _ zero: String
  ) throws(WeighbridgeError) -> (states: [String], output: String) {
    guard let mask = parts.mask else { return (new, new[0]) }
    let column = try slice(try input(mask), rank: 2, axis: 1, time..<time + 1)
    let counts = try expandDims(column, Array(2..<max(2, rank)))
    var states: [String] = []
    for (after, before) in zip(new, old) { states.append(try choose(counts, after, before)) }
    switch recurrence.mask {
    case .previous: return (states, try choose(counts, new[0], output))
    case .zero: return (states, try choose(counts, new[0], zero))
    case .state, .none: return (states, states[0])
    }
  }
}
