import Bytes
import ConversionCore
import GraphIR
import LayerCatalog
import ONNXFormat

/// Operators that walk over a sequence. Those that ONNX has become its nodes; those with a mask or
/// another activation become a loop.
enum ONNXRecurrent {
  static let rows: [ONNXRow] = [
    ONNXRow(outputsOf: LSTM.self) { (operation, builder) throws(WeighbridgeError) in
      let activations = [
        operation.recurrentActivation, operation.activation, operation.activation,
      ]
      // ONNX: input, output, forget, cell.
      let node = try builder.recurrent(
        "LSTM", operation, gates: [0, 3, 1, 2], activations: activations)
      if let node { return node }
      return try builder.loop(operation) { (builder, sums, states) throws(WeighbridgeError) in
        let sums = builder.add("Add", [sums, try builder.stateSums(operation, states[0])])
        return try builder.memory(
          sums, states, axis: 1, operation.activation, operation.recurrentActivation)
      }
    },
    ONNXRow(outputsOf: GRU.self) { (operation, builder) throws(WeighbridgeError) in
      let node = try builder.recurrent(
        "GRU", operation, gates: [0, 1, 2],
        activations: [operation.recurrentActivation, operation.activation],
        [("linear_before_reset", .integer(operation.resetsAfter ? 1 : 0))])
      if let node { return node }
      return try builder.loop(operation) { (builder, sums, states) throws(WeighbridgeError) in
        [try builder.gatedUnit(operation, sums, states[0])]
      }
    },
    ONNXRow(outputsOf: SimpleRNN.self) { (operation, builder) throws(WeighbridgeError) in
      let node = try builder.recurrent(
        "RNN", operation, gates: [0], activations: [operation.activation])
      if let node { return node }
      return try builder.loop(operation) { (builder, sums, states) throws(WeighbridgeError) in
        let sum = builder.add("Add", [sums, try builder.stateSums(operation, states[0])])
        return [try builder.bent(sum, operation.activation)]
      }
    },
    ONNXRow(outputsOf: ConvLSTM.self) { (operation, builder) throws(WeighbridgeError) in
      try builder.convolutionalMemory(operation)
    },
    ONNXRow(outputsOf: Masking.self) { (operation, builder) throws(WeighbridgeError) in
      let (x, rank) = (builder.input(), builder.type().rank)
      let differs = builder.add(
        "Not", [builder.add("Equal", [x, builder.number(operation.value)])])
      let any = builder.reduce("ReduceMax", builder.cast(differs, to: .int32), [rank - 1])
      let kept = builder.cast(any, to: builder.elementType)
      let mask = builder.cast(builder.squeeze(any, [rank - 1]), to: .bool)
      return [builder.add("Mul", [x, kept]), mask]
    },
  ]
}

extension ONNXGraphBuilder {
  /// One of ONNX' recurrent nodes; `nil` when it has none for these settings, or when runtimes lack
  /// it for the element type.
  ///
  /// - Parameter gates: The operator's gates in the order of ONNX.
  fileprivate mutating func recurrent<Operation: RecurrentOperator>(
    _ node: String, _ operation: Operation, gates: [Int], activations: [CellActivation],
    _ settings: [(name: String, value: ONNXAttribute)] = []
  ) throws(WeighbridgeError) -> [String]? {
    let recurrence = operation.recurrence
    let known = activations.compactMap(RecurrentFunction.init)
    guard recurrence.mask == .none, known.count == activations.count, elementType != .float64
    else { return nil }
    let parts = RecurrentInputs(
      Array(operands.indices), recurrence, stateCount: Operation.stateNames.count)
    let units = try tensor(parts.weights[1]).shape[1]
    var inputs = [transpose(input(), [1, 0, 2])]
    inputs += try recurrentWeights(parts.weights, operation.bias, gates, units: units)
    let initial = parts.states.map { unsqueeze(input($0), [0]) }
    if !initial.isEmpty { inputs += [""] + initial }
    let names = Operation.stateNames.count
    let outputs = add(
      node, inputs,
      attributes: RecurrentFunction.attributes(known) + [
        ("direction", .text(recurrence.isReversed ? "reverse" : "forward")),
        ("hidden_size", .integer(units)),
      ] + settings, outputCount: 1 + names,
      wanted: [recurrence.returnsSequences] + .init(repeating: true, count: names))
    let states = outputs.dropFirst().map { squeeze($0, [0]) }
    guard recurrence.returnsSequences else { return [states[0]] + states }
    return [transpose(squeeze(outputs[0], [1]), [1, 0, 2])] + states
  }

