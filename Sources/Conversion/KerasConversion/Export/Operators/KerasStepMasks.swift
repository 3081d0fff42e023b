import Bytes
import ConversionCore
import GraphIR
import LayerCatalog

extension KerasModelBuilder {
  /// The output of a recurrent layer as a step mask wants it, for the one that Keras gives now: at
  /// steps before the first one that counts that is 0, and the oldest versions gave the state to
  /// begin with.
  ///
  /// - Parameter output: What the layer gives, each step's with its step.
  mutating func beginning(
    _ output: KerasValue, _ recurrence: Recurrence, _ parts: RecurrentInputs<Int>
  ) throws(WeighbridgeError) -> KerasValue {
    guard recurrence.mask == .state, let mask = parts.mask, let state = parts.states.first else {
      return output
    }
    let counts = try function(.cast, [self[mask]], to: .int32)
    var (counted, first) = (counts, self[state])
    if recurrence.returnsSequences {
      let sum = CumSum(axis: 1, isExclusive: false, isReversed: recurrence.isReversed)
      counted = try expanded(
        try cumulative("Cumsum", tf: "math.cumsum", sum, counts), 2)
      first = try expanded(first, 1)
    } else {
      counted = try reduce("Max", "math.reduce_max", counts, [1])
    }
    let hasBegun = try compare(.greater, counted, number(0, .int32))
    return try function(.select, [hasBegun, output, first], type: output.type)
  }
}
