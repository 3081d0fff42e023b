import Bytes
import ConversionCore
import GraphIR
import LayerCatalog
import ONNXFormat

/// A loop over the steps of a sequence that carries states along.
struct ONNXScan {
  /// What the loop computes, in the file's order of axes.
  let operation: any CatalogOperator
  let recurrence: Recurrence
  /// `[batch, time, ...]`
  let sequence: String
  let sequenceType: TensorType
  /// `[batch, time]`, if there is one.
  let mask: String?
  /// The states to begin with; empty when they are 0.
  let states: [String]
  let stateCount: Int
  let stateType: TensorType
}

extension ONNXGraphBuilder {
  /// Adds a loop.
  ///
  /// - Parameter step: The states after a step, for its part of the sequence and the states before.
  /// - Returns: The output, then the states at the end.
  mutating func add(
    _ scan: ONNXScan,
    _ step: (inout ONNXGraphBuilder, String, [String]) throws(WeighbridgeError) -> [String]
  ) throws(WeighbridgeError) -> [String] {
    // The output is the first state, but for what a mask makes of it.
    let carriesOutput = [.previous, .zero].contains(scan.recurrence.mask)
    var initial = scan.states
    if initial.isEmpty || carriesOutput {
      let zero = try zeros(scan.stateType, like: scan.sequence)
      if initial.isEmpty { initial = .init(repeating: zero, count: scan.stateCount) }
      if carriesOutput { initial.append(zero) }
    }
    let body = try body(of: scan, carried: initial.count, step)
    let scanned = [scan.sequence] + (scan.mask.map { [$0] } ?? [])
    let direction = scan.recurrence.isReversed ? 1 : 0
    let returnsSequences = scan.recurrence.returnsSequences
    var attributes: [(name: String, value: ONNXAttribute)] = [
      ("body", .graph(body)), ("num_scan_inputs", .integer(scanned.count)),
      ("scan_input_axes", .integers(scanned.map { _ in 1 })),
      ("scan_input_directions", .integers(scanned.map { _ in direction })),
    ]
    if returnsSequences {
      attributes += [
        ("scan_output_axes", .integers([1])),
        ("scan_output_directions", .integers([direction])),
      ]
    }
    let outputs = add(
      "Scan", initial + scanned, attributes: attributes,
      outputCount: initial.count + (returnsSequences ? 1 : 0))
    let last = carriesOutput ? outputs[scan.stateCount] : outputs[0]
    return [returnsSequences ? outputs[initial.count] : last] + outputs[..<scan.stateCount]
  }

  /// Zeros of a type; an open batch is that of another value.
  private mutating func zeros(
    _ type: TensorType, like other: String
  ) throws(WeighbridgeError) -> String {
    let rest = type.shape.dropFirst().compactMap(\.value)
    guard rest.count == type.rank - 1 else {
      throw WeighbridgeError(
        .unsupported, "ONNX wants the sizes of its states known, and they are \(type)")
    }
    let batch = type.shape[0].value.map { integers([$0]) } ?? dimensions(other, 0..<1)
    return add("Expand", [number(0), concatenate([batch, integers(rest)], axis: 0)])
  }

  private mutating func body(
    of scan: ONNXScan, carried: Int,
    _ step: (inout ONNXGraphBuilder, String, [String]) throws(WeighbridgeError) -> [String]
  ) throws(WeighbridgeError) -> ONNXGraph {
    let states = (0..<carried).map { unusedName("\(scan.sequence)/state_\($0)") }
    let part = unusedName("\(scan.sequence)/step")
    let counts = scan.mask.map { unusedName("\($0)/step") }
    let (nodes, outputs) = try body { (builder) throws(WeighbridgeError) in
      let new = try step(&builder, part, Array(states.prefix(scan.stateCount)))
      var outputs = builder.masked(scan, states, new, counts)
      // A body gives each value once, and none that it took.
      if scan.recurrence.returnsSequences {
        outputs.append(
          builder.add("Identity", [outputs[carried > scan.stateCount ? carried - 1 : 0]]))
      }
      return outputs
    }
    var partType = scan.sequenceType
    partType.shape.remove(at: 1)
    let state = ONNXFeature.dimensions(scan.stateType)
    let type = elementType
    var inputs = states.map { ONNXFeature(name: $0, elementType: type, shape: state) }
    inputs.append(
      ONNXFeature(name: part, elementType: type, shape: ONNXFeature.dimensions(partType)))
    if let counts {
      inputs.append(
        ONNXFeature(
          name: counts, elementType: .bool,
          shape: ONNXFeature.dimensions(scan.sequenceType).prefix(1).map { $0 }))
    }
    return ONNXGraph(
      name: "\(scan.sequence)/body", summary: OperationRecord(scan.operation).text, nodes: nodes,
      inputs: inputs,
      outputs: outputs.map { ONNXFeature(name: $0, elementType: type, shape: state) })
  }

