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
      let steps = try layer.lstmSteps()
      return try layer.recurrent(lstm, stateCount: 2, steps) { recurrence, bias, activations in
        guard steps.isPlain, activations[1] == activations[2] else { return nil }
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
struct ONNXCell: Sendable {
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
      attributes: RecurrentFunction.attributes(functions, defaults: cell.activations) + [
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

  /// - Parameter defaults: The names of the functions that a node without attributes has.
  static func attributes(
    _ functions: [RecurrentFunction], defaults: [String]
  ) -> [(name: String, value: ONNXAttribute)] {
    let names = functions.map(\.name)
    let (alphas, betas) = (functions.compactMap(\.alpha), functions.compactMap(\.beta))
    // OpenCV 5 reads no GRU or RNN with the attribute.
    guard names != defaults || !alphas.isEmpty else { return [] }
    var attributes = [("activations", ONNXAttribute.strings(names))]
    if !alphas.isEmpty { attributes.append(("activation_alpha", .floats(alphas))) }
    if !betas.isEmpty { attributes.append(("activation_beta", .floats(betas))) }
    return attributes.map { (name: $0.0, value: $0.1) }
  }
}
