import Bytes
import ConversionCore
import GraphIR
import LayerCatalog

/// Recurrent operators: MIL's own where they compute the same, else one step after another.
enum MILRecurrent {
  static let rows: [MILRow] = [
    MILRow(outputsOf: LSTM.self) { (operation, builder) throws(WeighbridgeError) in
      let activations = [
        ("recurrent_activation", operation.recurrentActivation),
        ("cell_activation", operation.activation), ("activation", operation.activation),
      ]
      return try builder.recurrent(operation, MILCell("lstm", [0, 1, 3, 2], activations))
    },
    MILRow(outputsOf: GRU.self) { (operation, builder) throws(WeighbridgeError) in
      let activations = [
        ("recurrent_activation", operation.recurrentActivation),
        ("activation", operation.activation),
      ]
      // iOS 18 has the form that resets after the product.
      guard !operation.resetsAfter || builder.version >= 9 else {
        return try builder.unrolled(operation)
      }
      return try builder.recurrent(
        operation,
        MILCell("gru", [1, 2, 0], activations, resetsAfter: operation.resetsAfter))
    },
    MILRow(outputsOf: SimpleRNN.self) { (operation, builder) throws(WeighbridgeError) in
      try builder.recurrent(
        operation, MILCell("rnn", [0], [("activation", operation.activation)]))
    },
    MILRow(outputsOf: ConvLSTM.self) { (operation, builder) throws(WeighbridgeError) in
      let inputs = RecurrentInputs(builder.operands, operation.recurrence, stateCount: 2)
      return try builder.unrolled(operation.recurrence, builder[0], inputs) {
        (builder, frame, states) throws(WeighbridgeError) in
        try builder.step(operation, frame, states, weights: inputs.weights)
      }
    },
  ]
}

/// A recurrent operator of MIL.
private struct MILCell {
  let operation: String
  /// For each gate in MIL's order, its position in the catalog's.
  let gates: [Int]
  /// The activations by the names of their settings; `nil` where MIL lacks one.
  let activations: [(setting: String, name: String)]?
  /// Whether the products with the state have a bias of their own.
  let resetsAfter: Bool

  init(
    _ operation: String, _ gates: [Int], _ activations: [(String, CellActivation)],
    resetsAfter: Bool = false
  ) {
    (self.operation, self.gates, self.resetsAfter) = (operation, gates, resetsAfter)
    let names = activations.compactMap { setting, activation -> (setting: String, name: String)? in
      switch activation.operation {
      case is Tanh: (setting, "tanh")
      case is Sigmoid: (setting, "sigmoid")
      case is Identity: (setting, "linear")
      case let relu as ReLU where relu == ReLU(slope: 0, threshold: 0, maximum: nil):
        (setting, "relu")
      default: nil
      }
    }
    self.activations = names.count == activations.count ? names : nil
  }

  func activation(_ setting: String) -> MILArgument? {
    activations?.first { $0.setting == setting }.map { .text($0.name) }
  }
}

extension MILBuilder {
  /// The largest number of steps that are written one after another.
  private static var maximumStepCount: Int { 512 }

  fileprivate mutating func recurrent<Operation: RecurrentOperator>(
    _ operation: Operation, _ cell: MILCell
  ) throws(WeighbridgeError) -> [String] {
    let inputs = recurrentInputs(of: operation)
    guard operation.recurrence.mask == .none, cell.activations != nil,
      inputs.weights.allSatisfy({ $0.constant != nil })
    else { return try unrolled(operation) }
    // Before iOS 17, these operators compute in float32 only.
    guard version < 8 else { return try native(operation, cell, inputs) }
    return try inFloat32 { (builder) throws(WeighbridgeError) in
      try builder.native(operation, cell, inputs)
    }
  }

