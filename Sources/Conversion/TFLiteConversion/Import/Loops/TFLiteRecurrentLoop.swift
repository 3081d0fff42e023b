import Bytes
import ConversionCore
import GraphIR
import LayerCatalog
import TFLiteFormat

/// A loop over the steps of a sequence, whose length only the model's run tells, as a recurrent
/// operator of the catalog.
struct TFLiteRecurrentLoop {
  /// What the loop carries from step to step, by position.
  enum Role {
    /// It does not change.
    case fixed
    /// It counts the steps.
    case counter(isReversed: Bool)
    /// The outputs of all steps.
    case outputs
    /// The output of the last step, with an axis of size 1 before it.
    case lastOutput
    /// The output of the step before, where steps are skipped.
    case previousOutput
    /// A state, by its position among those of the operator.
    case state(Int)
  }

  var roles: [Role?]
  var cell: TFLiteCell
  var recurrence: Recurrence
  /// The position of the sequence.
  let sequence: Int
  /// The axis of the time.
  let axis: Int
  /// The position of the mask.
  let mask: Int?
}

/// Finds the roles of what a loop carries.
struct TFLiteLoopReader {
  let scope: TFLiteScope
  let body: TFLiteLoopGraph
  let buffers: [Int: TFLiteOutputBuffer]
  var roles: [TFLiteRecurrentLoop.Role?]
  /// The position of the sequence, and the axis of its time.
  private var sequence: (position: Int, axis: Int)?
  private var mask: Int?

  init(
    _ scope: TFLiteScope, of file: TFLiteFile, values: [SourceValue]
  ) throws(WeighbridgeError) {
    self.scope = scope
    let graph = scope.graph
    var (roles, constants) = ([TFLiteRecurrentLoop.Role?](), [Tensor?]())
    var buffers: [Int: TFLiteOutputBuffer] = [:]
    for (position, value) in values.enumerated() {
      let isFixed = graph.inputs[position] == graph.outputs[position]
      roles.append(isFixed ? .fixed : nil)
      constants.append(isFixed ? value.tensor : nil)
      if !isFixed { buffers[position] = TFLiteOutputBuffer(graph, position: position) }
    }
    let changing = values.indices.filter { roles[$0] == nil && buffers[$0] == nil }
    (self.roles, self.buffers) = (roles, buffers)
    body = try TFLiteLoopGraph(
      scope, of: file, constants: constants,
      results: changing.map { graph.outputs[$0] } + buffers.values.flatMap(\.tensors),
      without: buffers.values.reduce(into: Set()) { $0.formUnion($1.operators) })
  }

  /// The value of a position after a step.
  func next(_ position: Int) -> ValueID? { body.results[scope.graph.outputs[position]] }

  /// The values that change from step to step, besides counters and the outputs of all steps.
  private struct Carried {
    /// The positions of the states.
    var states: [Int] = []
    /// The states after a step that is not skipped.
    var next: [ValueID] = []
    /// The conditions under which steps are not skipped; `nil` for states that have none.
    var conditions: [ValueID?] = []
    /// The positions of outputs of the last step.
    var last: [Int] = []
    /// The position of the output of the step before.
    var previous: Int?
    var mask = StepMask.none
  }

  /// Returns what the loop computes; `nil` when it is no operator of the catalog.
  mutating func loop() -> TFLiteRecurrentLoop? {
    findCounters()
    guard let element = findSequence(), let sequence, let carried = carried() else { return nil }
    if let condition = carried.conditions[0], !findMask(condition) { return nil }
    var reader = TFLiteCellReader(
      body, element: element, states: carried.states.compactMap { body.inputs[$0] },
      next: carried.next)
    guard let cell = reader.cell(), let output = output(carried, of: cell) else { return nil }
    for (index, state) in cell.states.enumerated() { roles[carried.states[state]] = .state(index) }
    for last in carried.last {
      guard let after = next(last), body.withoutAxes(after) == output,
        body.type(after).shape == [1] + body.type(output).shape
      else { return nil }
      roles[last] = .lastOutput
    }
    guard let isReversed = checkBuffers(output, axis: sequence.axis) else { return nil }
    return TFLiteRecurrentLoop(
      roles: roles, cell: cell,
      recurrence: Recurrence(
        isReversed: isReversed, returnsSequences: !buffers.isEmpty, hasInitialStates: false,
        mask: carried.mask),
      sequence: sequence.position, axis: sequence.axis, mask: mask)
  }

