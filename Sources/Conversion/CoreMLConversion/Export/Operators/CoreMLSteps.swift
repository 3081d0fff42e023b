import Bytes
import ConversionCore
import CoreMLFormat
import GraphIR
import LayerCatalog
import ProtobufWire

/// The weights that the states of a recurrent operator meet, as values.
struct CoreMLCell: Sendable {
  /// The recurrent kernel, `[gates * units, units]`.
  let kernel: Tensor
  /// The bias of the states, if they have one of their own.
  let bias: Tensor?
}

extension CoreMLNetworkBuilder {
  /// An operator as the layers of each step.
  ///
  /// - Parameter step: The states after a step, for the sums that the input makes in it and the
  ///   states before.
  mutating func steps<Operation: RecurrentOperator>(
    _ operation: Operation,
    _ step: (inout CoreMLNetworkBuilder, String, [String], CoreMLCell) throws(WeighbridgeError) ->
      [String]
  ) throws(WeighbridgeError) -> [String] {
    let parts = RecurrentInputs(
      Array(operands.indices), operation.recurrence, stateCount: Operation.stateNames.count)
    let (kernel, recurrent) = (try tensor(parts.weights[0]), try tensor(parts.weights[1]))
    var biases: [Tensor] = []
    if operation.bias != .none {
      let own = try tensor(parts.weights[2])
      let rows = operation.bias == .separate ? own : own.reshaped([1, own.count])
      biases = (0..<rows.shape[0]).map {
        rows.slice($0..<$0 + 1, along: 0).reshaped([rows.shape[1]])
      }
    }
    var settings: ProtobufRecord = [
      "weightMatrixFirstDimension": .integer(kernel.shape[1]),
      "weightMatrixSecondDimension": .integer(kernel.shape[0]),
      "hasBias": .boolean(!biases.isEmpty), "weights": weights(kernel),
    ]
    if let bias = biases.first { settings["bias"] = weights(bias) }
    let sums = try add("batchedMatmul", [try input()], settings)
    let cell = CoreMLCell(kernel: recurrent, bias: biases.count == 2 ? biases[1] : nil)
    return try walk(
      operation.recurrence, sums, parts, stateCount: Operation.stateNames.count
    ) { (builder, part, states) throws(WeighbridgeError) in
      try step(&builder, part, states, cell)
    }
  }

  /// Walks over a sequence, step after step.
  ///
  /// - Parameters:
  ///   - sequence: `[batch, time, ...]`
  ///   - parts: The positions of the operator's inputs.
  fileprivate mutating func walk(
    _ recurrence: Recurrence, _ sequence: String, _ parts: RecurrentInputs<Int>, stateCount: Int,
    _ step: (inout CoreMLNetworkBuilder, String, [String]) throws(WeighbridgeError) -> [String]
  ) throws(WeighbridgeError) -> [String] {
    let count = try dimensions(type())[1]
    guard count <= Self.largestWalk else {
      throw WeighbridgeError(
        .unsupported,
        "Core ML has no layer for these settings, and \(count) steps are too many to be written"
          + " one by one (\(Self.largestWalk) can be)")
    }
    let stateType = scope.outputTypes[1]
    let rank = stateType.rank
    let zero = try constant(
      Tensor(
        .float32, shape: try dimensions(stateType),
        [Double](repeating: 0, count: try dimensions(stateType).reduce(1, *))))
    var states: [String] = []
    for position in parts.states { states.append(try input(position)) }
    if states.isEmpty { states = .init(repeating: zero, count: stateCount) }
    var output = zero
    var outputs: [Int: String] = [:]
    for number in 0..<count {
      let time = recurrence.isReversed ? count - 1 - number : number
      let part = try slice(sequence, rank: rank + 1, axis: 1, time..<time + 1)
      let new = try step(&self, try squeeze(part, [1]), states)
      (states, output) = try masked(recurrence, parts, time, rank, new, states, output, zero)
      outputs[time] = output
    }
    guard recurrence.returnsSequences else { return [output] + states }
    var all: [String] = []
    for time in 0..<count {
      if let output = outputs[time] { all.append(try expandDims(output, [1])) }
    }
    return [try concatenate(all, axis: 1)] + states
  }

  /// More steps would make too large a file.
  private static var largestWalk: Int { 512 }

