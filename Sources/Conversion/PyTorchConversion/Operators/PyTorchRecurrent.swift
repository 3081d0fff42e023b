import Bytes
import ConversionCore
import GraphIR
import LayerCatalog

/// Recurrent operators: PyTorch's own where they compute the same, else a module with a loop.
enum PyTorchRecurrent {
  static let rows: [PyTorchRow] = [
    PyTorchRow(outputsOf: LSTM.self) { (operation, builder) throws(WeighbridgeError) in
      let isUsual = [operation.activation, operation.recurrentActivation] == [.tanh, .sigmoid]
      return try builder.recurrent(
        operation, isUsual ? ("nn.LSTM", [], [0, 1, 2, 3]) : nil)
    },
    PyTorchRow(outputsOf: GRU.self) { (operation, builder) throws(WeighbridgeError) in
      let isUsual = [operation.activation, operation.recurrentActivation] == [.tanh, .sigmoid]
      return try builder.recurrent(
        operation, isUsual && operation.resetsAfter ? ("nn.GRU", [], [1, 0, 2]) : nil)
    },
    PyTorchRow(outputsOf: SimpleRNN.self) { (operation, builder) throws(WeighbridgeError) in
      let isReLU =
        (operation.activation.operation as? ReLU)
        == ReLU(
          slope: 0, threshold: 0, maximum: nil)
      let arguments = isReLU ? [PythonMember.Argument("nonlinearity", "\"relu\"")] : []
      let isUsual = isReLU || operation.activation == .tanh
      return try builder.recurrent(operation, isUsual ? ("nn.RNN", arguments, [0]) : nil)
    },
    PyTorchRow(outputsOf: ConvLSTM.self) { (operation, builder) throws(WeighbridgeError) in
      try builder.dropOut(operation.recurrence)
      let inputs = RecurrentInputs(builder.operands, operation.recurrence, stateCount: 2)
      return try builder.looped(operation.recurrence, builder[0], inputs, stateCount: 2) {
        (builder, frame, states) throws(WeighbridgeError) in
        try builder.step(operation, frame, states, weights: inputs.weights)
      }
    },
  ]
}

extension PyTorchBuilder {
  /// Has training drop out elements of the sequence, the same ones in all steps.
  fileprivate mutating func dropOut(_ recurrence: Recurrence) throws(WeighbridgeError) {
    guard let rate = recurrence.dropout,
      let noise = TrainingNoise(.dropout, rate: rate, sharedAxes: [1])
    else { return }
    scope.operands[0] = try add(try self.noise(noise), as: self[0].type)
  }

  /// - Parameters:
  ///   - native: PyTorch's class, its further arguments, and for each of its gates the index of the
  ///     operator's gate.
  fileprivate mutating func recurrent<Operation: RecurrentOperator>(
    _ operation: Operation, _ native: (type: String, arguments: [Argument], gates: [Int])?
  ) throws(WeighbridgeError) -> [String] {
    try dropOut(operation.recurrence)
    // PyTorch's own layers drop out no states.
    if let native, operation.recurrence.mask == .none, operation.recurrence.stateDropout == nil {
      return try layer(operation, native.type, native.arguments, native.gates)
    }
    let inputs = recurrentInputs(of: operation)
    let sums = try inputProjection(operation)
    return try looped(
      operation.recurrence, sums, inputs, stateCount: Operation.stateNames.count
    ) { (builder, sums, states) throws(WeighbridgeError) in
      try builder.step(operation, sums, states)
    }
  }

  /// Adds one of PyTorch's own layers.
  private mutating func layer<Operation: RecurrentOperator>(
    _ operation: Operation, _ type: String, _ arguments: [Argument], _ gates: [Int]
  ) throws(WeighbridgeError) -> [String] {
    let (recurrence, inputs) = (operation.recurrence, recurrentInputs(of: operation))
    var weights: [Tensor] = []
    for weight in inputs.weights { weights.append(try tensor(of: weight)) }
    let units = weights[1].shape[1]
    let biases = Self.biases(operation, weights, gates)
    let flag = biases == nil ? [Argument("bias", "False")] : []
    let module = try module(
      type,
      [.init("\(weights[0].shape[1])"), .init("\(units)")] + arguments + flag
        + [.init("batch_first", "True")],
      [
        "weight_ih_l0": weights[0].reorderingGates(gates),
        "weight_hh_l0": weights[1].reorderingGates(gates), "bias_ih_l0": biases?.input,
        "bias_hh_l0": biases?.state,
      ])
    var states = PythonExpression.list(inputs.states.map { "\($0).unsqueeze(0)" })
    if !inputs.states.isEmpty {
      states = inputs.states.count > 1 ? ", (\(states))" : ", \(states)"
    }
    let sequence: PythonExpression =
      recurrence.isReversed ? "\(inputs.sequence).flip(1)" : "\(inputs.sequence)"
    let call: PythonExpression = "\(module)(\(sequence)\(states))"
    let isStateUsed = scope.isUsed.dropFirst().contains(true)
    guard isStateUsed else {
      return [try add(picked("\(call)[0]", recurrence), isLayer: true).name]
    }
    let results = try add(
      values: call, isLayer: true, groupsRest: scope.outputTypes.count > 2)
    let isPicked = recurrence.isReversed || !recurrence.returnsSequences
    let all = value(results[0], outputType)
    let output =
      isPicked ? try add(picked("\(all)", recurrence), as: outputType) : all
    var names = [output.name]
    for (name, type) in zip(results, scope.outputTypes).dropFirst() {
      names.append(try add("\(value(name, type)).squeeze(0)", as: type).name)
    }
    return names
  }

  /// The output of all steps, or of the one that was processed last.
  private func picked(
    _ sequence: PythonExpression, _ recurrence: Recurrence
  ) -> PythonExpression {
    guard recurrence.returnsSequences else { return "\(sequence)[:, -1]" }
    return recurrence.isReversed ? "\(sequence).flip(1)" : sequence
  }

  /// The biases of the products with the input and with the state, in the order of PyTorch's gates.
  private static func biases<Operation: RecurrentOperator>(
    _ operation: Operation, _ weights: [Tensor], _ gates: [Int]
  ) -> (input: Tensor, state: Tensor)? {
    guard operation.bias != .none else { return nil }
    let count = weights[0].shape[0]
    let zeros = Tensor(.float32, shape: [1], [0]).broadcast(to: [count])
    guard operation.bias == .separate else {
      return (weights[2].reorderingGates(gates), zeros)
    }
    let rows = [0, 1].map {
      weights[2].slice($0..<$0 + 1, along: 0).reshaped([count]).reorderingGates(gates)
    }
    return (rows[0], rows[1])
  }
}