  /// Both kernels and the biases with their gates in another order.
  private mutating func recurrentWeights(
    _ positions: [Int], _ bias: RecurrentBias, _ gates: [Int], units: Int
  ) throws(WeighbridgeError) -> [String] {
    var names: [String] = []
    for position in positions.prefix(2) {
      let kernel = try tensor(position)
      let parts = gates.map { kernel.slice($0 * units..<($0 + 1) * units, along: 0) }
      names.append(try weight(position, "gates", shape: [1] + kernel.shape, parts: parts))
    }
    guard bias != .none else { return names + [""] }
    let sums = gates.count * units
    let own = try tensor(positions[2])
    let rows = bias == .separate ? own : own.reshaped([1, sums])
    var parts: [Tensor] = []
    for row in 0..<rows.shape[0] {
      let all = rows.slice(row..<row + 1, along: 0)
      parts += gates.map { all.slice($0 * units..<($0 + 1) * units, along: 1) }
    }
    if bias == .input {
      parts.append(
        Tensor(own.elementType, shape: [sums], [Double](repeating: 0, count: sums)))
    }
    return names + [try weight(positions[2], "gates", shape: [1, 2 * sums], parts: parts)]
  }

  /// A loop over the sums that the input makes, which are computed beforehand.
  fileprivate mutating func loop<Operation: RecurrentOperator>(
    _ operation: Operation,
    _ step: (inout ONNXGraphBuilder, String, [String]) throws(WeighbridgeError) -> [String]
  ) throws(WeighbridgeError) -> [String] {
    let parts = RecurrentInputs(
      Array(operands.indices), operation.recurrence, stateCount: Operation.stateNames.count)
    let kernel = try tensor(parts.weights[0])
    let turned = try weight(
      parts.weights[0], "transposed", shape: kernel.shape.reversed(),
      parts: [kernel.permuted([1, 0])])
    var sums = add("MatMul", [input(), turned])
    if operation.bias != .none {
      sums = add("Add", [sums, try bias(operation, parts.weights[2], row: 0)])
    }
    var sumType = type()
    sumType.shape[2] = .fixed(kernel.shape[0])
    let scan = ONNXScan(
      operation: operation, recurrence: operation.recurrence, sequence: sums,
      sequenceType: sumType, mask: parts.mask.map { input($0) },
      states: parts.states.map { input($0) },
      stateCount: Operation.stateNames.count, stateType: scope.outputTypes[1])
    return try add(scan, step)
  }

  /// One of two biases, or the only one.
  private mutating func bias(
    _ operation: some RecurrentOperator, _ position: Int, row: Int
  ) throws(WeighbridgeError) -> String {
    guard operation.bias == .separate else { return input(position) }
    let tensor = try tensor(position)
    return try weight(
      position, "row_\(row)", shape: [tensor.shape[1]],
      parts: [tensor.slice(row..<row + 1, along: 0)])
  }

  /// What a state adds to the sums of some gates, with its bias.
  fileprivate mutating func stateSums<Operation: RecurrentOperator>(
    _ operation: Operation, _ state: String, gates: Range<Int>? = nil
  ) throws(WeighbridgeError) -> String {
    let parts = RecurrentInputs(
      Array(operands.indices), operation.recurrence, stateCount: Operation.stateNames.count)
    let kernel = try tensor(parts.weights[1])
    let units = kernel.shape[1]
    let gates = gates ?? 0..<Operation.gateCount
    let rows = gates.lowerBound * units..<gates.upperBound * units
    let turned = try weight(
      parts.weights[1], "transposed_\(gates.lowerBound)_\(gates.upperBound)",
      shape: [units, rows.count], parts: [kernel.slice(rows, along: 0).permuted([1, 0])])
    let product = add("MatMul", [state, turned])
    guard operation.bias == .separate else { return product }
    let all = try tensor(parts.weights[2]).slice(1..<2, along: 0)
    let addend = try weight(
      parts.weights[2], "state_\(gates.lowerBound)_\(gates.upperBound)", shape: [rows.count],
      parts: [all.slice(rows, along: 1)])
    return add("Add", [product, addend])
  }

