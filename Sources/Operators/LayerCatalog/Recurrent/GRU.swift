package import Bytes
package import GraphIR

/// The gated recurrent unit (Cho et al. 2014), in its two forms.
///
/// With the parts z, r, n of W x + b and z', r', n' of U h + b', each `units` long, and s the
/// recurrent activation:
/// - the candidates are activation(n + s(r + r') n') where the reset comes after the product, and
///   otherwise activation(n + U_n (s(r + r') h) + b'_n)
/// - h' = s(z + z') h + (1 - s(z + z')) candidates
///
/// - input x: `[batch, time, features]`, with at least one step
/// - mask: `[batch, time]`, bool, false for a step that is left out; see `mask` below
/// - initial h: `[batch, units]`; 0 when there is none
/// - kernel W: `[3 units, features]`, in the order z, r, n
/// - recurrent kernel U: `[3 units, units]`
/// - bias: `[3 units]` b, or `[2, 3 units]` b and b'
/// - outputs: h of every step, `[batch, time, units]`, or of the one worked on last,
///   `[batch, units]`; the last h
package struct GRU: RecurrentOperator {
  /// How it walks over the sequence.
  package let recurrence: Recurrence
  /// Which biases there are.
  package let bias: RecurrentBias
  /// What is applied to the candidates.
  package let activation: CellActivation
  /// What is applied to the gates.
  package let recurrentActivation: CellActivation
  /// Whether the reset gate is applied after the product with the recurrent kernel.
  package let resetsAfter: Bool

  package static let kind = "gru"
  package static let version = 1
  package static let gateCount = 3
  package static let stateNames = ["h"]

  package var attributes: Attributes {
    var attributes = Attributes()
    recurrence.append(to: &attributes)
    attributes.append("bias", .text(bias.rawValue))
    activation.append("activation", to: &attributes)
    recurrentActivation.append("recurrent_activation", to: &attributes)
    attributes.append("reset_after", .flag(resetsAfter))
    return attributes
  }

  /// Makes the operator.
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
  package init(reading attributes: inout AttributeReader) throws(WeighbridgeError) {
    recurrence = try Recurrence(reading: &attributes)
    bias = try attributes.word("bias")
    activation = try CellActivation("activation", reading: &attributes)
    recurrentActivation = try CellActivation("recurrent_activation", reading: &attributes)
    resetsAfter = try attributes.flag("reset_after")
  }

  package func step(
    _ sums: [Double], _ states: [[Double]], stateSums: ([Double], Range<Int>) -> [Double]
  ) -> [[Double]] {
    let (state, units) = (states[0], states[0].count)
    let gates = zip(sums, stateSums(state, 0..<2 * units)).map(+)
    let update = recurrentActivation.apply(gates[..<units])
    let reset = recurrentActivation.apply(gates[units...])
    let rows = 2 * units..<3 * units
    let fromState =
      resetsAfter
      ? zip(reset, stateSums(state, rows)).map(*) : stateSums(zip(reset, state).map(*), rows)
    let candidate = activation.apply(zip(sums[rows], fromState).map(+)[...])
    return [state.indices.map { update[$0] * state[$0] + (1 - update[$0]) * candidate[$0] }]
  }
}
