import Bytes
import ConversionCore
import GraphIR
import JSON
import KerasFormat
import LayerCatalog

/// The activation of gates, and how the gates' weights are adapted to it: the hard sigmoid has
/// another slope in each generation of Keras.
struct KerasGates {
  let name: JSONValue
  /// The indices of the gates with this activation.
  var indices: [Int] = []
  /// The factor for their pre-activations.
  var factor = 1.0
  /// The offset added to their pre-activations.
  var offset = 0.0

  /// Returns a weight `[gates * units, ...]`, adapted for these gates.
  func applied(_ tensor: Tensor, gateCount: Int, isBias: Bool) -> Tensor {
    guard factor != 1 || offset != 0 else { return tensor }
    var numbers = tensor.doubles
    let size = numbers.count / gateCount
    for gate in indices {
      for index in gate * size..<(gate + 1) * size {
        numbers[index] = numbers[index] * factor + (isBias ? offset : 0)
      }
    }
    return Tensor(tensor.elementType, shape: tensor.shape, numbers)
  }
}

extension KerasModelBuilder {
  /// The name of an activation in a cell.
  func cellActivation(
    _ activation: CellActivation
  ) throws(WeighbridgeError) -> JSONValue {
    if activation.operation is Identity { return "linear" }
    guard let name = format.activationName(activation.operation, rank: 2) else {
      throw .unsupported(
        "Keras has no name for the activation \(activation.operation.kind) in a cell")
    }
    return .string(name)
  }

  /// The activation of some gates.
  mutating func gates(
    _ activation: CellActivation, _ indices: [Int]
  ) throws(WeighbridgeError) -> KerasGates {
    guard let hardSigmoid = activation.operation as? HardSigmoid, hardSigmoid.slope > 0,
      format.activationName(hardSigmoid, rank: 2) == nil
    else { return KerasGates(name: try cellActivation(activation)) }
    note("the gates' weights are scaled, since hard_sigmoid has another slope in the target")
    return KerasGates(
      name: "hard_sigmoid", indices: indices, factor: hardSigmoid.slope / format.hardSigmoidSlope,
      offset: (hardSigmoid.offset - 0.5) / format.hardSigmoidSlope)
  }

  /// Whether any state is used.
  private var returnsStates: Bool { scope.isUsed.dropFirst().contains(true) }

