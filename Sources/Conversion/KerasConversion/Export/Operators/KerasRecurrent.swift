import Bytes
import ConversionCore
import GraphIR
import JSON
import KerasFormat
import LayerCatalog

/// Operators that walk over a sequence.
enum KerasRecurrent {
  static let rows: [KerasRow] = [
    KerasRow(outputsOf: LSTM.self) { (operation, builder) throws(WeighbridgeError) in
      let gates = try builder.gates(operation.recurrentActivation, [0, 1, 3])
      let activation = try builder.cellActivation(operation.activation)
      return try builder.recurrent(
        "LSTM", operation, "lstm_cell", gates,
        ["activation": activation, "recurrent_activation": gates.name, "unit_forget_bias": true])
    },
    KerasRow(outputsOf: GRU.self) { (operation, builder) throws(WeighbridgeError) in
      let gates = try builder.gates(operation.recurrentActivation, [0, 1])
      let activation = try builder.cellActivation(operation.activation)
      return try builder.recurrent(
        "GRU", operation, "gru_cell", gates,
        [
          "activation": activation, "recurrent_activation": gates.name,
          "reset_after": .bool(operation.resetsAfter),
        ], keepsBiases: operation.resetsAfter)
    },
    KerasRow(outputsOf: SimpleRNN.self) { (operation, builder) throws(WeighbridgeError) in
      let activation = try builder.cellActivation(operation.activation)
      return try builder.recurrent(
        "SimpleRNN", operation, "simple_rnn_cell", KerasGates(name: .null),
        ["activation": activation])
    },
    KerasRow(outputsOf: ConvLSTM.self) { (operation, builder) throws(WeighbridgeError) in
      try builder.requireChannelsLast(operation.layout)
      return try builder.convolutional(operation)
    },
    KerasRow(outputsOf: Masking.self) { (operation, builder) throws(WeighbridgeError) in
      let last = builder.type().rank - 1
      let differs = try builder.compare(.notEqual, builder[0], builder.number(operation.value))
      let any = try builder.reduce("Any", "math.reduce_any", differs, [last])
      let factor = try builder.function(.cast, [any], to: builder.type().elementType)
      let output = try builder.function(.multiply, [builder[0], factor], type: builder.type())
      guard builder.scope.isWanted[1] else { return [output, any] }
      let mask = try builder.reduce(
        "Any", "math.reduce_any", differs, [last], keeps: false, type: builder.scope.outputTypes[1])
      return [output, mask]
    },
  ]
}

/// The activation of gates, and what is done to their sums so that it is the right one: a straight
/// line in place of the sigmoid has another slope in each generation of Keras.
struct KerasGates {
  let name: JSONValue
  /// The gates.
  var indices: [Int] = []
  /// The factor of their sums.
  var factor = 1.0
  /// Added to their sums.
  var offset = 0.0

  /// A weight `[gates * units, ...]` with the sums of these gates changed.
  func applied(_ tensor: Tensor, units: Int, gateCount: Int, isBias: Bool) -> Tensor {
    guard factor != 1 || offset != 0 else { return tensor }
    var numbers = tensor.doubles
    let row = numbers.count / (gateCount * units)
    for gate in indices {
      for index in gate * units * row..<(gate + 1) * units * row {
        numbers[index] = numbers[index] * factor + (isBias ? offset : 0)
      }
    }
    return Tensor(tensor.elementType, shape: tensor.shape, numbers)
  }
}

extension KerasModelBuilder {
  /// The name of an activation in a cell.
  fileprivate func cellActivation(
    _ activation: CellActivation
  ) throws(WeighbridgeError) -> JSONValue {
    if activation.operation is Identity { return "linear" }
    guard let name = form.activationName(activation.operation, rank: 2) else {
      throw WeighbridgeError(
        .unsupported, "Keras has no name for the activation \(activation.operation.kind) in a cell")
    }
    return .string(name)
  }

