import Bytes
import ConversionCore
import GraphIR
import LayerCatalog
import ONNXFormat

/// A weight that only an operator's loop reads, assembled from the parts that the file has where
/// views of the weight would be written.
private struct LoopWeight {
  /// A tensor of the weight's type and shape, views of which stand for parts of the weight.
  let template: Tensor
  private var elements: [Double]
  private var missingCount: Int

  /// - Parameter limit: The largest size in bytes that the file can have for it.
  /// - Returns: `nil` when it would be larger.
  init?(_ type: ElementType, _ shape: [Int], limit: Int) {
    guard let size = try? Checked.product(shape + [type.byteCount], of: "a weight"), size <= limit
    else { return nil }
    template = Tensor(type, shape: shape, bytes: [UInt8](repeating: 0, count: size))
    elements = [Double](repeating: 0, count: template.count)
    missingCount = template.count
  }

  /// Fills in the file's elements where a view of the template would be written; returns `false`
  /// for a view of another tensor.
  mutating func fill(_ view: Tensor, with found: Tensor) -> Bool {
    guard view.store === template.store else { return false }
    var offsets = [view.offset / view.elementType.byteCount]
    for (dimension, stride) in zip(view.shape, view.strides) {
      offsets = offsets.flatMap { offset in (0..<dimension).map { offset + $0 * stride } }
    }
    for (offset, number) in zip(offsets, found.doubles) { elements[offset] = number }
    missingCount -= offsets.count
    return true
  }

  /// The weight, if it is complete.
  var tensor: Tensor? {
    missingCount == 0 ? Tensor(template.elementType, shape: template.shape, elements) : nil
  }
}

/// The operands of a recurrent operator that a loop represents.
private struct LoopOperands {
  /// The operator's sequence.
  let sequence: ONNXValue
  /// The weights in the operator's order: those of nodes before the loop, and those that nodes in
  /// the loop read.
  var weights: [Weight]

  enum Weight {
    case beforeLoop(ONNXValue, Tensor)
    case insideLoop(LoopWeight)

    var tensor: Tensor {
      switch self {
      case .beforeLoop(_, let tensor): tensor
      case .insideLoop(let weight): weight.template
      }
    }
  }

  /// Fills in the file's elements where a part of a weight would be written; returns whether they
  /// fit.
  mutating func fill(_ view: Tensor, with found: Tensor) -> Bool {
    for index in weights.indices {
      guard case .insideLoop(var weight) = weights[index], weight.fill(view, with: found) else {
        continue
      }
      weights[index] = .insideLoop(weight)
      return true
    }
    return view.type == found.type && view.contiguousBytes() == found.contiguousBytes()
  }
}

extension ONNXLayer {
  /// Adds a loop as the recurrent operator that it represents; returns `nil` when it represents
  /// none, or was modified.
  ///
  /// - Parameter values: The initial states, the sequence and its mask.
  mutating func recurrence(
    _ body: ONNXGraph, _ values: [ONNXValue]
  ) throws(WeighbridgeError) -> [ONNXValue]? {
    guard let loop = ONNXRecurrentLoop(body) else { return nil }
    let (states, scanned) = (values.prefix(loop.stateCount), values.dropFirst(loop.carriedCount))
    let zeros = values.prefix(loop.carriedCount)
      .dropFirst(loop.recurrence.hasInitialStates ? loop.stateCount : 0)
    guard scanned.count == (loop.recurrence.mask == .none ? 1 : 2),
      zeros.allSatisfy({ network.fillValue(of: $0) == 0 }), let sequence = scanned.first,
      var operands = loopOperands(loop.operation, sequence, body)
    else { return nil }
    let data =
      [operands.sequence] + Array(scanned.dropFirst())
      + (loop.recurrence.hasInitialStates ? Array(states) : [])
    guard let match = matchedLoop(loop, data.map { type($0) }, operands) else { return nil }
    for (weight, name) in match.readWeights {
      guard let found = network.values[name]?.tensor, weight.parts.count == 1,
        found.elementType == weight.initializer.elementType,
        found.shape == weight.initializer.shape,
        operands.fill(weight.parts[0], with: found)
      else { return nil }
    }
    var weights: [ONNXValue] = []
    for (position, weight) in operands.weights.enumerated() {
      switch weight {
      case .beforeLoop(let value, _): weights.append(value)
      case .insideLoop(let weight):
        guard let tensor = weight.tensor else { return nil }
        weights.append(newConstant(tensor, "weight_\(position)"))
      }
    }
    ignore("num_scan_inputs", "scan_input_axes", "scan_input_directions")
    ignore("scan_output_axes", "scan_output_directions")
    return try loopOutputs(loop, try apply(loop.operation, data + weights, role: "loop"))
  }

