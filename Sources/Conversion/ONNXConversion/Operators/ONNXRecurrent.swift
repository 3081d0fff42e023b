import Bytes
import ConversionCore
import GraphIR
import LayerCatalog
import ONNXFormat

/// Recurrent operators. Those that ONNX supports become its nodes; those with a mask or an
/// activation that it lacks become a loop.
enum ONNXRecurrent: ONNXFamily {
  // ONNX's order of gates: input, output, forget, cell.
  fileprivate static let lstm = ONNXCell(
    node: "LSTM", gates: [0, 3, 1, 2], activations: ["Sigmoid", "Tanh", "Tanh"])
  fileprivate static let gru = ONNXCell(
    node: "GRU", gates: [0, 1, 2], activations: ["Sigmoid", "Tanh"])
  fileprivate static let rnn = ONNXCell(node: "RNN", gates: [0], activations: ["Tanh"])

  static let rows: [ONNXRow] = [
    ONNXRow(outputsOf: LSTM.self) { (operation, builder) throws(WeighbridgeError) in
      let activation = operation.activation
      return try builder.recurrent(
        lstm, operation, [operation.recurrentActivation, activation, activation])
    },
    ONNXRow(outputsOf: GRU.self) { (operation, builder) throws(WeighbridgeError) in
      try builder.recurrent(
        gru, operation, [operation.recurrentActivation, operation.activation],
        [("linear_before_reset", .integer(operation.resetsAfter ? 1 : 0))])
    },
    ONNXRow(outputsOf: SimpleRNN.self) { (operation, builder) throws(WeighbridgeError) in
      try builder.recurrent(rnn, operation, [operation.activation])
    },
    ONNXRow(outputsOf: ConvLSTM.self) { (operation, builder) throws(WeighbridgeError) in
      try builder.convLSTM(operation)
    },
  ]

  static let nodes: [String: ONNXLayer.Build] = [
    "GRU": { (layer) throws(WeighbridgeError) in
      let resetsAfter = try layer.flag("linear_before_reset")
      return try layer.recurrent(gru, stateCount: 1) { recurrence, bias, activations in
        GRU(
          recurrence: recurrence, bias: bias, activation: activations[1],
          recurrentActivation: activations[0], resetsAfter: resetsAfter)
      }
    },
    "LSTM": { (layer) throws(WeighbridgeError) in
      guard try !layer.flag("input_forget"), try layer.optional(7) == nil else {
        throw layer.unsupported(
          "has coupled gates (input_forget=1) or weights for peepholes (P), and only an "
            + "LSTM without them can be read")
      }
      return try layer.recurrent(lstm, stateCount: 2) { recurrence, bias, activations in
        guard activations[1] == activations[2] else { return nil }
        return LSTM(
          recurrence: recurrence, bias: bias, activation: activations[1],
          recurrentActivation: activations[0])
      }
    },
    "RNN": { (layer) throws(WeighbridgeError) in
      try layer.recurrent(rnn, stateCount: 1) { recurrence, bias, activations in
        SimpleRNN(recurrence: recurrence, bias: bias, activation: activations[0])
      }
    },
  ]
}

/// How ONNX represents a recurrent operator.
private struct ONNXCell: Sendable {
  let node: String
  /// For each of ONNX's gates, the index of the operator's gate.
  let gates: [Int]
  /// The names of the default activations.
  let activations: [String]

  /// For each of the operator's gates, the index of ONNX's gate.
  var onnxGates: [Int] { gates.inversePermutation }

  /// The activations without parameters.
  static let plainActivations: [String: any CatalogOperator] = [
    "Relu": ReLU(slope: 0, threshold: 0, maximum: nil), "Tanh": Tanh(), "Sigmoid": Sigmoid(),
    "Softplus": Softplus(), "Softsign": Softsign(),
  ]
}

