package import Bytes
package import GraphIR

/// A simple recurrent network (Elman 1990): h' = activation(W x + b + U h + b').
///
/// - input x: `[batch, time, features]`, with at least one step
/// - mask: `[batch, time]`, bool, false for a step that is skipped
/// - initial h: `[batch, units]`; 0 if it is absent
/// - kernel W: `[units, features]`
/// - recurrent kernel U: `[units, units]`
/// - bias: `[units]` b, or `[2, units]` b and b'
/// - outputs: h of every step, `[batch, time, units]`, or only of the step processed last, `[batch,
///   units]`; the final h
package struct SimpleRNN: RecurrentOperator {
  /// How it iterates over the sequence, and what it outputs.
  package let recurrence: Recurrence
  /// The kind of bias.
  package let bias: RecurrentBias
  /// The activation for the sums.
  package let activation: CellActivation

  package static let kind = "simple_rnn"
  package static let version = 1
  package static let gateCount = 1
  package static let stateNames = ["h"]

  package static let declaration = OperatorDeclaration<Self>(
    "h = activation(W x + b + U h + b')",
    inputs: recurrentInputs,
    outputs: [.like("input"), .like("input", as: "last_h")],
    attributes: AttributeSchema(
      Self.init(recurrence:bias:activation:),
      .part(\.recurrence, Recurrence.schema),
      .recurrentBias(\.bias),
      .activation("activation", \.activation, "The activation of the sums.")),
    concepts: [.recurrence])

  /// Creates the operator.
  package init(recurrence: Recurrence, bias: RecurrentBias, activation: CellActivation) {
    self.recurrence = recurrence
    self.bias = bias
    self.activation = activation
  }
}

extension SimpleRNN {
  package func step(
    _ sums: [Double], _ states: [[Double]], stateSums: ([Double], Range<Int>) -> [Double]
  ) -> [[Double]] {
    let sums = zip(sums, stateSums(states[0], 0..<sums.count)).map(+)
    return [activation.apply(sums[...])]
  }
}

extension SimpleRNN {
  package func step(
    _ make: inout Composition, _ sums: ValueID, _ states: [ValueID], stateSums: StateSums
  ) throws(WeighbridgeError) -> [ValueID] {
    let sums = try make.sum(sums, try stateSums(&make, states[0], 0..<Self.gateCount))
    return [try make(activation.operation, sums)]
  }
}