  /// The states and the output after a step that a mask may leave out.
  private mutating func masked(
    _ recurrence: Recurrence, _ parts: RecurrentInputs<Int>, _ time: Int, _ rank: Int,
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

  /// What a state adds to the sums of some gates, with its bias.
  mutating func stateSums(
    _ cell: CoreMLCell, _ state: String, gates: Range<Int>
  ) throws(WeighbridgeError) -> String {
    let units = cell.kernel.shape[1]
    let rows = gates.lowerBound * units..<gates.upperBound * units
    let kernel = try constant(cell.kernel.slice(rows, along: 0))
    let product = try matrixProduct(state, kernel, transposeB: true)
    guard let bias = cell.bias else { return product }
    return try sum(product, try constant(bias.slice(rows, along: 0).reshaped([1, rows.count])))
  }

  /// What an activation makes of sums, `[batch, units]` or with spatial axes.
  mutating func bent(
    _ sums: String, _ activation: CellActivation
  ) throws(WeighbridgeError) -> String {
    try apply(activation.operation, to: sums, scope.outputTypes[1])
  }

  /// The states of a long short-term memory after a step, for the sums of its gates.
  mutating func memory(
    _ sums: String, _ states: [String], axis: Int, _ activation: CellActivation,
    _ recurrentActivation: CellActivation
  ) throws(WeighbridgeError) -> [String] {
    let units = try dimensions(scope.outputTypes[1])[axis]
    let gates = try split(sums, axis: axis, [units, units, units, units])
    let input = try bent(gates[0], recurrentActivation)
    let forget = try bent(gates[1], recurrentActivation)
    let candidate = try bent(gates[2], activation)
    let output = try bent(gates[3], recurrentActivation)
    let cell = try sum(try product(forget, states[1]), try product(input, candidate))
    return [try product(output, try bent(cell, activation)), cell]
  }

  /// The state of a gated recurrent unit after a step.
  mutating func gatedUnit(
    _ operation: GRU, _ sums: String, _ state: String, _ cell: CoreMLCell
  ) throws(WeighbridgeError) -> String {
    let units = try dimensions(scope.outputTypes[1])[1]
    let parts = try split(sums, axis: 1, [units, units, units])
    let fromState = try split(
      try stateSums(cell, state, gates: 0..<2), axis: 1, [units, units])
    let update = try bent(try sum(parts[0], fromState[0]), operation.recurrentActivation)
    let reset = try bent(try sum(parts[1], fromState[1]), operation.recurrentActivation)
    let last =
      operation.resetsAfter
      ? try product(reset, try stateSums(cell, state, gates: 2..<3))
      : try stateSums(cell, try product(reset, state), gates: 2..<3)
    let candidate = try bent(try sum(parts[2], last), operation.activation)
    return try sum(candidate, try product(update, try difference(state, candidate)))
  }

  /// A memory whose products are convolutions.
  mutating func convolutionalMemory(
    _ operation: ConvLSTM
  ) throws(WeighbridgeError) -> [String] {
    let stateCount = scope.outputTypes.count - 1
    let parts = RecurrentInputs(
      Array(operands.indices), operation.recurrence, stateCount: stateCount)
    let weights = parts.weights.map { operands[$0] }
    var frameType = type()
    frameType.shape.remove(at: 1)
    let stateType = scope.outputTypes[1]
    let ones = operation.window.size.map { _ in 1 }
    let inner = Window(
      size: operation.window.size, strides: ones, dilation: ones, padding: .same)
    return try walk(
      operation.recurrence, try input(), parts, stateCount: stateCount
    ) { (builder, frame, states) throws(WeighbridgeError) in
      let fromInput = try builder.convolution(
        operation.window, operation.layout, frame, frameType, [weights[0]] + weights.dropFirst(2))
      let fromState = try builder.convolution(
        inner, operation.layout, states[0], stateType, [weights[1]])
      return try builder.memory(
        try builder.sum(fromInput, fromState), states,
        axis: operation.layout.channelAxis(rank: stateType.rank), operation.activation,
        operation.recurrentActivation)
    }
  }

  /// A convolution of data of any layout.
  private mutating func convolution(
    _ window: Window, _ layout: DataLayout, _ input: String, _ type: TensorType,
    _ weights: [ExportOperand]
  ) throws(WeighbridgeError) -> String {
    let order = layout.axesToChannelsFirst(rank: type.rank)
    let turned = ExportOperand(
      name: try transpose(input, order), type: type.with(shape: order.map { type.shape[$0] }),
      constant: nil)
    let own = Convolution(
      window: window, groups: 1, hasBias: weights.count > 1, layout: .channelsFirst)
    let sums = try apply(own, named: scope.prefix, [turned] + weights)[0].name
    return try transpose(sums, layout.axesFromChannelsFirst(rank: type.rank))
  }
}
