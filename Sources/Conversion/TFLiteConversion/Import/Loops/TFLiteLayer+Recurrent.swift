import Bytes
import ConversionCore
import GraphIR
import LayerCatalog
import TFLiteFormat

/// Loops over sequences of unknown length, as recurrent operators.
extension TFLiteLayer {
  /// Adds the operator that a loop computes; returns `nil` when it is none of the catalog.
  ///
  /// - Parameters:
  ///   - condition: The position of the graph that says whether there is another step.
  ///   - body: That of the graph of a step.
  ///   - values: What the loop begins with.
  mutating func recurrent(
    condition: Int, body: Int, _ values: [SourceValue]
  ) throws(WeighbridgeError) -> [SourceValue]? {
    let (scopes, file) = (network.context.scopes, network.context.file)
    guard scopes.indices.contains(body), scopes[body].graph.inputs.count == values.count,
      scopes[body].graph.outputs.count == values.count
    else { return nil }
    let found: (loop: TFLiteRecurrentLoop, condition: TFLiteLoopGraph)?
    do throws(WeighbridgeError) {
      var reader = try TFLiteLoopReader(scopes[body], of: file, values: values)
      guard let loop = reader.loop() else { return nil }
      let constants = zip(loop.roles, values).map { role, value in
        if case .fixed? = role { value.tensor } else { nil as Tensor? }
      }
      let graph = try TFLiteLoopGraph(
        scopes[condition], of: file, constants: constants,
        results: scopes[condition].graph.outputs)
      found = (loop, graph)
    } catch { return nil }  // then it is not a recurrent operator
    guard let (loop, condition) = found, case .computed(let sequence) = values[loop.sequence],
      condition.results.count == 1, let end = condition.results.first?.value
    else { return nil }
    let start = TFLiteLoopStart(layer: self, values: values, loop: loop, sequence: sequence)
    guard start.fits, start.isLast(end, condition) else { return nil }
    return try recurrent(loop, start, sequence)
  }

  private mutating func recurrent(
    _ loop: TFLiteRecurrentLoop, _ start: TFLiteLoopStart, _ sequence: ValueID
  ) throws(WeighbridgeError) -> [SourceValue] {
    let isTimeMajor = loop.axis == 0
    var inputs: [SourceValue] = [.computed(sequence)]
    var (kernel, bias) = (loop.cell.kernel, loop.cell.bias)
    if let (operation, projected) = network.producers[sequence], operation is Dense, !isTimeMajor,
      kernel.isIdentity, let first = network.graph.constant(of: projected[1])
    {
      // The products with the sequence are computed before the loop.
      inputs = [.computed(projected[0])]
      kernel = first
      if projected.count > 2, let added = network.graph.constant(of: projected[2]) {
        bias = bias.adding(added.doubles)
      }
    }
    if isTimeMajor { inputs[0] = try transposed(inputs[0], [1, 0, 2], role: "batch_first") }
    if let mask = loop.mask { inputs.append(start.values[mask]) }
    let initial = start.initialStates
    inputs += initial
    inputs += [
      newConstant(kernel, "kernel"), newConstant(loop.cell.recurrentKernel, "recurrent_kernel"),
    ]
    if let tensor = bias.tensor { inputs.append(newConstant(tensor, "bias")) }
    let recurrence = Recurrence(
      isReversed: loop.recurrence.isReversed, returnsSequences: loop.recurrence.returnsSequences,
      hasInitialStates: !initial.isEmpty, mask: loop.recurrence.mask)
    var results = try apply(
      loop.cell.operation(recurrence, bias.kind), inputs, role: "recurrence")
    let last = recurrence.returnsSequences ? results[1] : results[0]
    if isTimeMajor, recurrence.returnsSequences {
      results[0] = try transposed(results[0], [1, 0, 2], role: "time_major")
    }
    var outputs: [SourceValue] = []
    for (position, role) in loop.roles.enumerated() {
      switch role {
      case .fixed?, nil: outputs.append(start.values[position])
      case .counter?: outputs.append(start.end(ofCounter: position))
      case .outputs?: outputs.append(results[0])
      case .lastOutput?: outputs.append(try apply(ExpandDims(axes: [0]), to: last, role: "last"))
      case .previousOutput?: outputs.append(last)
      case .state(let index)?: outputs.append(results[1 + index])
      }
    }
    return outputs
  }
}

/// What a loop begins with, of which everything must be as a recurrent operator has it.
struct TFLiteLoopStart {
  let layer: TFLiteLayer
  let values: [SourceValue]
  let loop: TFLiteRecurrentLoop
  let sequence: ValueID

  /// Whether counters begin at the first step, tensors for outputs have a place for each step, and
  /// the others have a meaning.
  var fits: Bool {
    loop.roles.indices.allSatisfy { position in
      switch loop.roles[position] {
      case nil: false
      case .fixed?, .state?: true
      case .counter(let isReversed)?:
        isReversed
          ? isLastStep(values[position])
          : values[position].tensor?.doubles.allSatisfy { $0 == 0 }
            == true
      case .outputs?: isBuffer(position)
      case .lastOutput?: !loop.recurrence.returnsSequences || !isRead(position)
      case .previousOutput?:
        layer.network.fillValue(of: values[position]) == 0
          && !(loop.recurrence.returnsSequences && isRead(position))
      }
    } && hasFittingStates
  }

