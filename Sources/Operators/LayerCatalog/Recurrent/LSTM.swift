package import Bytes
package import GraphIR

/// A long short-term memory (Hochreiter and Schmidhuber 1997), with a forget gate (Gers et al.
/// 2000).
///
/// - input x: `[batch, time, features]`, with at least one step
/// - mask: `[batch, time]`, bool, false for a step that is skipped
/// - initial h and c: `[batch, units]`; 0 if they are absent
/// - kernel W: `[4 units, features]`, in the order i (input), f (forget), g (cell), o (output)
/// - recurrent kernel U: `[4 units, units]`
/// - bias: `[4 units]` b, or `[2, 4 units]` b and b'
/// - outputs: h of every step, `[batch, time, units]`, or only of the step processed last, `[batch,
///   units]`; the final h; the final c
package struct LSTM: RecurrentOperator, LSTMCell {
  /// How it iterates over the sequence, and what it outputs.
  package let recurrence: Recurrence
  /// The kind of bias.
  package let bias: RecurrentBias
  /// The activation for the candidates and the cell state.
  package let activation: CellActivation
  /// The activation for the gates.
  package let recurrentActivation: CellActivation

  package static let kind = "lstm"
  package static let version = 1
  package static let gateCount = 4

  package static let declaration = OperatorDeclaration<Self>(
    """
    i, f, g, o = the four parts of W x + b + U h + b'
    c = s(f) * c + s(i) * activation(g), with s = recurrent_activation
    h = s(o) * activation(c)
    """,
    inputs: recurrentInputs,
    outputs: [.like("input"), .like("input", as: "last_h"), .like("input", as: "last_c")],
    attributes: AttributeSchema(
      Self.init(recurrence:bias:activation:recurrentActivation:),
      .part(\.recurrence, Recurrence.schema),
      .recurrentBias(\.bias),
      .activation(
        "activation", \.activation, "The activation of the candidates and of the cell state."),
      .activation(
        "recurrent_activation", \.recurrentActivation, "The activation of the gates.")),
    concepts: [.recurrence])

  /// Creates the operator.
  package init(
    recurrence: Recurrence, bias: RecurrentBias, activation: CellActivation,
    recurrentActivation: CellActivation
  ) {
    self.recurrence = recurrence
    self.bias = bias
    self.activation = activation
    self.recurrentActivation = recurrentActivation
  }
}

extension LSTM {
  package func step(
    _ sums: [Double], _ states: [[Double]], stateSums: ([Double], Range<Int>) -> [Double]
  ) -> [[Double]] {
    let sums = zip(sums, stateSums(states[0], 0..<sums.count)).map(+)
    return self.states(sums, cell: states[1])
  }
}

extension LSTM {
  package func step(
    _ make: inout Composition, _ sums: ValueID, _ states: [ValueID], stateSums: StateSums
  ) throws(WeighbridgeError) -> [ValueID] {
    let sums = try make.sum(sums, try stateSums(&make, states[0], 0..<Self.gateCount))
    return try self.states(sums, cell: states[1], axis: 1, &make)
  }
}
