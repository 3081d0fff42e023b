package import Bytes
package import GraphIR

/// A subgraph that runs again and again, with states that are passed from step to step, as ONNX's `Loop`.
///
/// - maximum: int64 `[]`: the largest number of steps
/// - condition: bool `[]`: whether there is a first step
/// - states: any types; the body may change the sizes that its input leaves unknown
/// - captured: any types; the body gets them in every step
/// - outputs: the states after the last step, then the values that the body gives in each step, as
///   `[steps, ...]`
///
/// How many steps there are depends on elements, so the number is known only when the model runs.
package struct Loop: SubgraphOperator {
  /// What runs in each step: takes the number of the step (int64 `[]`, from 0), the states and what is
  /// captured; gives the condition for the next step (bool `[]`), the new states, and what is collected.
  package let body: Subgraph
  /// The number of states.
  package let stateCount: Int
  package let capturedCount: Int

  package static let kind = "loop"
  package static let version = 1

  /// The largest number of steps; a loop that has run so many and goes on is an error.
  package static let maximumStepCount = 1 << 20

  package static let declaration = OperatorDeclaration<Self>(
    """
    The body is a subgraph with the inputs (step, states..., captured...) and the outputs (condition, states...,
    collected...): step is int64 [], condition is bool [].
    step = 0
    while condition and step < maximum:
      condition, states, collected[step] = body(step, states, captured)
      step = step + 1
    outputs: the states, then the collected values of all steps along a new first axis
    The number of steps depends on the elements; from 2^20 steps on, a loop that goes on is an error.
    Without a step, a collected value has the sizes that the types of the inputs determine, and otherwise 0.
    A state has the same sizes in every step, except those that the body's input leaves unknown.
    """,
    inputs: [
      .data("maximum", .integer), .data("condition", .bool),
      .counted("state", by: "states"), .counted("captured", by: "captured"),
    ],
    outputs: [.ofElementTypes],
    attributes: AttributeSchema(
      { (states, captured, types, body) throws(WeighbridgeError) in
        let loop = Loop(body: body, stateCount: states, capturedCount: captured)
        try OperatorDefinition.check(types, loop.elementTypes)
        return loop
      },
      .integer("states", \.stateCount, "The number of states.", .atLeast(0), .countLimit),
      .integer(
        "captured", \.capturedCount, "The number of captured inputs.", .atLeast(0), .countLimit),
      .elementTypes(\.elementTypes), .subgraph("body")
    ).checked { $0.bodyProblem })

  /// Creates the operator.
  package init(body: Subgraph, stateCount: Int, capturedCount: Int) {
    self.body = body
    self.stateCount = stateCount
    self.capturedCount = capturedCount
  }

  package var subgraphs: [Subgraph] { [body] }

  package var inputs: [InputSlot] {
    [.data("maximum"), .data("condition")] + Array(repeating: .data("state"), count: stateCount)
      + Array(repeating: .data("captured"), count: capturedCount)
  }

  private var elementTypes: [ElementType] { body.outputTypes.dropFirst().map(\.elementType) }

  /// The types of the condition and of the number of a step.
  private static let (flag, number) = (TensorType(.bool, [Int]()), TensorType(.int64, [Int]()))

  /// Why the body does not fit; `nil` if it does.
  private var bodyProblem: String? {
    if let problem = body.problem(
      "body", inputCount: 1 + stateCount + capturedCount, minimumOutputCount: 1 + stateCount)
    {
      return problem
    }
    let (inputs, outputs) = (body.inputTypes, body.outputTypes)
    guard inputs[0] == Self.number, outputs[0] == Self.flag else {
      return
        "the body takes \(inputs[0]) and gives \(outputs[0]), expected a step \(Self.number) and a condition \(Self.flag)"
    }
    guard outputs.count >= 2 else { return "the body gives neither a state nor a collected value" }
    return (0..<stateCount).lazy.compactMap { state in
      Self.keepsSizes(inputs[1 + state], outputs[1 + state], declared: inputs[1 + state])
        ? nil
        : "the body changes the state \(state) from \(inputs[1 + state]) to \(outputs[1 + state])"
    }.first
  }

  /// Whether a state has the type after a step that it had before, except the sizes that the body's input
  /// leaves unknown.
  private static func keepsSizes(
    _ old: TensorType, _ new: TensorType, declared: TensorType
  ) -> Bool {
    old.elementType == new.elementType && old.rank == new.rank
      && declared.shape.indices.allSatisfy {
        declared.shape[$0] == .unknown || old.shape[$0] == new.shape[$0]
      }
  }
}