  private func carried() -> Carried? {
    var result = Carried()
    for position in roles.indices where roles[position] == nil && buffers[position] == nil {
      guard let before = body.inputs[position], let after = next(position) else { return nil }
      if let choice = body.producer(after, Where.self)?.inputs {
        let (keepsOld, isZero) = (
          choice[2] == before, body.constant(choice[2])?.doubles.allSatisfy { $0 == 0 } == true
        )
        result.conditions.append(choice[0])
        if keepsOld || isZero, body.useCount(before) == (keepsOld ? 1 : 0) {
          guard result.previous == nil else { return nil }
          (result.previous, result.mask) = (position, isZero ? .zero : .previous)
          continue
        }
        guard keepsOld else { return nil }
        result.next.append(choice[1])
      } else if body.useCount(before) == 0, body.type(after).rank == 3 {
        result.last.append(position)
        continue
      } else {
        result.conditions.append(nil)
        result.next.append(after)
      }
      result.states.append(position)
    }
    guard let condition = result.conditions.first, !result.states.isEmpty,
      result.conditions.allSatisfy({ $0 == condition })
    else { return nil }
    if condition != nil, result.mask == .none { result.mask = .state }
    return result
  }

  /// The output of a step.
  private mutating func output(_ carried: Carried, of cell: TFLiteCell) -> ValueID? {
    guard let previous = carried.previous else { return next(carried.states[cell.states[0]]) }
    guard let output = next(previous), let choice = body.producer(output, Where.self)?.inputs,
      choice[1] == carried.next[cell.states[0]]
    else { return nil }
    roles[previous] = .previousOutput
    return output
  }

  private mutating func findCounters() {
    for position in roles.indices where roles[position] == nil && buffers[position] == nil {
      guard let before = body.inputs[position], let after = next(position),
        body.type(before).elementType.isInteger
      else { continue }
      for (value, step) in body.orders(after, Add.self) where value == before {
        guard let number = body.constant(step)?.doubles, number == [1] || number == [-1] else {
          continue
        }
        roles[position] = .counter(isReversed: number == [-1])
      }
    }
  }

  /// The counters' values in the body and whether they count down.
  private var counters: [(position: Int, value: ValueID, isReversed: Bool)] {
    roles.indices.compactMap { position in
      guard case .counter(let isReversed)? = roles[position], let value = body.inputs[position]
      else { return nil }
      return (position, value, isReversed)
    }
  }

  private func isCounter(_ id: ValueID) -> Bool {
    counters.contains { $0.value == body.withoutAxes(id) }
  }

  /// Finds the element of the sequence that a step reads.
  private mutating func findSequence() -> ValueID? {
    for node in body.graph.nodes {
      guard let gather = node.operation as? Gather, gather.batchAxes == 0, gather.axis <= 1,
        isCounter(node.inputs[1]), body.type(node.inputs[0]).elementType.isFloat,
        body.type(node.inputs[0]).rank == 3,
        let position = body.inputs.firstIndex(of: node.inputs[0]), case .fixed? = roles[position]
      else { continue }
      guard sequence == nil else { return nil }
      sequence = (position, gather.axis)
      element = node.outputs[0]
      let index = body.type(node.inputs[1])
      guard index.rank > 0 else { continue }
      guard index.shape == [1] else { return nil }
      element =
        body.graph.nodes.first {
          ($0.operation as? Squeeze)?.axes == [gather.axis] && $0.inputs == node.outputs
        }?.outputs[0]
    }
    return element
  }
  private var element: ValueID?

  /// Finds the mask of which a condition is the element of a step.
  private mutating func findMask(_ condition: ValueID) -> Bool {
    guard let (gather, inputs, _) = body.producer(body.withoutAxes(condition), Gather.self),
      gather.axis == 1, sequence?.axis == 1, gather.batchAxes == 0, isCounter(inputs[1]),
      body.type(inputs[0]).rank == 2, body.type(inputs[0]).elementType == .bool,
      body.type(condition).rank == 2, body.type(condition).shape[1] == 1,
      let position = body.inputs.firstIndex(of: inputs[0]), case .fixed? = roles[position]
    else { return false }
    mask = position
    return true
  }

  private func isStep(_ update: [Dimension], of output: [Dimension], _ axis: Int) -> Bool {
    var expected = output
    expected.insert(1, at: axis)
    return update == expected
  }

  /// Checks that outputs are written at their steps, and returns whether the last step is first.
  private mutating func checkBuffers(_ output: ValueID?, axis: Int) -> Bool? {
    guard let isReversed = counters.first?.isReversed, buffers.count <= 1,
      counters.allSatisfy({ $0.isReversed == isReversed })
    else { return nil }
    for (position, buffer) in buffers {
      guard let update = body.results[buffer.update], body.withoutAxes(update) == output,
        let output, isStep(body.type(update).shape, of: body.type(output).shape, axis),
        counters.contains(where: { counter in
          next(counter.position).map {
            buffer.isWritten(body, along: axis, counter: counter.value, next: $0)
          } ?? false
        })
      else { return nil }
      roles[position] = .outputs
    }
    return isReversed
  }
}
