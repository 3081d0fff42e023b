import Bytes
import ConversionCore
import GraphIR
import LayerCatalog
import ONNXFormat

/// A weight that only an operator's loop reads, assembled from the parts found where views of it
/// would be written.
private struct LoopWeight {
  let pattern: Tensor
  private var numbers: [Double]
  private var missing: Int

  /// - Parameter limit: The number of bytes that the file can have for it.
  /// - Returns: `nil` when it takes more.
  init?(_ type: ElementType, _ shape: [Int], limit: Int) {
    guard let size = try? Checked.product(shape + [type.byteCount], of: "a weight"), size <= limit
    else { return nil }
    pattern = Tensor(type, shape: shape, bytes: [UInt8](repeating: 0, count: size))
    numbers = [Double](repeating: 0, count: pattern.count)
    missing = pattern.count
  }

  /// Takes the file's elements where a view of the pattern would be written.
  mutating func take(_ view: Tensor, _ found: Tensor) -> Bool {
    guard view.store === pattern.store else { return false }
    var places = [view.offset / view.elementType.byteCount]
    for (dimension, stride) in zip(view.shape, view.strides) {
      places = places.flatMap { place in (0..<dimension).map { place + $0 * stride } }
    }
    for (place, number) in zip(places, found.doubles) { numbers[place] = number }
    missing -= places.count
    return true
  }

  /// The weight, once it is complete.
  var tensor: Tensor? {
    missing == 0 ? Tensor(pattern.elementType, shape: pattern.shape, numbers) : nil
  }
}

/// The operands of a recurrent operator, as far as a loop reveals them.
private struct LoopOperands {
  /// The operator's sequence.
  let sequence: ONNXValue
  /// The weights in the operator's order: those known from nodes before the loop, and those inside
  /// it.
  var weights: [Weight]

  enum Weight {
    case known(ONNXValue, Tensor)
    case inside(LoopWeight)

    var tensor: Tensor {
      switch self {
      case .known(_, let tensor): tensor
      case .inside(let weight): weight.pattern
      }
    }
  }

  /// Takes the file's elements where part of a weight would be written.
  mutating func take(_ view: Tensor, _ found: Tensor) -> Bool {
    for index in weights.indices {
      guard case .inside(var weight) = weights[index], weight.take(view, found) else { continue }
      weights[index] = .inside(weight)
      return true
    }
    return view.type == found.type && view.contiguousBytes() == found.contiguousBytes()
  }
}

extension ONNXLayer {
  /// Adds a loop as the recurrent operator that it represents; returns `nil` when it is another
  /// loop or was changed.
  ///
  /// - Parameter values: The initial states, the sequence and its mask.
  mutating func recurrence(
    _ body: ONNXGraph, _ values: [ONNXValue]
  ) throws(WeighbridgeError) -> [ONNXValue]? {
    guard let loop = ONNXRecurrence(body) else { return nil }
    let (states, scanned) = (values.prefix(loop.stateCount), values.dropFirst(loop.carriedCount))
    let zeros = values.prefix(loop.carriedCount)
      .dropFirst(loop.recurrence.hasInitialStates ? loop.stateCount : 0)
    guard scanned.count == (loop.recurrence.mask == .none ? 1 : 2),
      zeros.allSatisfy({ network.number(everywhere: $0) == 0 }), let sequence = scanned.first,
      var operands = loopOperands(loop.operation, sequence, body)
    else { return nil }
    let data =
      [operands.sequence] + Array(scanned.dropFirst())
      + (loop.recurrence.hasInitialStates ? Array(states) : [])
    guard let match = matchedLoop(loop, data.map { type($0) }, operands) else { return nil }
    for (weight, name) in match.read {
      guard let found = network.values[name]?.tensor, weight.parts.count == 1,
        found.elementType == weight.head.elementType, found.shape == weight.head.shape,
        operands.take(weight.parts[0], found)
      else { return nil }
    }
    var weights: [ONNXValue] = []
    for (position, weight) in operands.weights.enumerated() {
      switch weight {
      case .known(let value, _): weights.append(value)
      case .inside(let weight):
        guard let tensor = weight.tensor else { return nil }
        weights.append(own(tensor, "weight_\(position)"))
      }
    }
    ignore("num_scan_inputs", "scan_input_axes", "scan_input_directions")
    ignore("scan_output_axes", "scan_output_directions")
    return try loopOutputs(loop, try apply(loop.operation, data + weights, role: "loop"))
  }