extension ONNXGraphBuilder {
  /// Adds one of ONNX's recurrent nodes; a loop if there is none for these settings, or if runtimes
  /// lack it for the element type.
  fileprivate mutating func recurrent<Operation: RecurrentOperator>(
    _ cell: ONNXCell, _ operation: Operation, _ activations: [CellActivation],
    _ attributes: [(name: String, value: ONNXAttribute)] = []
  ) throws(WeighbridgeError) -> [String] {
    let recurrence = operation.recurrence
    let functions = activations.compactMap(RecurrentFunction.init)
    guard recurrence.mask == .none, functions.count == activations.count, elementType != .float64
    else { return try loop(operation) }
    let stateCount = Operation.stateNames.count
    let positions = RecurrentInputs(Array(operands.indices), recurrence, stateCount: stateCount)
    var weights: [Tensor] = []
    for position in positions.weights { weights.append(try tensor(position)) }
    let gates = RecurrentGates(operation, weights: weights)
    var inputs = [transpose(input(), [1, 0, 2])]
    inputs += try recurrentWeights(positions.weights, gates, order: cell.gates)
    let initialStates = positions.states.map { unsqueeze(input($0), [0]) }
    if !initialStates.isEmpty { inputs += [""] + initialStates }
    let outputs = add(
      cell.node, inputs,
      attributes: RecurrentFunction.attributes(functions) + [
        ("direction", .string(recurrence.isReversed ? "reverse" : "forward")),
        ("hidden_size", .integer(gates.units)),
      ] + attributes, outputCount: 1 + stateCount,
      isNeeded: [recurrence.returnsSequences] + .init(repeating: true, count: stateCount))
    let states = outputs.dropFirst().map { squeeze($0, [0]) }
    guard recurrence.returnsSequences else { return [states[0]] + states }
    return [transpose(squeeze(outputs[0], [1]), [1, 0, 2])] + states
  }

  /// Adds both kernels and the biases, with their gates in ONNX's order.
  private mutating func recurrentWeights(
    _ positions: [Int], _ gates: RecurrentGates, order: [Int]
  ) throws(WeighbridgeError) -> [String] {
    var names: [String] = []
    for (position, kernels) in zip(positions, [gates.kernels, gates.recurrentKernels]) {
      let shape = [1, order.count * gates.units, kernels[0].shape[1]]
      names.append(try weight(position, "gates", shape: shape, parts: order.map { kernels[$0] }))
    }
    guard !gates.biases.isEmpty else { return names + [""] }
    let parts = order.map { gates.biases[$0] } + order.map { gates.recurrentBiases[$0] }
    let shape = [1, 2 * order.count * gates.units]
    return names + [try weight(positions[2], "gates", shape: shape, parts: parts)]
  }

  /// Adds a loop over the input's products with the kernel, which are computed before the loop.
  private mutating func loop<Operation: RecurrentOperator>(
    _ operation: Operation
  ) throws(WeighbridgeError) -> [String] {
    let projection = try inputProjection(operation)
    let inputs = recurrentInputs(of: operation)
    let scan = ONNXScan(
      operation: operation, recurrence: operation.recurrence, sequence: projection.name,
      sequenceType: projection.type, mask: inputs.mask.map { input($0) },
      states: inputs.states.map { input($0) }, stateCount: Operation.stateNames.count,
      stateType: scope.outputTypes[1])
    return try add(scan) { (builder, sums, states) throws(WeighbridgeError) in
      try builder.step(operation, sums, states)
    }
  }
}

/// An activation that ONNX's recurrent nodes support.
private struct RecurrentFunction {
  let name: String
  var alpha: Double?
  var beta: Double?

  init?(_ activation: CellActivation) {
    let plain = ONNXCell.plainActivations.first { CellActivation($0.value) == activation }
    if let plain {
      name = plain.key
      return
    }
    switch activation.operation {
    case let leaky as LeakyReLU: (name, alpha) = ("LeakyRelu", leaky.slope)
    case let hard as HardSigmoid: (name, alpha, beta) = ("HardSigmoid", hard.slope, hard.offset)
    default: return nil
    }
  }

  static func attributes(
    _ functions: [RecurrentFunction]
  ) -> [(name: String, value: ONNXAttribute)] {
    var attributes = [("activations", ONNXAttribute.strings(functions.map(\.name)))]
    let (alphas, betas) = (functions.compactMap(\.alpha), functions.compactMap(\.beta))
    if !alphas.isEmpty { attributes.append(("activation_alpha", .floats(alphas))) }
    if !betas.isEmpty { attributes.append(("activation_beta", .floats(betas))) }
    return attributes.map { (name: $0.0, value: $0.1) }
  }
}