  /// Adds MIL's own operator, which takes sequences `[time, batch, features]`.
  private mutating func native<Operation: RecurrentOperator>(
    _ operation: Operation, _ cell: MILCell, _ inputs: RecurrentInputs<ExportOperand>
  ) throws(WeighbridgeError) -> [String] {
    let recurrence = operation.recurrence
    var weights: [Tensor] = []
    for weight in inputs.weights { weights.append(try tensor(of: weight)) }
    let gates = RecurrentGates(operation, weights: weights)
    func stored(_ index: Int, _ role: String) -> ExportOperand {
      .weight(
        weights[index].reorderingGates(cell.gates), named: "\(scope.prefix)_\(role)")
    }
    func vector(_ parts: (Int) -> Tensor?, _ role: String) -> ExportOperand? {
      guard !gates.biases.isEmpty else { return nil }
      let numbers = cell.gates.flatMap { parts($0)?.doubles ?? [] }
      return .weight(
        Tensor(.float32, shape: [numbers.count], numbers), named: "\(scope.prefix)_\(role)")
    }
    let bias =
      cell.resetsAfter
      ? vector({ gates.recurrentBiases[$0] }, "recurrent_bias")
      : vector(gates.summedBias, "bias")
    let inputBias = cell.resetsAfter ? vector({ gates.biases[$0] }, "bias") : nil
    let sequence = try transposed(self[0], [1, 0, 2])
    var states: [ExportOperand] = []
    for (position, type) in scope.outputTypes.dropFirst().enumerated() {
      let state = inputs.states.isEmpty ? try zeros(type) : inputs.states[position]
      states.append(try broadcast(state, to: type))
    }
    let steps = recurrence.returnsSequences ? sequence.type.shape[0] : 1
    let outputType = TensorType(.float32, [steps] + scope.outputTypes[1].shape)
    let outputs = try add(
      cell.operation,
      [
        "x": .value(sequence), "initial_h": .value(states[0]),
        "initial_c": states.count > 1 ? .value(states[1]) : nil,
        "weight_ih": .value(stored(0, "kernel")),
        "weight_hh": .value(stored(1, "recurrent_kernel")), "bias": bias.map { .value($0) },
        "direction": recurrence.isReversed ? "reverse" : "forward",
        "output_sequence": .boolean(recurrence.returnsSequences),
        "recurrent_activation": cell.activation("recurrent_activation"),
        "cell_activation": cell.activation("cell_activation"),
        "activation": cell.activation("activation"),
        "reset_after": cell.operation == "gru" && version >= 9 ? .boolean(cell.resetsAfter) : nil,
        "input_bias": inputBias.map { .value($0) },
      ], types: [outputType] + scope.outputTypes.dropFirst())
    let result =
      recurrence.returnsSequences
      ? try transposed(outputs[0], [1, 0, 2]) : try squeezed(outputs[0], [0])
    return [result.name] + outputs.dropFirst().map(\.name)
  }

  fileprivate mutating func unrolled(
    _ operation: some RecurrentOperator
  ) throws(WeighbridgeError) -> [String] {
    let sums = try inputProjection(operation)
    let inputs = recurrentInputs(of: operation)
    return try unrolled(operation.recurrence, sums, inputs) {
      (builder, sums, states) throws(WeighbridgeError) in
      try builder.step(operation, sums, states)
    }
  }

  /// Adds all steps.
  ///
  /// - Parameter sequence: `[batch, time, ...]`
  fileprivate mutating func unrolled(
    _ recurrence: Recurrence, _ sequence: ExportOperand, _ inputs: RecurrentInputs<ExportOperand>,
    _ step: Step
  ) throws(WeighbridgeError) -> [String] {
    guard let count = sequence.type.shape[1].value, count <= Self.maximumStepCount else {
      throw .unsupported(
        "recurs over \(sequence.type.shape[1]) steps with settings that no operator of Core ML has, "
          + "and at most \(Self.maximumStepCount) steps can be written one by one")
    }
    return try unrolled(recurrence, sequence, count, inputs, step).map {
      (value) throws(WeighbridgeError) in
      guard value.constant != nil else { return value.name }
      return try add("identity", ["x": .value(value)], as: value.type).name
    }
  }
}