  /// Matches the loop that would be written for the operator with that of the file.
  private func matchedLoop(
    _ loop: ONNXRecurrence, _ data: [TensorType], _ operands: LoopOperands
  ) -> ONNXLoopMatch? {
    let given = data.enumerated().map {
      ExportOperand(name: "data_\($0)", type: $1, constant: nil)
    }
    let weights = operands.weights.enumerated().map {
      ExportOperand(name: "weight_\($0)", type: $1.tensor.type, constant: $1.tensor)
    }
    var builder = ONNXGraphBuilder(opset: opset, precision: .float32, reserved: [])
    guard (try? builder.apply(loop.operation, named: "loop", given + weights)) != nil,
      let written = builder.nodes.last(where: { $0.operation == "Scan" })
    else { return nil }
    return ONNXLoopMatch(written, builder.weights, over: node)
  }

  /// The operands other than masks and states. For vectors, the products with the input and a bias
  /// are before the loop.
  private func loopOperands(
    _ operation: any CatalogOperator, _ sequence: ONNXValue, _ body: ONNXGraph
  ) -> LoopOperands? {
    let limit = readByteCount(body)
    if let operation = operation as? ConvLSTM {
      guard case .computed = sequence, type(sequence).rank == operation.window.size.count + 3,
        let channels = type(sequence).shape[2].value,
        let state = body.outputs.first?.shape, state.count > 1, case .fixed(let filters) = state[1],
        let sums = try? Checked.product([4, filters], of: "the number of sums")
      else { return nil }
      let kernels = [channels, filters].map { [sums, $0] + operation.window.size }
      let weights = (kernels + (operation.hasBias ? [[sums]] : [])).compactMap {
        LoopWeight(type(sequence).elementType, $0, limit: limit).map(LoopOperands.Weight.inside)
      }
      guard weights.count == (operation.hasBias ? 3 : 2) else { return nil }
      return LoopOperands(sequence: sequence, weights: weights)
    }
    guard let operation = operation as? any RecurrentOperator, case .computed(let id) = sequence,
      case (is Dense, let made)? = network.makers[id],
      made.count == (operation.bias == .none ? 2 : 3),
      let kernel = network.graph.constant(of: made[1]), kernel.shape.count == 2
    else { return nil }
    let sums = kernel.shape[0]
    let units = sums / Swift.type(of: operation).gateCount
    guard let recurrent = LoopWeight(kernel.elementType, [sums, units], limit: limit) else {
      return nil
    }
    var weights = [LoopOperands.Weight.known(.computed(made[1]), kernel), .inside(recurrent)]
    if operation.bias != .none {
      guard let bias = network.graph.constant(of: made[2]), bias.shape == [sums] else { return nil }
      if operation.bias == .input {
        weights.append(.known(.computed(made[2]), bias))
      } else {
        guard var both = LoopWeight(bias.elementType, [2, sums], limit: limit + bias.byteCount),
          both.take(both.pattern.slice(0..<1, along: 0), bias)
        else { return nil }
        weights.append(.inside(both))
      }
    }
    return LoopOperands(sequence: .computed(made[0]), weights: weights)
  }

  /// An upper bound for the bytes of weights that a body reads.
  private func readByteCount(_ body: ONNXGraph) -> Int {
    Set(body.nodes.flatMap(\.inputs)).compactMap { network.values[$0]?.tensor }
      .reduce(0) { $0 + min($1.byteCount, $1.store.count) }
  }

  /// Converts the operator's outputs to those of the loop: the states, the carried output, and the
  /// outputs of all steps.
  private mutating func loopOutputs(
    _ loop: ONNXRecurrence, _ given: [ONNXValue]
  ) throws(WeighbridgeError) -> [ONNXValue] {
    let (returnsSequences, isReversed) = (
      loop.recurrence.returnsSequences, loop.recurrence.isReversed
    )
    var outputs = Array(given.dropFirst())
    if loop.carriesOutput, returnsSequences {
      let range = Slice.Range(
        axis: 1, start: isReversed ? 0 : -1, stop: isReversed ? 1 : nil, step: 1)
      let last = try apply(Slice([range]), to: given[0], role: "last")
      outputs.append(try apply(Squeeze(axes: [1]), to: last, role: "last/squeeze"))
    } else if loop.carriesOutput {
      outputs.append(given[0])
    }
    return outputs + (returnsSequences ? [given[0]] : [])
  }
}