extension ONNXLayer {
  /// Reads a recurrent node, as one operator for each direction.
  fileprivate mutating func recurrent(
    _ cell: ONNXCell, stateCount: Int,
    _ operation: (Recurrence, RecurrentBias, [CellActivation]) -> (any CatalogOperator)?
  ) throws(WeighbridgeError) -> [ONNXValue] {
    let (gates, defaults) = (cell.onnxGates, cell.activations)
    let direction = try string("direction", default: "forward")
    let reversals = ["forward": [false], "reverse": [true], "bidirectional": [false, true]]
    guard let reversals = reversals[direction] else {
      throw malformed(
        "has direction=\(direction), and only forward, reverse and bidirectional are known")
    }
    guard try integer("layout", default: 0) == 0, !has("clip") else {
      throw unsupported("has layout=1 or a clip, and only layout=0 without a clip can be read")
    }
    if let lengths = try optional(4) {
      guard let steps = type(try input(0)).shape.first?.value, isFilled(lengths, with: steps) else {
        throw unsupported(
          "has lengths for its sequences (sequence_lens), and only sequences of the same "
            + "length can be read")
      }
    }
    ignore("hidden_size")
    let activations = try cellActivations(defaults: defaults, directions: reversals.count)
    let sequence = try transposed(try input(0), [1, 0, 2], role: "batch_first")
    var results: [[ONNXValue]] = []
    for (index, isReversed) in reversals.enumerated() {
      let recurrence = Recurrence(
        isReversed: isReversed, returnsSequences: true,
        hasInitialStates: try hasStates(stateCount), mask: .none)
      let ownActivations = activations[index * defaults.count..<(index + 1) * defaults.count]
      let inputs = try cellInputs(sequence, index, gates, stateCount: stateCount)
      let (bias, biasInputs) = try cellBias(index, gates)
      guard let operation = operation(recurrence, bias, Array(ownActivations)) else {
        throw unsupported(
          "has different activations for the cell and the output, and only the same one "
            + "can be read")
      }
      results.append(
        try apply(operation, inputs + biasInputs, role: "direction_\(index)"))
    }
    return try recurrentOutputs(results, stateCount: stateCount)
  }

  /// Returns the sequence, the initial states and the weights of one direction.
  private mutating func cellInputs(
    _ sequence: ONNXValue, _ index: Int, _ gates: [Int], stateCount: Int
  ) throws(WeighbridgeError) -> [ONNXValue] {
    var inputs = [sequence]
    if try hasStates(stateCount) {
      for position in 5..<5 + stateCount {
        let state = try initialState(position, stateCount)
        let range = Slice.Range(axis: 0, start: index, stop: index + 1, step: 1)
        let role = "state_\(position - 5)_\(index)"
        let isOnly = type(state).shape[0].value == 1
        let slice = isOnly ? state : try apply(Slice([range]), to: state, role: role)
        inputs.append(try apply(Squeeze(axes: [0]), to: slice, role: "\(role)/squeeze"))
      }
    }
    let units = type(try input(2)).shape.last?.value ?? 0
    for position in 1...2 {
      guard let tensor = try constant(position), tensor.shape.count == 3,
        tensor.shape[1] == gates.count * units, index < tensor.shape[0]
      else {
        throw malformed(
          "has weights whose shape is not [directions, gates · units, features], which is expected")
      }
      let kernel = tensor.slice(index..<index + 1, along: 0)
        .reshaped([gates.count * units, tensor.shape[2]])
      inputs.append(newConstant(kernel.reorderingGates(gates), "weights_\(position)_\(index)"))
    }
    return inputs
  }

  /// Whether any initial state is given.
  private func hasStates(_ count: Int) throws(WeighbridgeError) -> Bool {
    for position in 5..<5 + count where try optional(position) != nil { return true }
    return false
  }

  /// Returns an initial state; zeros if only another one is given.
  private mutating func initialState(
    _ position: Int, _ count: Int
  ) throws(WeighbridgeError) -> ONNXValue {
    if let state = try optional(position) { return state }
    for other in 5..<5 + count {
      guard let state = try optional(other) else { continue }
      return try apply(FullLike(value: 0), to: state, role: "zeros_\(position - 5)")
    }
    throw malformed("has no initial state of its cell, and one is needed beside that of its output")
  }