  /// The states and, where it is carried, the output after a step that a mask may leave out.
  private mutating func masked(
    _ scan: ONNXScan, _ old: [String], _ new: [String], _ counts: String?
  ) -> [String] {
    guard let counts else { return new }
    let isCounted = unsqueeze(counts, Array(1..<scan.stateType.rank))
    var result = zip(new, old).map { choose(isCounted, $0, $1) }
    switch scan.recurrence.mask {
    case .previous: result.append(choose(isCounted, new[0], old[scan.stateCount]))
    case .zero: result.append(choose(isCounted, new[0], number(0)))
    case .state, .none: break
    }
    return result
  }

  /// A memory whose products are convolutions.
  mutating func convolutionalMemory(
    _ operation: ConvLSTM
  ) throws(WeighbridgeError) -> [String] {
    let stateCount = scope.outputTypes.count - 1
    let parts = RecurrentInputs(
      Array(operands.indices), operation.recurrence, stateCount: stateCount)
    let rank = type().rank - 1
    let order = operation.layout.axesToChannelsFirst(rank: rank)
    let back = operation.layout.axesFromChannelsFirst(rank: rank)
    let timed = { (axes: [Int]) in [0, 1] + axes.dropFirst().map { $0 + 1 } }
    let sequence = transpose(input(), timed(order))
    var stateType = scope.outputTypes[1]
    stateType.shape = order.map { stateType.shape[$0] }
    var sequenceType = type()
    sequenceType.shape = timed(order).map { sequenceType.shape[$0] }
    let turned = ConvLSTM(
      window: operation.window, layout: .channelsFirst, recurrence: operation.recurrence,
      hasBias: operation.hasBias, activation: operation.activation,
      recurrentActivation: operation.recurrentActivation)
    let scan = ONNXScan(
      operation: turned, recurrence: operation.recurrence, sequence: sequence,
      sequenceType: sequenceType,
      mask: parts.mask.map { input($0) },
      states: parts.states.map { transpose(input($0), order) },
      stateCount: stateCount, stateType: stateType)
    let weights = parts.weights.map { input($0) }
    let own = operation.window.onnxAttributes(for: Array(sequenceType.shape.dropFirst(3)))
    let ones = operation.window.size.map { _ in 1 }
    let inner = Window(
      size: operation.window.size, strides: ones, dilation: ones, padding: .same
    ).onnxAttributes(for: Array(stateType.shape.dropFirst(2)))
    let outer = scope.outputTypes
    scope.outputTypes[1] = stateType
    let results = try add(scan) { (builder, frame, states) throws(WeighbridgeError) in
      let fromInput = builder.add("Conv", [frame, weights[0]] + weights.dropFirst(2), window: own)
      let fromState = builder.add("Conv", [states[0], weights[1]], window: inner)
      return try builder.memory(
        builder.add("Add", [fromInput, fromState]), states, axis: 1, operation.activation,
        operation.recurrentActivation)
    }
    scope.outputTypes = outer
    let output = transpose(
      results[0], operation.recurrence.returnsSequences ? timed(back) : back)
    return [output] + results.dropFirst().map { transpose($0, back) }
  }
}

extension ONNXFeature {
  /// The axes of a type as the file states them.
  static func dimensions(_ type: TensorType) -> [Dimension] {
    type.shape.map { dimension in
      switch dimension {
      case .fixed(let value): .fixed(value)
      case .symbolic(let name): .named(name)
      case .unknown: .unknown
      }
    }
  }
}
