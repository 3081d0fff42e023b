import COneDNN
import GraphIR
import LayerCatalog

extension LSTM: EngineOperator {
  func addSteps(to builder: inout PlanBuilder, for group: NodeGroup) -> Bool {
    if activation == .tanh, recurrentActivation == .sigmoid,
      builder.addRecurrent(
        self, onednn_cell_lstm, for: group,
        arrange: { bias, units in bias.count == 2 ? [zip(bias[0], bias[1]).map(+)] : bias })
    {
      return true
    }
    return builder.addLoop(
      self, .lstm(activation.rowFunction, gates: recurrentActivation.rowFunction), for: group)
  }
}

extension GRU: EngineOperator {
  func addSteps(to builder: inout PlanBuilder, for group: NodeGroup) -> Bool {
    if activation == .tanh, recurrentActivation == .sigmoid, resetsAfter,
      builder.addRecurrent(self, onednn_cell_gru, for: group, arrange: Self.biases)
    {
      return true
    }
    let cell = RecurrentCell.gru(
      activation.rowFunction, gates: recurrentActivation.rowFunction, resetsAfter: resetsAfter)
    return builder.addLoop(self, cell, for: group)
  }

  /// The biases of z and r together, of n's input and of n's state.
  private static func biases(_ bias: [[Double]], units: Int) -> [[Double]] {
    let state = bias.count == 2 ? bias[1] : [Double](repeating: 0, count: 3 * units)
    let gates = zip(bias[0], state).map(+)[..<(2 * units)]
    return [Array(gates), Array(bias[0][(2 * units)...]), Array(state[(2 * units)...])]
  }
}

extension PlanBuilder {
  /// Adds a recurrent layer without a mask.
  ///
  /// - Parameter arrange: The library's biases, one behind the other, for the layer's own: one list or
  ///   two, of all gates.
  fileprivate mutating func addRecurrent(
    _ operation: some RecurrentOperator, _ cell: onednn_cell, for group: NodeGroup,
    arrange: (_ bias: [[Double]], _ units: Int) -> [[Double]]
  ) -> Bool {
    let recurrence = operation.recurrence
    let stateCount = type(of: operation).stateNames.count
    let parts = RecurrentInputs(group.inputs, recurrence, stateCount: stateCount)
    let weights = parts.weights.compactMap { graph[$0].constant }
    guard !keepsNaN, recurrence.mask == .none, weights.count == parts.weights.count,
      let call = RecurrentCall(
        cell, sequence: shape(of: parts.sequence), units: weights[1].shape[1],
        gates: type(of: operation).gateCount, isReversed: recurrence.isReversed,
        hasStates: recurrence.hasInitialStates),
      rowMajorLayout(of: parts.sequence) != nil,
      let input = tensor(parts.sequence, as: call.source)
    else { return false }
    guard let kernel = weight(call.gated(weights[0]), parts.weights[0], as: call.weights),
      let recurrent = weight(call.gated(weights[1]), parts.weights[1], as: call.stateWeights)
    else { return false }
    let sums = weights[0].shape[0]
    let numbers = weights.count > 2 ? weights[2].doubles : .init(repeating: 0, count: sums)
    let lists = stride(from: 0, to: numbers.count, by: sums).map {
      Array(numbers[$0..<$0 + sums])
    }
    let bias = addConstant(arrange(lists, call.units).joined().map(Float.init))
    let storages = [
      (onednn_role_source, input.storage), (onednn_role_weights, kernel),
      (onednn_role_second_weights, recurrent), (onednn_role_bias, bias),
    ]
    add(
      call.primitive,
      storages + stateStorages(parts.states) + targetStorages(operation, call, for: group))
    return true
  }

  private mutating func stateStorages(_ states: [ValueID]) -> [(onednn_role, Storage)] {
    let roles = [onednn_role_second_source, onednn_role_third_source]
    return zip(roles, states).map { ($0, rowMajor($1).storage) }
  }

  /// The memory of the sequence of outputs, of the states at the end, and of the layer's output, which
  /// is one of these.
  private mutating func targetStorages(
    _ operation: some RecurrentOperator, _ call: RecurrentCall, for group: NodeGroup
  ) -> [(onednn_role, Storage)] {
    let states = group.outputs.dropFirst().map { makeTensor($0) }
    let sequence: Storage
    if operation.recurrence.returnsSequences {
      sequence = makeTensor(group.outputs[0], layout: call.target).storage
    } else {
      sequence = addScratch(byteCount: call.target.byteCount)
      _ = share(states[0], as: group.outputs[0], layout: states[0].layout)
    }
    let roles = [onednn_role_second_target, onednn_role_third_target]
    return [(onednn_role_target, sequence)] + zip(roles, states.map(\.storage)).map { ($0, $1) }
  }
}

/// A recurrent primitive, and the layouts that it chose.
private struct RecurrentCall {
  let primitive: Primitive
  /// The layouts of the sequences with the graph's axes.
  let source, target: Layout
  let weights, stateWeights: Layout
  let units: Int
  private let gates: Int

  /// - Parameter sequence: The sizes `[batch, time, features]`.
  init?(
    _ cell: onednn_cell, sequence: [Int], units: Int, gates: Int, isReversed: Bool,
    hasStates: Bool
  ) {
    let (batch, time, features) = (sequence[0], sequence[1], sequence[2])
    let biases = cell == onednn_cell_gru ? gates + 1 : gates
    guard let source = Layout.rowMajor([time, batch, features]),
      let target = Layout.rowMajor([time, batch, units]),
      let weights = Layout.any([1, 1, features, gates, units]),
      let stateWeights = Layout.any([1, 1, units, gates, units]),
      let bias = Layout.rowMajor([1, 1, biases, units]),
      let state = Layout.rowMajor([1, 1, batch, units])
    else { return nil }
    let cellState = cell == onednn_cell_lstm ? state.handle : nil
    let layouts = onednn_recurrent_layouts(
      source: source.handle, state: hasStates ? state.handle : nil,
      cell_state: hasStates ? cellState : nil, weights: weights.handle,
      state_weights: stateWeights.handle, bias: bias.handle, target: target.handle,
      last_state: state.handle, last_cell_state: cellState)
    guard let primitive = Primitive(owning: onednn_recurrent(cell, isReversed, layouts)),
      let graphSource = source.permuted([1, 0, 2]), let graphTarget = target.permuted([1, 0, 2]),
      let chosen = primitive.layout(onednn_role_weights),
      let chosenState = primitive.layout(onednn_role_second_weights)
    else { return nil }
    (self.primitive, self.source, self.target) = (primitive, graphSource, graphTarget)
    (self.weights, self.stateWeights) = (chosen, chosenState)
    (self.units, self.gates) = (units, gates)
  }

  /// A kernel `[gates * units, in]` as `[1, 1, in, gates, units]`.
  func gated(_ kernel: Tensor) -> Tensor {
    kernel.splitting(0, into: [1, 1, gates, units]).permuted([0, 1, 4, 2, 3])
  }
}
