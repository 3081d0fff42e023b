package import Bytes
package import GraphIR

/// A gated recurrent unit (Cho et al. 2014), in its two forms.
///
/// - input x: `[batch, time, features]`, with at least one step
/// - mask: `[batch, time]`, bool, false for a step that is skipped
/// - initial h: `[batch, units]`; 0 if it is absent
/// - kernel W: `[3 units, features]`, in the order z (update), r (reset), n (candidate)
/// - recurrent kernel U: `[3 units, units]`
/// - bias: `[3 units]` b, or `[2, 3 units]` b and b'
/// - outputs: h of every step, `[batch, time, units]`, or only of the step processed last, `[batch,
///   units]`; the final h
package struct GRU: RecurrentOperator {
  /// How it iterates over the sequence, and what it outputs.
  package let recurrence: Recurrence
  /// The kind of bias.
  package let bias: RecurrentBias
  /// The activation for the candidates.
  package let activation: CellActivation
  /// The activation for the gates.
  package let recurrentActivation: CellActivation
  /// Whether the reset gate is applied after the product with the recurrent kernel.
  package let resetsAfter: Bool

  package static let kind = "gru"
  package static let version = 1
  package static let gateCount = 3
  package static let stateNames = ["h"]

  package static let declaration = OperatorDeclaration<Self>(
    """
    z = s(Wz x + bz + Uz h + b'z), r = s(Wr x + br + Ur h + b'r), with s = recurrent_activation
    m = activation(Wn x + bn + r * (Un h + b'n)) if reset_after
    m = activation(Wn x + bn + Un (r * h) + b'n) otherwise
    h = z * h + (1 - z) * m
    """,
    inputs: recurrentInputs,
    outputs: [.like("input"), .like("input", as: "last_h")],
    attributes: AttributeSchema(
      Self.init(recurrence:bias:activation:recurrentActivation:resetsAfter:),
      .part(\.recurrence, Recurrence.schema),
      .recurrentBias(\.bias),
      .activation("activation", \.activation, "The activation of the candidates."),
      .activation(
        "recurrent_activation", \.recurrentActivation, "The activation of the gates."),
      .boolean(
        "reset_after", \.resetsAfter,
        "Whether the reset gate is applied after the product with the recurrent kernel.")),
    concepts: [.recurrence])

  /// Creates the operator.
  package init(
    recurrence: Recurrence, bias: RecurrentBias, activation: CellActivation,
    recurrentActivation: CellActivation, resetsAfter: Bool
  ) {
    self.recurrence = recurrence
    self.bias = bias
    self.activation = activation
    self.recurrentActivation = recurrentActivation
    self.resetsAfter = resetsAfter
  }
}

extension GRU {
  package func step(
    _ sums: [Double], _ states: [[Double]], stateSums: ([Double], Range<Int>) -> [Double]
  ) -> [[Double]] {
    let (state, units) = (states[0], states[0].count)
    let gates = zip(sums, stateSums(state, 0..<2 * units)).map(+)
    let update = recurrentActivation.apply(gates[..<units])
    let reset = recurrentActivation.apply(gates[units...])
    let candidateRows = 2 * units..<3 * units
    let fromState =
      resetsAfter
      ? zip(reset, stateSums(state, candidateRows)).map(*)
      : stateSums(zip(reset, state).map(*), candidateRows)
    let candidate = activation.apply(zip(sums[candidateRows], fromState).map(+)[...])
    return [state.indices.map { update[$0] * state[$0] + (1 - update[$0]) * candidate[$0] }]
  }
}

extension GRU {
  package static var stateGates: [Range<Int>] { [0..<2, 2..<3] }

  package func step(
    _ make: inout Composition, _ sums: ValueID, _ states: [ValueID], stateSums: StateSums
  ) throws(WeighbridgeError) -> [ValueID] {
    let state = states[0]
    let gates = try make.split(sums, into: 3, axis: 1)
    let fromState = try make.split(try stateSums(&make, state, 0..<2), into: 2, axis: 1)
    let update = try make(recurrentActivation.operation, try make.sum(gates[0], fromState[0]))
    let reset = try make(recurrentActivation.operation, try make.sum(gates[1], fromState[1]))
    let candidateFromState =
      resetsAfter
      ? try make.product(reset, try stateSums(&make, state, 2..<3))
      : try stateSums(&make, try make.product(reset, state), 2..<3)
    let candidate = try make(
      activation.operation, try make.sum(gates[2], candidateFromState))
    let difference = try make.difference(state, candidate)
    return [try make.sum(candidate, try make.product(update, difference))]
  }
}
