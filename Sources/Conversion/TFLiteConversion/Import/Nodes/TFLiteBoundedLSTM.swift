import Bytes
import ConversionCore
import GraphIR
import LayerCatalog
import TFLiteFormat

/// An LSTM whose cell state is kept within bounds, which the catalog's operator does not do.
struct TFLiteBoundedLSTM {
  /// The largest magnitude of the cell state; 0 for no bounds.
  let bound: Double
  /// The activation of the candidates and of the cell state.
  let activation: any CatalogOperator
  let isReversed: Bool

  /// Whether the cell state cannot reach the bounds in a number of steps: it begins with 0, and each
  /// step adds at most 1 if the candidates are at most 1.
  func isUnbounded(steps: Int?) -> Bool {
    guard bound > 0 else { return true }
    let candidatesAreSmall = activation is Tanh || activation is Sigmoid
    return candidatesAreSmall && steps.map { Double($0) <= bound } == true
  }
}

extension TFLiteLayer {
  /// Adds the steps of an LSTM one after another, with bounds for the cell state.
  ///
  /// - Parameters:
  ///   - sequence: `[batch, time, features]`, of known length.
  ///   - weights: The kernel `[4 units, features]`, the recurrent kernel `[4 units, units]` and the
  ///     bias `[4 units]`.
  /// - Returns: The output of each step: `[batch, time, units]`.
  mutating func unrolled(
    _ lstm: TFLiteBoundedLSTM, _ sequence: SourceValue, weights: [SourceValue], role: String
  ) throws(WeighbridgeError) -> SourceValue {
    guard let count = type(sequence).shape[1].value, count > 0,
      let units = type(weights[1]).shape.last?.value
    else {
      throw unsupported(
        "keeps the cell state within \(lstm.bound) for \(type(sequence)), and the number of steps "
          + "must be known for it")
    }
    let prefix = role.isEmpty ? "" : "\(role)/"
    let sums = try apply(
      Dense(hasBias: true), [sequence, weights[0], weights[2]], role: "\(prefix)sums")[0]
    var (outputs, cell) = ([SourceValue?](repeating: nil, count: count), SourceValue?.none)
    var output: SourceValue?
    for step in 0..<count {
      try network.countBody(16)
      let time = lstm.isReversed ? count - 1 - step : step
      let name = "\(prefix)step_\(step)"
      let range = Slice.Range(axis: 1, start: time, stop: time + 1, step: 1)
      var gates = try apply(
        Squeeze(axes: [1]), to: try apply(Slice([range]), to: sums, role: "\(name)/slice"),
        role: "\(name)/input")
      if let output {
        let product = try apply(
          Dense(hasBias: false), to: output, weights[1], role: "\(name)/product")
        gates = try apply(Add(), to: gates, product, role: "\(name)/gates")
      }
      let states = try stepped(lstm, gates, cell: cell, units: units, name)
      (output, cell) = states
      outputs[time] = try apply(ExpandDims(axes: [1]), to: states.output, role: "\(name)/axis")
    }
    return try apply(Concatenate(axis: 1), outputs.compactMap(\.self), role: role)[0]
  }

  /// The output and the cell state after a step, from the sums of its gates.
  private mutating func stepped(
    _ lstm: TFLiteBoundedLSTM, _ gates: SourceValue, cell: SourceValue?, units: Int, _ name: String
  ) throws(WeighbridgeError) -> (output: SourceValue, cell: SourceValue) {
    let sizes = [Int](repeating: units, count: 4)
    let parts = try apply(Split(axis: 1, sizes: sizes), [gates], role: "\(name)/split")
    let input = try apply(Sigmoid(), to: parts[0], role: "\(name)/i")
    let candidate = try apply(lstm.activation, to: parts[2], role: "\(name)/g")
    var sum = try apply(Multiply(), to: input, candidate, role: "\(name)/new")
    if let cell {
      let forget = try apply(Sigmoid(), to: parts[1], role: "\(name)/f")
      let kept = try apply(Multiply(), to: forget, cell, role: "\(name)/kept")
      sum = try apply(Add(), to: kept, sum, role: "\(name)/sum")
    }
    let bounded = try apply(
      Clip(minimum: -lstm.bound, maximum: lstm.bound), to: sum, role: "\(name)/c")
    let gate = try apply(Sigmoid(), to: parts[3], role: "\(name)/o")
    let activated = try apply(lstm.activation, to: bounded, role: "\(name)/activated")
    return (try apply(Multiply(), to: gate, activated, role: "\(name)/h"), bounded)
  }
}