  /// Whether the condition is that there is another step.
  func isLast(_ end: ValueID, _ condition: TFLiteLoopGraph) -> Bool {
    if let inputs = condition.producer(end, LogicalAnd.self)?.inputs {
      return inputs.allSatisfy { comparison($0, condition) }
    }
    return comparison(end, condition)
  }

  private func comparison(_ id: ValueID, _ condition: TFLiteLoopGraph) -> Bool {
    guard let (operation, inputs, _) = condition.producer(id, Comparison.self) else { return false }
    let value = condition.withoutAxes(inputs[0])
    guard let position = condition.inputs.firstIndex(of: value),
      case .counter(let isReversed)? = loop.roles[position]
    else { return false }
    if isReversed {
      return operation.relation == .greaterOrEqual
        && condition.constant(inputs[1])?.doubles.allSatisfy { $0 == 0 } == true
    }
    guard operation.relation == .less else { return false }
    if let limit = condition.constant(condition.withoutAxes(inputs[1]))?.doubles {
      return steps.map { limit == [Double($0)] } ?? false
    }
    if let own = condition.inputs[loop.sequence],
      TFLiteLoopGraph.isSize(inputs[1], of: own, axis: loop.axis, condition.producer)
    {
      return true
    }
    guard let limit = condition.inputs.firstIndex(of: condition.withoutAxes(inputs[1])),
      case .fixed? = loop.roles[limit]
    else { return false }
    return isLength(values[limit])
  }

  /// The number of steps, if it is known.
  private var steps: Int? { layer.network.graph.type(of: sequence).shape[loop.axis].value }

  /// The states, unless all of them are 0.
  var initialStates: [SourceValue] {
    let states = stateValues
    return states.allSatisfy { layer.network.fillValue(of: $0) == 0 } ? [] : states
  }

  private var stateValues: [SourceValue] { loop.cell.states.indices.compactMap(state) }

  private func state(_ index: Int) -> SourceValue? {
    loop.roles.firstIndex { if case .state(index)? = $0 { true } else { false } }.map { values[$0] }
  }

  /// Whether constant states are those of every example.
  private var hasFittingStates: Bool {
    let batch = layer.network.graph.type(of: sequence).shape[1 - loop.axis]
    return initialStates.allSatisfy { layer.type($0).shape.first == batch }
  }

  /// The value of a counter after the loop.
  func end(ofCounter position: Int) -> SourceValue {
    let type = layer.type(values[position])
    if case .counter(isReversed: true)? = loop.roles[position] {
      return layer.newConstant(
        Tensor(type.elementType, shape: type.fixedShape ?? [], [-1]), "counter_\(position)")
    }
    let count = steps.map { SourceDimension.known($0) } ?? .axis(sequence, loop.axis, times: 1)
    return .dimensions([count], isList: type.rank == 1, as: type.elementType)
  }

  /// Whether a result of the loop is read.
  private func isRead(_ position: Int) -> Bool {
    let (tensor, graph) = (layer.node.outputs[position], layer.scope.graph)
    return graph.outputs.contains(tensor) || graph.operators.contains { $0.inputs.contains(tensor) }
  }

  private func isLength(_ value: SourceValue) -> Bool {
    if case .computed(let id) = value { return isLength(id) }
    return value.dimensions.map { $0.count == 1 && isSize($0[0], loop.axis) } ?? false
  }

  private func isLength(_ id: ValueID) -> Bool {
    TFLiteLoopGraph.isSize(id, of: sequence, axis: loop.axis) { id in
      layer.network.producers[id].map { ($0.operation, $0.inputs) }
    }
  }

  /// Whether a size is that of an axis of the sequence.
  private func isSize(_ size: SourceDimension, _ axis: Int) -> Bool {
    size == .axis(sequence, axis, times: 1)
      || size.number != nil
        && size.number == layer.network.graph.type(of: sequence).shape[axis].value
  }

  /// Whether a value is the length of the sequence less 1.
  private func isLastStep(_ value: SourceValue) -> Bool {
    if let number = value.tensor?.doubles {
      return steps.map { number == [Double($0 - 1)] } ?? false
    }
    guard case .computed(let id) = value,
      let (operation, inputs) = layer.network.producers[id], operation is Subtract,
      layer.network.graph.constant(of: inputs[1])?.doubles == [1]
    else { return false }
    return isLength(inputs[0])
  }

  /// Whether a tensor is filled, with a place for every step of every example.
  private func isBuffer(_ position: Int) -> Bool {
    let units = loop.cell.recurrentKernel.shape[1]
    let shape = Array(layer.network.graph.type(of: sequence).shape.prefix(2)) + [.fixed(units)]
    if let own = layer.type(values[position]).fixedShape {
      return own.map(Dimension.fixed) == shape
    }
    guard let (_, fill) = layer.scope.graph.writer(of: layer.node.inputs[position]),
      fill.code.name == "FILL", let list = fill.inputs.first, list >= 0,
      let sizes = layer.network.values[layer.scope.names[list]]?.dimensions, sizes.count == 3
    else { return false }
    return isSize(sizes[0], 0) && isSize(sizes[1], 1)
      && sizes[2].number == units
  }
}