  /// Returns the bias of one direction; the recurrent part is omitted if it is all zeros.
  private func cellBias(
    _ index: Int, _ gates: [Int]
  ) throws(WeighbridgeError) -> (RecurrentBias, [ONNXValue]) {
    guard let tensor = try constant(3) else { return (.none, []) }
    guard tensor.shape.count == 2, tensor.shape[1] % (2 * gates.count) == 0,
      index < tensor.shape[0]
    else {
      throw malformed(
        "has a bias whose shape is not [directions, 2 · gates · units], which is expected")
    }
    let rowCount = tensor.shape[1] / 2
    let rows = tensor.slice(index..<index + 1, along: 0).reshaped([2, rowCount])
    let parts = [0, 1].map { row in
      rows.slice(row..<row + 1, along: 0).reshaped([rowCount]).reorderingGates(gates)
        .contiguousBytes()
    }
    let hasOnlyInputBias = parts[1].allSatisfy { $0 == 0 }
    let bias = Tensor(
      tensor.elementType, shape: hasOnlyInputBias ? [rowCount] : [2, rowCount],
      bytes: hasOnlyInputBias ? parts[0] : parts[0] + parts[1])
    return (hasOnlyInputBias ? .input : .separate, [newConstant(bias, "bias_\(index)")])
  }

  /// Returns the output, `[time, directions, batch, units]`, then the states,
  /// `[directions, batch, units]` each.
  private mutating func recurrentOutputs(
    _ results: [[ONNXValue]], stateCount: Int
  ) throws(WeighbridgeError) -> [ONNXValue] {
    var sequences: [ONNXValue] = []
    for (index, result) in results.enumerated() {
      let timeMajor = try transposed(result[0], [1, 0, 2], role: "time_first_\(index)")
      sequences.append(try apply(ExpandDims(axes: [1]), to: timeMajor, role: "output_\(index)"))
    }
    var outputs = [try concatenated(sequences, axis: 1, role: "output")]
    for state in 0..<stateCount {
      var values: [ONNXValue] = []
      for (index, result) in results.enumerated() {
        values.append(
          try apply(
            ExpandDims(axes: [0]), to: result[1 + state], role: "state_\(state)_\(index)/last"))
      }
      outputs.append(try concatenated(values, axis: 0, role: "state_\(state)"))
    }
    return outputs
  }

  private mutating func concatenated(
    _ values: [ONNXValue], axis: Int, role: String
  ) throws(WeighbridgeError) -> ONNXValue {
    values.count == 1 ? values[0] : try apply(Concatenate(axis: axis), values, role: role)[0]
  }

  /// Reads the activations of all directions.
  private mutating func cellActivations(
    defaults: [String], directions: Int
  ) throws(WeighbridgeError) -> [CellActivation] {
    let names =
      try strings("activations") ?? Array(repeating: defaults, count: directions).flatMap { $0 }
    var alphas = (try floats("activation_alpha") ?? [])[...]
    var betas = (try floats("activation_beta") ?? [])[...]
    guard names.count == defaults.count * directions else {
      throw malformed(
        "has \(names.count) activations for \(directions) directions, and each "
          + "direction needs those of all its gates")
    }
    var result: [CellActivation] = []
    for name in names {
      let operation: any CatalogOperator
      switch name.lowercased() {
      case "leakyrelu": operation = LeakyReLU(slope: alphas.popFirst() ?? 0.01)
      case "elu": operation = ELU(alpha: alphas.popFirst() ?? 1)
      case "hardsigmoid":
        operation = HardSigmoid(slope: alphas.popFirst() ?? 0.2, offset: betas.popFirst() ?? 0.5)
      case let lowered:
        guard let plain = ONNXCell.plainActivations.first(where: { $0.key.lowercased() == lowered })
        else { throw unsupported("has the activation \(name), which cannot be read here") }
        operation = plain.value
      }
      guard let activation = CellActivation(operation) else {
        throw unsupported("has the activation \(name), which cannot be read here")
      }
      result.append(activation)
    }
    return result
  }
}
