import Bytes
import ConversionCore
import GraphIR
import LayerCatalog
import TFLiteFormat

/// Recurrent operators as loops, for sequences of many steps or of an unknown number.
extension TFLiteBuilder {
  /// What a step reads and changes, by name; `nil` for what an operator does not have.
  private struct Variables {
    /// The position of the step, `[1]`.
    let time: ExportOperand
    let states: [ExportOperand]
    /// The output of the step before, where it is not the first state.
    let output: ExportOperand?
    /// The outputs of all steps, `[batch, time, ...]`.
    let outputs: ExportOperand?
    let sequence: ExportOperand
    let mask: ExportOperand?

    var all: [ExportOperand] {
      [time] + states + [output, outputs, sequence, mask].compactMap { $0 }
    }
  }

  /// Writes a loop over the steps.
  ///
  /// - Parameter sequence: `[batch, time, ...]`
  mutating func looped(
    _ recurrence: Recurrence, _ sequence: ExportOperand, _ inputs: RecurrentInputs<ExportOperand>,
    _ step: Step
  ) throws(WeighbridgeError) -> [String] {
    let stateType = scope.outputTypes[1]
    let zero = try filled(stateType, sequence)
    var states: [ExportOperand] = []
    for state in inputs.states {
      // A constant state is that of every example.
      states.append(state.constant == nil ? state : try binary(.add, zero, state))
    }
    if states.isEmpty { states = scope.outputTypes.dropFirst().map { _ in zero } }
    let hasOutput = [.previous, .zero].contains(recurrence.mask)
    let start = Variables(
      time: try firstStep(recurrence, sequence), states: states, output: hasOutput ? zero : nil,
      outputs: recurrence.returnsSequences ? try filled(outputType, sequence) : nil,
      sequence: sequence, mask: inputs.mask)
    let condition = try condition(recurrence, start)
    let body = try body(recurrence, start, step)
    let end = try add(
      .whileLoop, start.all, subgraphs: [condition, body], types: start.all.map(\.type)
    ).dropFirst().map(\.name)
    let outputs = end[states.count...].prefix((hasOutput ? 1 : 0) + (start.outputs == nil ? 0 : 1))
    return [outputs.last ?? end[0]] + end[..<states.count]
  }

  /// The largest number of zeros that are stored.
  private static var maximumConstantCount: Int { 1024 }

  /// A tensor of zeros; unknown sizes are those of the sequence.
  private mutating func filled(
    _ type: TensorType, _ sequence: ExportOperand
  ) throws(WeighbridgeError) -> ExportOperand {
    if let shape = type.fixedShape, shape.reduce(1, *) <= Self.maximumConstantCount {
      return .constant(
        Tensor(type.elementType, shape: shape, [Double](repeating: 0, count: shape.reduce(1, *))))
    }
    let isSequence = type.rank == sequence.type.rank
    guard type.shape.dropFirst(isSequence ? 2 : 1).allSatisfy({ $0.value != nil }) else {
      throw .unsupported("has states \(type), whose sizes after the batch must be known")
    }
    let sizes = try shape(
      type.shape, from: isSequence ? [0: (sequence, 0), 1: (sequence, 1)] : [0: (sequence, 0)])
    return try add(.fill, sizes, scalar(0, type.elementType), as: type)
  }

  private mutating func firstStep(
    _ recurrence: Recurrence, _ sequence: ExportOperand
  ) throws(WeighbridgeError) -> ExportOperand {
    guard recurrence.isReversed else { return integers([0]) }
    if let count = sequence.type.shape[1].value { return integers([count - 1]) }
    return try binary(.subtract, try size(sequence, 1), integers([1]))
  }

  /// A builder for a graph of the loop, and its inputs.
  private func subgraph(_ start: Variables) -> (builder: TFLiteBuilder, inputs: Variables) {
    var builder = TFLiteBuilder(reserved: [], replacedTypes: replacedTypes)
    builder.scope = scope
    func input(_ role: String, _ value: ExportOperand) -> ExportOperand {
      builder.addInput(builder.unusedName("\(scope.prefix)/\(role)"), value.type)
    }
    let inputs = Variables(
      time: input("step", start.time), states: start.states.map { input("state", $0) },
      output: start.output.map { input("output", $0) },
      outputs: start.outputs.map { input("outputs", $0) },
      sequence: input("sequence", start.sequence), mask: start.mask.map { input("mask", $0) })
    return (builder, inputs)
  }

  /// Whether there is another step.
  private func condition(
    _ recurrence: Recurrence, _ start: Variables
  ) throws(WeighbridgeError) -> TFLiteSubgraph {
    let (graph, inputs) = subgraph(start)
    var builder = graph
    let isInside: ExportOperand
    if recurrence.isReversed {
      isInside = try builder.binary(
        .greaterOrEqual, inputs.time, builder.integers([0]), as: .bool)
    } else {
      let count = try builder.shape(
        [inputs.sequence.type.shape[1]], from: [0: (inputs.sequence, 1)])
      isInside = try builder.binary(.less, inputs.time, count, as: .bool)
    }
    return TFLiteSubgraph(
      "\(scope.prefix)/condition", builder, inputs: inputs.all.map(\.name),
      outputs: [isInside.name])
  }

  /// A step.
  private func body(
    _ recurrence: Recurrence, _ start: Variables, _ step: Step
  ) throws(WeighbridgeError) -> TFLiteSubgraph {
    let (graph, inputs) = subgraph(start)
    var builder = graph
    let element = try builder.element(inputs.sequence, at: inputs.time)
    let next = try step(&builder, element, inputs.states)
    var isKept: ExportOperand?
    if let mask = inputs.mask { isKept = try builder.element(mask, at: inputs.time) }
    let (states, output) = try builder.masked(
      recurrence, isKept, next, inputs.states, output: inputs.output ?? inputs.states[0])
    var outputs: ExportOperand?
    if let all = inputs.outputs {
      let place = try builder.place(inputs.time, rank: all.type.rank)
      outputs = try builder.add(
        .dynamicUpdateSlice, all, try builder.expanded(output, 1), place, as: all.type)
    }
    let time = try builder.binary(
      .add, inputs.time, builder.integers([recurrence.isReversed ? -1 : 1]))
    let end = Variables(
      time: time, states: states, output: inputs.output.map { _ in output }, outputs: outputs,
      sequence: inputs.sequence, mask: inputs.mask)
    return TFLiteSubgraph(
      "\(scope.prefix)/body", builder, inputs: inputs.all.map(\.name),
      outputs: end.all.map(\.name))
  }

  /// The element of a sequence at a step.
  private mutating func element(
    _ sequence: ExportOperand, at time: ExportOperand
  ) throws(WeighbridgeError) -> ExportOperand {
    var type = sequence.type
    type.shape[1] = 1
    let element = try add(
      .gather, sequence, time, options: .gather(axis: 1, batchAxes: 0), as: type)
    return try squeezed(element, [1])
  }

  /// Where the output of a step begins among those of all.
  private mutating func place(
    _ time: ExportOperand, rank: Int
  ) throws(WeighbridgeError) -> ExportOperand {
    let others = integers([Int](repeating: 0, count: rank - 2))
    return try concatenated(
      [integers([0]), time, others], axis: 0, as: TensorType(.int32, [.fixed(rank)]))
  }
}