  /// The activation of some gates.
  fileprivate mutating func gates(
    _ activation: CellActivation, _ indices: [Int]
  ) throws(WeighbridgeError) -> KerasGates {
    guard let line = activation.operation as? HardSigmoid, line.slope > 0,
      form.activationName(line, rank: 2) == nil
    else { return KerasGates(name: try cellActivation(activation)) }
    note("the gates' weights are scaled, since hard_sigmoid has another slope in the target")
    return KerasGates(
      name: "hard_sigmoid", indices: indices, factor: line.slope / form.hardSigmoidSlope,
      offset: (line.offset - 0.5) / form.hardSigmoidSlope)
  }

  /// The settings that all recurrent layers have.
  private func settings(_ recurrence: Recurrence, states: [Bool]) -> JSONObject {
    var settings: JSONObject = [
      "return_sequences": .bool(recurrence.returnsSequences),
      "return_state": .bool(states.contains(true)), "go_backwards": .bool(recurrence.isReversed),
      "stateful": false, "unroll": false,
    ]
    switch recurrence.mask {
    case .none, .previous, .state: break  // what the state makes of it stands behind the layer
    case .zero: settings["zero_output_for_mask"] = true
    }
    return settings
  }

  /// The call of a recurrent layer.
  private func call(
    _ parts: RecurrentInputs<Int>
  ) throws(WeighbridgeError) -> KerasWrittenCall {
    let sequence = try argument(self[parts.sequence])
    var states: [KerasWrittenArgument] = []
    for state in parts.states { states.append(try argument(self[state])) }
    var keywords: [(name: String, value: KerasWrittenArgument)] = []
    if let mask = parts.mask { keywords.append((name: "mask", value: try argument(self[mask]))) }
    if states.isEmpty { return KerasWrittenCall([sequence], keywords: keywords) }
    if form == .hdf5 {
      return KerasWrittenCall([.list([sequence] + states)], keywords: keywords)
    }
    keywords.append((name: "initial_state", value: .list(states)))
    return KerasWrittenCall([sequence], keywords: keywords)
  }

  /// What a recurrent layer gives: the steps in their own order, then the states.
  private mutating func results(
    _ values: [KerasValue], _ recurrence: Recurrence, _ parts: RecurrentInputs<Int>
  ) throws(WeighbridgeError) -> [KerasValue] {
    var values = values
    if recurrence.isReversed, recurrence.returnsSequences {
      values[0] = try reversed(values[0], [1])
    }
    values[0] = try beginning(values[0], recurrence, parts)
    // States that nobody reads are not given.
    while values.count < scope.outputTypes.count { values.append(values[0]) }
    return values
  }

  fileprivate mutating func recurrent<Operation: RecurrentOperator>(
    _ className: String, _ operation: Operation, _ cell: String, _ gates: KerasGates,
    _ activations: JSONObject, keepsBiases: Bool = false
  ) throws(WeighbridgeError) -> [KerasValue] {
    let recurrence = operation.recurrence
    let parts = RecurrentInputs(
      Array(operands.indices), recurrence, stateCount: Operation.stateNames.count)
    let units = try tensor(parts.weights[1]).shape[1]
    var settings = settings(recurrence, states: Array(scope.isWanted.dropFirst()))
    settings["units"] = .integer(units)
    for key in activations.keys { settings[key] = activations[key] }
    let owner = form == .archive ? "cell" : cell
    var weights: [KerasLayerWeight] = []
    for (position, name) in zip(parts.weights, ["kernel", "recurrent_kernel"]) {
      let kernel = gates.applied(
        try tensor(position), units: units, gateCount: Operation.gateCount, isBias: false)
      weights.append(
        KerasLayerWeight(name: name, tensor: kernel.permuted([1, 0]), owner: owner))
    }
    if let bias = try bias(operation, parts, units, gates, keepsBoth: keepsBiases) {
      weights.append(KerasLayerWeight(name: "bias", tensor: bias, owner: owner))
    }
    settings["use_bias"] = .bool(weights.count == 3)
    let types = scope.isWanted.dropFirst().contains(true) ? scope.outputTypes : [outputType]
    let values = try layer(
      className, settings, try call(parts), weights: weights, types: types)
    return try results(values, recurrence, parts)
  }