extension Loop {
  package func outputTypes(of inputs: [TensorType]) throws(ShapeError) -> [TensorType] {
    guard inputs[0] == Self.number, inputs[1] == Self.flag else {
      throw ShapeError(
        "takes \(Self.number) as the number of steps and \(Self.flag) as the condition, and was given "
          + "\(inputs[0]) and \(inputs[1])")
    }
    let declared = body.inputTypes
    var values = Array(inputs[1...])
    values[0] = Self.number
    for state in 1..<1 + stateCount where values[state].rank == declared[state].rank {
      for axis in declared[state].shape.indices where declared[state].shape[axis] == .unknown {
        values[state].shape[axis] = .unknown
      }
    }
    let outputs = try body.outputTypes(for: values)
    for state in 1..<1 + stateCount
    where !Self.keepsSizes(values[state], outputs[state], declared: declared[state]) {
      throw ShapeError(
        "changes the state \(state - 1) from \(values[state]) to \(outputs[state]), and its body takes "
          + "\(declared[state])")
    }
    return Array(values[1..<1 + stateCount])
      + outputs[(1 + stateCount)...].map { $0.with(shape: [.unknown] + $0.shape) }
  }

  package func evaluate(
    _ inputs: [Tensor], memoryLimit: Int,
    run: (_ subgraph: Int, _ inputs: [Tensor]) throws(WeighbridgeError) -> [Tensor]
  ) throws(WeighbridgeError) -> [Tensor] {
    let declared = body.inputTypes
    let maximum = inputs[0].wrappedIntegers[0]
    var isRunning = inputs[1].doubles[0] != 0
    var states = Array(inputs[2..<2 + stateCount])
    let captured = Array(inputs[(2 + stateCount)...])
    var collected = [[Tensor]](repeating: [], count: body.graph.outputs.count - 1 - stateCount)
    var (step, size) = (0, 0)
    while isRunning, step < maximum {
      guard step < Self.maximumStepCount else {
        throw WeighbridgeError(
          .limitExceeded, "goes on after \(step) steps, which is the limit for a loop")
      }
      let outputs = try run(
        0, [Tensor(wrapping: .int64, shape: [], [Int64(step)])] + states + captured)
      isRunning = outputs[0].doubles[0] != 0
      let newStates = Array(outputs[1..<1 + stateCount])
      for (position, (old, new)) in zip(states, newStates).enumerated()
      where !Self.keepsSizes(old.type, new.type, declared: declared[1 + position]) {
        throw .mismatch(
          "changes the state \(position) from \(old.type) to \(new.type) in step \(step), and its body takes "
            + "\(declared[1 + position])")
      }
      states = newStates
      for (position, value) in outputs[(1 + stateCount)...].enumerated() {
        if let first = collected[position].first, first.shape != value.shape {
          throw .mismatch(
            "collects \(first.type) and, in step \(step), \(value.type), and all must be alike")
        }
        size += value.byteCount
        guard size <= memoryLimit else {
          throw WeighbridgeError(
            .limitExceeded,
            "collects more than \(memoryLimit) bytes in \(step + 1) steps, which is the limit "
              + "(\(APIName.memoryLimit))")
        }
        collected[position].append(value)
      }
      step += 1
    }
    return try states + stacked(collected, inputs.map(\.type))
  }

  /// The collected values of all steps, along a new first axis.
  private func stacked(
    _ lists: [[Tensor]], _ inputTypes: [TensorType]
  ) throws(WeighbridgeError) -> [Tensor] {
    if lists.allSatisfy({ !$0.isEmpty }) {
      return lists.map { list in
        Tensor(
          list[0].elementType, shape: [list.count] + list[0].shape,
          bytes: list.flatMap { $0.contiguousBytes() })
      }
    }
    let types: [TensorType]
    do throws(ShapeError) { types = try outputTypes(of: inputTypes) } catch {
      throw .mismatch(error.reason)
    }
    return types.dropFirst(stateCount).map { type in
      Tensor(type.elementType, shape: [0] + type.shape.dropFirst().map { $0.value ?? 0 }, bytes: [])
    }
  }
}

extension Constraint {
  /// The largest number of inputs of one kind that an operator may have.
  static let countLimit = Constraint.atMost(65536)
}