  /// The common settings of recurrent layers.
  private func settings(_ recurrence: Recurrence, canUnroll: Bool) -> JSONObject {
    var settings: JSONObject = [
      "return_sequences": .bool(recurrence.returnsSequences),
      "return_state": .bool(returnsStates), "go_backwards": .bool(recurrence.isReversed),
      "stateful": false,
    ]
    if canUnroll { settings["unroll"] = false }
    // The layer's own initializer takes no bfloat16, and its weights are in the file.
    if outputType.elementType == .bfloat16 { settings["recurrent_initializer"] = "zeros" }
    settings["dropout"] = recurrence.dropout.map { .real($0) }
    settings["recurrent_dropout"] = recurrence.stateDropout.map { .real($0) }
    switch recurrence.mask {
    case .none, .previous, .state: break  // `.state` is handled after the layer
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
    if format == .tensorFlowJS {
      try checkPassedMask(parts)
    } else if let mask = parts.mask {
      keywords.append((name: "mask", value: try argument(self[mask])))
    }
    if states.isEmpty { return KerasWrittenCall([sequence], keywords: keywords) }
    if format != .archive {
      return KerasWrittenCall([.list([sequence] + states)], keywords: keywords)
    }
    keywords.append((name: "initial_state", value: .list(states)))
    return KerasWrittenCall([sequence], keywords: keywords)
  }

  /// Converts the outputs of a recurrent layer: the sequence in the order of its steps, then the
  /// states.
  private mutating func results(
    _ values: [KerasValue], _ recurrence: Recurrence, _ parts: RecurrentInputs<Int>
  ) throws(WeighbridgeError) -> [KerasValue] {
    var values = values
    if recurrence.isReversed, recurrence.returnsSequences {
      values[0] = try inOrderOfSteps(values[0])
    }
    values[0] = try withInitialState(values[0], recurrence, parts)
    // Unused states are not returned by the layer.
    while values.count < scope.outputTypes.count { values.append(values[0]) }
    return values
  }

  /// Reverses a layer's sequence, which it returns in the order in which it computes it.
  ///
  /// TensorFlow.js has no layer that reverses; a recurrent one that goes backwards and returns each
  /// step as it is does.
  private mutating func inOrderOfSteps(
    _ sequence: KerasValue
  ) throws(WeighbridgeError) -> KerasValue {
    guard format == .tensorFlowJS, let size = sequence.type.shape.last?.value else {
      return try reversed(sequence, [1])
    }
    guard !fusion.hasMasks else {
      throw .unsupported(
        "returns a sequence backwards in a model with masks, which TensorFlow.js would apply to the "
          + "layer that reverses it; one without masks is possible")
    }
    let copies = Tensor(
      .float32, shape: [size, size],
      (0..<size * size).map { $0.isMultiple(of: size + 1) ? 1 : 0 })
    let zeros = Tensor(
      .float32, shape: [size, size], [Double](repeating: 0, count: size * size))
    let call = KerasWrittenCall([try argument(sequence)])
    let result = try layer(
      "SimpleRNN",
      [
        "units": .integer(size), "activation": "linear", "use_bias": false,
        "return_sequences": true, "return_state": false, "go_backwards": true, "stateful": false,
      ], call,
      weights: [
        KerasLayerWeight(name: "kernel", tensor: copies, owner: "simple_rnn_cell"),
        KerasLayerWeight(name: "recurrent_kernel", tensor: zeros, owner: "simple_rnn_cell"),
      ], types: [sequence.type])[0]
    noteReversal(of: sequence, result)
    return result
  }

  /// Adds a recurrent layer, and what converts its outputs to those of the operator.
  ///
  /// - Parameter settings: The settings in addition to the common ones of recurrent layers.
  mutating func addRecurrent(
    _ className: String, _ recurrence: Recurrence, _ parts: RecurrentInputs<Int>,
    _ settings: JSONObject, _ weights: [KerasLayerWeight], canUnroll: Bool = true
  ) throws(WeighbridgeError) -> [KerasValue] {
    let all = self.settings(recurrence, canUnroll: canUnroll).merging(settings)
    let types = returnsStates ? scope.outputTypes : [outputType]
    let values = try layer(className, all, try call(parts), weights: weights, types: types)
    return try results(values, recurrence, parts)
  }

  /// Adds a recurrent layer over vectors.
  mutating func recurrent<Operation: RecurrentOperator>(
    _ className: String, _ operation: Operation, _ cell: String, _ gates: KerasGates,
    _ activations: JSONObject, keepsBiases: Bool = false
  ) throws(WeighbridgeError) -> [KerasValue] {
    let recurrence = operation.recurrence
    let parts = RecurrentInputs(
      Array(operands.indices), recurrence, stateCount: Operation.stateNames.count)
    let units = try tensor(parts.weights[1]).shape[1]
    let owner = format == .archive ? "cell" : cell
    var weights = try kernels(parts, gates, gateCount: Operation.gateCount, owner: owner)
    if let bias = try bias(operation, parts, units, gates, keepsBoth: keepsBiases) {
      weights.append(KerasLayerWeight(name: "bias", tensor: bias, owner: owner))
    }
    var settings: JSONObject = ["units": .integer(units)]
    settings = settings.merging(activations)
    settings["use_bias"] = .bool(weights.count == 3)
    return try addRecurrent(className, recurrence, parts, settings, weights)
  }

  /// The kernels of a cell, adapted for its gates, with the axes in Keras' order.
  func kernels(
    _ parts: RecurrentInputs<Int>, _ gates: KerasGates, gateCount: Int, owner: String
  ) throws(WeighbridgeError) -> [KerasLayerWeight] {
    try zip(parts.weights, ["kernel", "recurrent_kernel"]).map {
      (position, name) throws(WeighbridgeError) in
      let kernel = gates.applied(try tensor(position), gateCount: gateCount, isBias: false)
      let order = Array(2..<kernel.shape.count) + [1, 0]
      return KerasLayerWeight(name: name, tensor: kernel.permuted(order), owner: owner)
    }
  }

  /// The bias in Keras' form: one vector, or two for the GRU that resets after the product.
  private func bias<Operation: RecurrentOperator>(
    _ operation: Operation, _ parts: RecurrentInputs<Int>, _ units: Int, _ gates: KerasGates,
    keepsBoth: Bool
  ) throws(WeighbridgeError) -> Tensor? {
    let gateUnits = units * Operation.gateCount
    let kernelType = try tensor(parts.weights[0]).elementType
    let zeros = Tensor(kernelType, shape: [gateUnits], [Double](repeating: 0, count: gateUnits))
    if operation.bias == .none, gates.offset == 0 { return nil }
    let bias = operation.bias == .none ? zeros : try tensor(parts.weights[2])
    let rows = bias.reshaped([bias.count / gateUnits, gateUnits])
    let inputBias = gates.applied(
      rows.slice(0..<1, along: 0).reshaped([gateUnits]), gateCount: Operation.gateCount,
      isBias: true)
    var recurrentBias: Tensor?
    if rows.shape[0] == 2 {
      var withoutOffset = gates
      withoutOffset.offset = 0
      recurrentBias = withoutOffset.applied(
        rows.slice(1..<2, along: 0).reshaped([gateUnits]), gateCount: Operation.gateCount,
        isBias: true)
    }
    if keepsBoth {
      return Tensor(
        bias.elementType, shape: [2, gateUnits],
        inputBias.doubles + (recurrentBias ?? zeros).doubles)
    }
    guard let recurrentBias else { return inputBias }
    return Tensor(
      bias.elementType, shape: [gateUnits],
      zip(inputBias.doubles, recurrentBias.doubles).map(+))
  }
}

extension KerasModelBuilder {
  /// Adapts the output of a recurrent layer to a step mask: at steps before the first unmasked one,
  /// Keras now returns 0, and its oldest versions returned the initial state.
  ///
  /// - Parameter output: The output of the layer, with each step's output at its own step.
  mutating func withInitialState(
    _ output: KerasValue, _ recurrence: Recurrence, _ parts: RecurrentInputs<Int>
  ) throws(WeighbridgeError) -> KerasValue {
    guard recurrence.mask == .state, let mask = parts.mask, let state = parts.states.first else {
      return output
    }
    let integerMask = try function(.cast, [self[mask]], to: .int32)
    var (unmaskedCount, initialState) = (integerMask, self[state])
    if recurrence.returnsSequences {
      let sum = CumSum(axis: 1, isExclusive: false, isReversed: recurrence.isReversed)
      unmaskedCount = try expanded(
        try cumulative("Cumsum", tf: "math.cumsum", sum, integerMask), 2)
      initialState = try expanded(initialState, 1)
    } else {
      unmaskedCount = try reduce(.maximum, integerMask, [1])
    }
    let hasBegun = try compare(.greater, unmaskedCount, number(0, .int32))
    return try function(.select, [hasBegun, output, initialState], type: output.type)
  }
}