  /// The bias as Keras has it: one, or for the form that resets behind the product two.
  private func bias<Operation: RecurrentOperator>(
    _ operation: Operation, _ parts: RecurrentInputs<Int>, _ units: Int, _ gates: KerasGates,
    keepsBoth: Bool
  ) throws(WeighbridgeError) -> Tensor? {
    let sums = units * Operation.gateCount
    let kernelType = try tensor(parts.weights[0]).elementType
    let zeros = Tensor(kernelType, shape: [sums], [Double](repeating: 0, count: sums))
    if operation.bias == .none, gates.offset == 0 { return nil }
    let own = operation.bias == .none ? zeros : try tensor(parts.weights[2])
    let rows = own.reshaped([own.count / sums, sums])
    let first = gates.applied(
      rows.slice(0..<1, along: 0).reshaped([sums]), units: units,
      gateCount: Operation.gateCount, isBias: true)
    var second: Tensor?
    if rows.shape[0] == 2 {
      var unmoved = gates
      unmoved.offset = 0
      second = unmoved.applied(
        rows.slice(1..<2, along: 0).reshaped([sums]), units: units,
        gateCount: Operation.gateCount, isBias: true)
    }
    if keepsBoth {
      return Tensor(
        own.elementType, shape: [2, sums], first.doubles + (second ?? zeros).doubles)
    }
    guard let second else { return first }
    return Tensor(own.elementType, shape: [sums], zip(first.doubles, second.doubles).map(+))
  }

  fileprivate mutating func convolutional(
    _ operation: ConvLSTM
  ) throws(WeighbridgeError) -> [KerasValue] {
    let (window, recurrence) = (operation.window, operation.recurrence)
    let axes = window.size.count
    let parts = RecurrentInputs(Array(operands.indices), recurrence, stateCount: 2)
    let gates = try gates(operation.recurrentActivation, [0, 1, 3])
    guard (1...3).contains(axes) else {
      throw WeighbridgeError(.unsupported, "\(axes) spatial axes")
    }
    guard recurrence.mask == .none else {
      throw WeighbridgeError(
        .unsupported, "Keras fails where this layer is given a mask by a function")
    }
    let word: String
    switch window.padding {
    case .valid: word = "valid"
    case .same: word = "same"
    case .explicit:
      throw WeighbridgeError(.unsupported, "a padding that Keras' layer does not have")
    }
    let filters = try tensor(parts.weights[1]).shape[1]
    var settings = settings(recurrence, states: Array(scope.isWanted.dropFirst()))
    settings["unroll"] = nil
    settings["filters"] = .integer(filters)
    settings["kernel_size"] = .integers(window.size)
    settings["strides"] = .integers(window.strides)
    settings["padding"] = .string(word)
    settings["data_format"] = "channels_last"
    settings["dilation_rate"] = .integers(window.dilation)
    settings["activation"] = try cellActivation(operation.activation)
    settings["recurrent_activation"] = gates.name
    settings["unit_forget_bias"] = true
    let owner = form == .archive ? "cell" : ""
    var weights: [KerasLayerWeight] = []
    for (position, name) in zip(parts.weights, ["kernel", "recurrent_kernel"]) {
      let kernel = gates.applied(
        try tensor(position), units: filters, gateCount: 4, isBias: false)
      let turned = kernel.permuted(Array(2..<axes + 2) + [1, 0])
      weights.append(KerasLayerWeight(name: name, tensor: turned, owner: owner))
    }
    if operation.hasBias {
      let bias = gates.applied(
        try tensor(parts.weights[2]), units: filters, gateCount: 4, isBias: true)
      weights.append(KerasLayerWeight(name: "bias", tensor: bias, owner: owner))
    } else if gates.offset != 0 {
      throw WeighbridgeError(.unsupported, "gates that are moved, and no bias to move them with")
    }
    settings["use_bias"] = .bool(operation.hasBias)
    let types = scope.isWanted.dropFirst().contains(true) ? scope.outputTypes : [outputType]
    let values = try layer(
      "ConvLSTM\(axes)D", settings, try call(parts), weights: weights, types: types)
    return try results(values, recurrence, parts)
  }
}