  /// Matches the loop that would be written for the operator with the one in the file.
  private func matchedLoop(
    _ loop: ONNXRecurrentLoop, _ data: [TensorType], _ operands: LoopOperands
  ) -> ONNXLoopMatch? {
    let inputs = data.enumerated().map {
      ExportOperand(name: "data_\($0)", type: $1, constant: nil)
    }
    let weights = operands.weights.enumerated().map {
      ExportOperand(name: "weight_\($0)", type: $1.tensor.type, constant: $1.tensor)
    }
    var builder = ONNXGraphBuilder(opset: opset, precision: .float32, reserved: [])
    guard (try? builder.apply(loop.operation, named: "loop", inputs + weights)) != nil,
      let expected = builder.nodes.last(where: { $0.operation == "Scan" })
    else { return nil }
    return ONNXLoopMatch(expected, builder.weights, over: node)
  }

  /// Returns the operands other than masks and states. For vectors, the product with the input
  /// kernel and a bias are computed before the loop.
  private func loopOperands(
    _ operation: any CatalogOperator, _ sequence: ONNXValue, _ body: ONNXGraph
  ) -> LoopOperands? {
    let limit = maximumWeightByteCount(body)
    if let operation = operation as? ConvLSTM {
      guard case .computed = sequence, type(sequence).rank == operation.window.size.count + 3,
        let channels = type(sequence).shape[2].value,
        let state = body.outputs.first?.shape, state.count > 1, case .fixed(let filters) = state[1],
        let gateUnits = try? Checked.product([4, filters], of: "the number of sums")
      else { return nil }
      let kernels = [channels, filters].map { [gateUnits, $0] + operation.window.size }
      let weights = (kernels + (operation.hasBias ? [[gateUnits]] : [])).compactMap {
        LoopWeight(type(sequence).elementType, $0, limit: limit).map(LoopOperands.Weight.insideLoop)
      }
      guard weights.count == (operation.hasBias ? 3 : 2) else { return nil }
      return LoopOperands(sequence: sequence, weights: weights)
    }
    guard let operation = operation as? any RecurrentOperator, case .computed(let id) = sequence,
      case (is Dense, let denseInputs)? = network.producers[id],
      denseInputs.count == (operation.bias == .none ? 2 : 3),
      let kernel = network.graph.constant(of: denseInputs[1]), kernel.shape.count == 2
    else { return nil }
    let gateUnits = kernel.shape[0]
    let units = gateUnits / Swift.type(of: operation).gateCount
    guard let recurrent = LoopWeight(kernel.elementType, [gateUnits, units], limit: limit) else {
      return nil
    }
    var weights: [LoopOperands.Weight] = [
      .beforeLoop(.computed(denseInputs[1]), kernel), .insideLoop(recurrent),
    ]
    if operation.bias != .none {
      guard let bias = network.graph.constant(of: denseInputs[2]), bias.shape == [gateUnits] else {
        return nil
      }
      if operation.bias == .input {
        weights.append(.beforeLoop(.computed(denseInputs[2]), bias))
      } else {
        let biasLimit = limit + bias.byteCount
        guard var biases = LoopWeight(bias.elementType, [2, gateUnits], limit: biasLimit),
          biases.fill(biases.template.slice(0..<1, along: 0), with: bias)
        else { return nil }
        weights.append(.insideLoop(biases))
      }
    }
    return LoopOperands(sequence: .computed(denseInputs[0]), weights: weights)
  }

  /// Returns an upper bound for the size in bytes of the weights that a body reads.
  private func maximumWeightByteCount(_ body: ONNXGraph) -> Int {
    Set(body.nodes.flatMap(\.inputs)).compactMap { network.values[$0]?.tensor }
      .reduce(0) { $0 + min($1.byteCount, $1.store.count) }
  }

  /// Converts the operator's outputs to those of the loop: the states, the carried output, and the
  /// outputs of all steps.
  private mutating func loopOutputs(
    _ loop: ONNXRecurrentLoop, _ results: [ONNXValue]
  ) throws(WeighbridgeError) -> [ONNXValue] {
    let (returnsSequences, isReversed) = (
      loop.recurrence.returnsSequences, loop.recurrence.isReversed
    )
    var outputs = Array(results.dropFirst())
    if loop.carriesOutput, returnsSequences {
      let range = Slice.Range(
        axis: 1, start: isReversed ? 0 : -1, stop: isReversed ? 1 : nil, step: 1)
      let last = try apply(Slice([range]), to: results[0], role: "last")
      outputs.append(try apply(Squeeze(axes: [1]), to: last, role: "last/squeeze"))
    } else if loop.carriesOutput {
      outputs.append(results[0])
    }
    return outputs + (returnsSequences ? [results[0]] : [])
  }
}