  /// What an activation makes of sums, `[batch, units]` or with spatial axes.
  fileprivate mutating func bent(
    _ sums: String, _ activation: CellActivation
  ) throws(WeighbridgeError) -> String {
    try apply(activation.operation, to: sums, scope.outputTypes[1])
  }

  /// The states of a long short-term memory after a step, for the sums of its gates.
  mutating func memory(
    _ sums: String, _ states: [String], axis: Int, _ activation: CellActivation,
    _ recurrentActivation: CellActivation
  ) throws(WeighbridgeError) -> [String] {
    let attributes: KeyValuePairs<String, ONNXAttribute> = ["axis": .integer(axis)]
    let units = scope.outputTypes[1].shape[axis].value ?? 0
    let sizes = integers([units, units, units, units])
    let gates = add("Split", [sums, sizes], attributes, outputCount: 4)
    let input = try bent(gates[0], recurrentActivation)
    let forget = try bent(gates[1], recurrentActivation)
    let candidate = try bent(gates[2], activation)
    let output = try bent(gates[3], recurrentActivation)
    let kept = add("Mul", [forget, states[1]])
    let cell = add("Add", [kept, add("Mul", [input, candidate])])
    return [add("Mul", [output, try bent(cell, activation)]), cell]
  }

  /// The state of a gated recurrent unit after a step.
  fileprivate mutating func gatedUnit(
    _ operation: GRU, _ sums: String, _ state: String
  ) throws(WeighbridgeError) -> String {
    let attributes: KeyValuePairs<String, ONNXAttribute> = ["axis": .integer(1)]
    let units = scope.outputTypes[1].shape[1].value ?? 0
    let sizes = integers([units, units, units])
    let parts = add("Split", [sums, sizes], attributes, outputCount: 3)
    let fromState = add(
      "Split", [try stateSums(operation, state, gates: 0..<2), integers([units, units])],
      attributes, outputCount: 2)
    let update = try bent(
      add("Add", [parts[0], fromState[0]]), operation.recurrentActivation)
    let reset = try bent(
      add("Add", [parts[1], fromState[1]]), operation.recurrentActivation)
    let last: String
    if operation.resetsAfter {
      last = add("Mul", [reset, try stateSums(operation, state, gates: 2..<3)])
    } else {
      last = try stateSums(operation, add("Mul", [reset, state]), gates: 2..<3)
    }
    let candidate = try bent(add("Add", [parts[2], last]), operation.activation)
    let distance = add("Sub", [state, candidate])
    return add("Add", [candidate, add("Mul", [update, distance])])
  }
}

/// An activation that ONNX' recurrent nodes know.
private struct RecurrentFunction {
  let name: String
  var alpha: Double?
  var beta: Double?

  init?(_ activation: CellActivation) {
    switch activation.operation {
    case is Tanh: name = "Tanh"
    case is Sigmoid: name = "Sigmoid"
    case is Softplus: name = "Softplus"
    case is Softsign: name = "Softsign"
    case let relu as ReLU where relu.slope == 0 && relu.threshold == 0 && relu.maximum == nil:
      name = "Relu"
    case let leaky as LeakyReLU: (name, alpha) = ("LeakyRelu", leaky.slope)
    case let hard as HardSigmoid: (name, alpha, beta) = ("HardSigmoid", hard.slope, hard.offset)
    default: return nil
    }
  }

  static func attributes(
    _ functions: [RecurrentFunction]
  ) -> [(name: String, value: ONNXAttribute)] {
    var attributes = [("activations", ONNXAttribute.texts(functions.map(\.name)))]
    let (alphas, betas) = (functions.compactMap(\.alpha), functions.compactMap(\.beta))
    if !alphas.isEmpty { attributes.append(("activation_alpha", .reals(alphas))) }
    if !betas.isEmpty { attributes.append(("activation_beta", .reals(betas))) }
    return attributes.map { (name: $0.0, value: $0.1) }
  }
}
