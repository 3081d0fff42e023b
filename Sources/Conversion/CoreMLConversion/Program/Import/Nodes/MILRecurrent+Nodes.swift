import Bytes
import ConversionCore
import GraphIR
import LayerCatalog

extension MILRecurrent {
  static let nodes: [String: MILLayer.Build] = [
    "lstm": { (layer) throws(WeighbridgeError) in
      let gate = try layer.activation("recurrent_activation", default: "sigmoid")
      let cell = try layer.activation("cell_activation", default: "tanh")
      guard cell == (try layer.activation("activation", default: "tanh")) else {
        throw layer.unsupported(
          "has different activations for the cell and the output, and one for both can be read")
      }
      guard try layer.optional("clip") == nil, try layer.optional("peephole") == nil,
        try layer.optional("peephole_back") == nil
      else {
        throw layer.unsupported(
          "clips its cell, or has peepholes, and only an LSTM without both can be read")
      }
      return try layer.sequence(gates: [0, 1, 3, 2], states: ["initial_h", "initial_c"]) {
        LSTM(recurrence: $0, bias: $1, activation: cell, recurrentActivation: gate)
      }
    },
    "gru": { (layer) throws(WeighbridgeError) in
      let gate = try layer.activation("recurrent_activation", default: "sigmoid")
      let cell = try layer.activation("activation", default: "tanh")
      let resetsAfter = try layer.flag("reset_after")
      let inputBias = try layer.optional("input_bias")
      return try layer.sequence(
        gates: [2, 0, 1], states: ["initial_h"], hasInputBias: resetsAfter || inputBias != nil
      ) {
        GRU(
          recurrence: $0, bias: $1, activation: cell, recurrentActivation: gate,
          resetsAfter: resetsAfter)
      }
    },
    "rnn": { (layer) throws(WeighbridgeError) in
      let cell = try layer.activation("activation", default: "tanh")
      return try layer.sequence(gates: [0], states: ["initial_h"]) {
        SimpleRNN(recurrence: $0, bias: $1, activation: cell)
      }
    },
  ]
}

extension MILLayer {
  fileprivate mutating func activation(
    _ name: String, default text: String
  ) throws(WeighbridgeError) -> CellActivation {
    let functions: [String: any CatalogOperator] = [
      "tanh": Tanh(), "sigmoid": Sigmoid(), "linear": Identity(),
      "relu": ReLU(slope: 0, threshold: 0, maximum: nil),
    ]
    let function = try self.text(name, default: text)
    guard let activation = functions[function].flatMap({ CellActivation($0) }) else {
      throw unsupported("has the activation \(function), which cannot be read")
    }
    return activation
  }

  /// Adds a recurrent operator over `[time, batch, features]`, in one direction or in both.
  ///
  /// - Parameters:
  ///   - gates: For each gate of the catalog's operator, its position in MIL's order.
  ///   - states: The names of the initial states.
  ///   - hasInputBias: Whether `bias` is added to the products with the state only, and `input_bias` to
  ///     those with the input.
  fileprivate mutating func sequence(
    gates: [Int], states: [String], hasInputBias: Bool = false,
    _ operation: (Recurrence, RecurrentBias) -> any CatalogOperator
  ) throws(WeighbridgeError) -> [SourceValue] {
    let direction = try text("direction", default: "forward")
    guard ["forward", "reverse", "bidirectional"].contains(direction) else {
      throw malformed("has the direction \(direction), expected forward, reverse or bidirectional")
    }
    let isDouble = direction == "bidirectional"
    let returnsSequences = try flag("output_sequence")
    let batchFirst = try transposed(try input(), [1, 0, 2], role: "batch_first")
    var initial: [SourceValue] = []
    for name in states { initial.append(try input(name)) }
    var results: [[SourceValue]] = []
    for (position, suffix) in zip(0..., isDouble ? ["", "_back"] : [""]) {
      let recurrence = Recurrence(
        isReversed: direction == "reverse" || position == 1, returnsSequences: returnsSequences,
        hasInitialStates: true, mask: .none)
      let kernels = [
        try gateWeight("weight_ih\(suffix)", gates), try gateWeight("weight_hh\(suffix)", gates),
      ]
      let bias =
        hasInputBias
        ? try separateBias(kernels[0], gates)
        : try optional("bias\(suffix)") == nil ? nil : try gateWeight("bias\(suffix)", gates)
      let own = isDouble ? try half(position, of: initial) : initial
      results.append(
        try apply(
          operation(recurrence, bias == nil ? .none : hasInputBias ? .separate : .input),
          [batchFirst] + own + kernels + (bias.map { [$0] } ?? []), role: "direction_\(position)"))
    }
    return try joined(results, returnsSequences: returnsSequences)
  }

  /// A weight `[gates * units, ...]` with the gates in the catalog's order.
  private mutating func gateWeight(
    _ name: String, _ gates: [Int]
  ) throws(WeighbridgeError) -> SourceValue {
    let weight = try input(name)
    guard let rows = type(weight).shape.first?.value, rows % gates.count == 0, rows > 0 else {
      throw malformed("has \(type(weight)) as \(name), expected \(gates.count) gates")
    }
    return try derived(weight, "gates") { $0.reorderingGates(gates) }
  }

  /// The biases of the products with the input and with the state, `[2, gates * units]`; 0 for one that
  /// is absent.
  private mutating func separateBias(
    _ kernel: SourceValue, _ gates: [Int]
  ) throws(WeighbridgeError) -> SourceValue {
    let count = type(kernel).shape[0].value ?? 0
    var numbers: [Double] = []
    for name in ["input_bias", "bias"] {
      let bias = try constant(name) ?? Tensor(.float32, shape: [1], [0]).broadcast(to: [count])
      guard bias.shape == [count] else {
        throw malformed("has \(bias.type) as \(name), expected \(count) numbers")
      }
      numbers += bias.reorderingGates(gates).doubles
    }
    return newConstant(Tensor(.float32, shape: [2, count], numbers), "biases")
  }

  private mutating func half(
    _ position: Int, of states: [SourceValue]
  ) throws(WeighbridgeError) -> [SourceValue] {
    var halves: [SourceValue] = []
    for (index, state) in states.enumerated() {
      guard let size = type(state).shape.last?.value, size % 2 == 0, type(state).rank == 2 else {
        throw malformed("begins with \(type(state)), expected the states of both directions")
      }
      let range = Slice.Range(
        axis: 1, start: position * size / 2, stop: (position + 1) * size / 2, step: 1)
      halves.append(
        try apply(Slice([range]), to: state, role: "state_\(index)_\(position)"))
    }
    return halves
  }

  /// The results of both directions side by side: the sequence `[time, batch, units]`, and states.
  private mutating func joined(
    _ results: [[SourceValue]], returnsSequences: Bool
  ) throws(WeighbridgeError) -> [SourceValue] {
    var outputs: [SourceValue] = []
    for index in results[0].indices {
      let parts = results.map { $0[index] }
      let axis = type(parts[0]).rank - 1
      outputs.append(
        parts.count == 1
          ? parts[0] : try apply(Concatenate(axis: axis), parts, role: "both_\(index)")[0])
    }
    outputs[0] =
      returnsSequences
      ? try transposed(outputs[0], [1, 0, 2]) : try apply(ExpandDims(axes: [0]), to: outputs[0])
    return outputs
  }
}
