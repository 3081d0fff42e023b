import Bytes
import ConversionCore
import GraphIR
import LayerCatalog
import ONNXFormat

extension ONNXLayer {
  /// Reads a recurrent node, as one operator for each direction.
  ///
  /// - Parameter steps: How the steps of an LSTM are written out where `operation` has no operator.
  mutating func recurrent(
    _ cell: ONNXCell, stateCount: Int, _ steps: ONNXLSTMSteps = ONNXLSTMSteps(),
    _ operation: (Recurrence, RecurrentBias, [CellActivation]) -> (any CatalogOperator)?
  ) throws(WeighbridgeError) -> [ONNXValue] {
    let (gates, defaults) = (cell.onnxGates, cell.activations)
    let direction = try string("direction", default: "forward")
    let reversals = ["forward": [false], "reverse": [true], "bidirectional": [false, true]]
    guard let reversals = reversals[direction] else {
      throw malformed(
        "has direction=\(direction), and only forward, reverse and bidirectional are known")
    }
    let directionAxis = try integer("layout", default: 0) == 0 ? 0 : 1
    guard !has("clip") else {
      throw unsupported(
        "limits its sums (clip), and only a \(node.operation) without a limit can be read")
    }
    ignore("hidden_size")
    let activations = try cellActivations(defaults: defaults, directions: reversals.count)
    let sequence =
      directionAxis == 1
      ? try input(0) : try transposed(try input(0), [1, 0, 2], role: "batch_first")
    guard type(sequence).rank == 3 else {
      throw malformed("takes a sequence \(type(sequence)), and one of three axes is expected")
    }
    let mask = try sequenceMask(sequence)
    var results: [[ONNXValue]] = []
    for (index, isReversed) in reversals.enumerated() {
      let recurrence = Recurrence(
        isReversed: isReversed, returnsSequences: true,
        hasInitialStates: try hasStates(stateCount, directionAxis),
        mask: mask == nil ? .none : .zero)
      let ownActivations = activations[index * defaults.count..<(index + 1) * defaults.count]
      let states = try initialStates(index, directionAxis, stateCount: stateCount)
      let kernels = try cellKernels(index, gates)
      let (bias, biasInputs) = try cellBias(index, gates)
      let role = "direction_\(index)"
      guard let operation = operation(recurrence, bias, Array(ownActivations)) else {
        results.append(
          try apply(
            steps, recurrence, sequence, states, kernels, biasInputs, Array(ownActivations), index))
        continue
      }
      let inputs = [sequence] + (mask.map { [$0] } ?? []) + states + kernels + biasInputs
      results.append(try apply(operation, inputs, role: role))
    }
    return try recurrentOutputs(results, directionAxis, stateCount: stateCount)
  }

  /// Returns which steps belong to the sequences, `[batch, time]`; `nil` if all do.
  private mutating func sequenceMask(
    _ sequence: ONNXValue
  ) throws(WeighbridgeError) -> ONNXValue? {
    guard let lengths = try optional(4) else { return nil }
    if let steps = type(sequence).shape[1].value, isFilled(lengths, with: steps) { return nil }
    let first = Slice.Range(axis: 2, start: 0, stop: 1, step: 1)
    let column = try apply(Slice([first]), to: sequence, role: "first_feature")
    let row = try apply(Squeeze(axes: [2]), to: column, role: "steps")
    let ones = try apply(
      FullLike(value: 1), to: try apply(Cast(to: .int32), to: row, role: "integers"), role: "ones")
    let numbers = try apply(
      CumSum(axis: 1, isExclusive: false, isReversed: false), to: ones, role: "numbers")
    let ends = try apply(
      ExpandDims(axes: [1]), to: try apply(Cast(to: .int32), to: lengths, role: "lengths"),
      role: "ends")
    return try apply(Comparison(.lessOrEqual), to: numbers, ends, role: "mask")
  }

  /// Returns the initial states of one direction, `[batch, units]` each; empty if they are 0.
  private mutating func initialStates(
    _ index: Int, _ axis: Int, stateCount: Int
  ) throws(WeighbridgeError) -> [ONNXValue] {
    guard try hasStates(stateCount, axis) else { return [] }
    var states: [ONNXValue] = []
    for position in 5..<5 + stateCount {
      let state = try initialState(position, stateCount)
      guard type(state).rank == 3 else {
        throw malformed("takes an initial state \(type(state)), and one of three axes is expected")
      }
      let range = Slice.Range(axis: axis, start: index, stop: index + 1, step: 1)
      let role = "state_\(position - 5)_\(index)"
      let isOnly = type(state).shape[axis].value == 1
      let slice = isOnly ? state : try apply(Slice([range]), to: state, role: role)
      states.append(try apply(Squeeze(axes: [axis]), to: slice, role: "\(role)/squeeze"))
    }
    return states
  }

  /// Returns both kernels of one direction, with the gates in the operator's order.
  private mutating func cellKernels(
    _ index: Int, _ gates: [Int]
  ) throws(WeighbridgeError) -> [ONNXValue] {
    var kernels: [ONNXValue] = []
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
      kernels.append(newConstant(kernel.reorderingGates(gates), "weights_\(position)_\(index)"))
    }
    return kernels
  }

  /// Whether any initial state is given that is not 0, as it is without one.
  private func hasStates(_ count: Int, _ directionAxis: Int) throws(WeighbridgeError) -> Bool {
    let sequence = type(try input(0))
    for position in 5..<5 + count {
      guard let state = try optional(position) else { continue }
      let isForBatch =
        type(state).rank == 3 && sequence.rank == 3
        && type(state).shape[1 - directionAxis] == sequence.shape[1 - directionAxis]
      if !isForBatch || !isFilled(state, with: 0) { return true }
    }
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
  /// `[directions, batch, units]` each; with a direction axis of 1 the batch comes first.
  private mutating func recurrentOutputs(
    _ results: [[ONNXValue]], _ directionAxis: Int, stateCount: Int
  ) throws(WeighbridgeError) -> [ONNXValue] {
    var sequences: [ONNXValue] = []
    for (index, result) in results.enumerated() {
      let ordered =
        directionAxis == 1
        ? result[0] : try transposed(result[0], [1, 0, 2], role: "time_first_\(index)")
      sequences.append(
        try apply(ExpandDims(axes: [directionAxis + 1]), to: ordered, role: "output_\(index)"))
    }
    var outputs = [try concatenated(sequences, axis: directionAxis + 1, role: "output")]
    for state in 0..<stateCount {
      var values: [ONNXValue] = []
      for (index, result) in results.enumerated() {
        values.append(
          try apply(
            ExpandDims(axes: [directionAxis]), to: result[1 + state],
            role: "state_\(state)_\(index)/last"))
      }
      outputs.append(try concatenated(values, axis: directionAxis, role: "state_\(state)"))
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
