import Bytes
import GraphIR

/// What a recurrent operator gives at a step that its mask leaves out. The states stay as they are.
package enum StepMask: String, Hashable, Sendable, CaseIterable {
  /// There is no mask: every step counts.
  case none
  /// The output of the step worked on before; 0 where there is none.
  case previous
  /// 0.
  case zero
  /// The first state.
  case state
}

/// How a recurrent operator walks over its sequence, and what it gives; the same for all of them.
package struct Recurrence: Hashable, Sendable {
  /// Whether the last step is worked on first. Each output stays with the step it was made of.
  package let isReversed: Bool
  /// Whether the output has the outputs of all steps, not only that of the step worked on last.
  package let returnsSequences: Bool
  /// Whether the states to begin with are inputs; otherwise they are 0.
  package let hasInitialStates: Bool
  /// What is done with steps that a mask leaves out.
  package let mask: StepMask

  /// Makes the settings.
  package init(
    isReversed: Bool, returnsSequences: Bool, hasInitialStates: Bool, mask: StepMask
  ) {
    self.isReversed = isReversed
    self.returnsSequences = returnsSequences
    self.hasInitialStates = hasInitialStates
    self.mask = mask
  }

  /// How the settings are stored.
  static let schema = AttributeSchema(
    Recurrence.init(isReversed:returnsSequences:hasInitialStates:mask:),
    .boolean("go_backwards", \.isReversed, "Whether the last step is processed first."),
    .boolean(
      "return_sequences", \.returnsSequences,
      "Whether the output has all steps, not only the one processed last."),
    .boolean(
      "initial_states", \.hasInitialStates,
      "Whether the initial states are inputs; they are 0 otherwise."),
    .choice("mask", \.mask, "What the output is at a step that the mask leaves out.") {
      switch $0 {
      case .none: "there is no mask, every step counts"
      case .previous: "the output of the step processed before; 0 where there is none"
      case .zero: "0"
      case .state: "the state h"
      }
    }
  ).explained(by: .recurrence)

  /// The inputs before the weights, as data.
  static func inputs(states: [String]) -> [InputDefinition] {
    let masks = StepMask.allCases.filter { $0 != .none }.map { AttributeValue.text($0.rawValue) }
    return [.data("input", .float), .mask(.when("mask", masks))]
      + states.map { .data("initial_\($0)", .same(as: "input"), .when("initial_states")) }
  }
}

/// The inputs of a recurrent operator, told apart.
package struct RecurrentInputs<Element> {
  /// The sequence.
  package let sequence: Element
  /// Which steps count, where there is a mask.
  package let mask: Element?
  /// The states to begin with; empty when they are 0.
  package let states: [Element]
  /// The weights in their order.
  package let weights: [Element]

  /// - Parameter stateCount: How many states the operator has.
  package init(_ inputs: [Element], _ recurrence: Recurrence, stateCount: Int) {
    let masks = recurrence.mask == .none ? 0 : 1
    let states = recurrence.hasInitialStates ? stateCount : 0
    sequence = inputs[0]
    mask = masks == 0 ? nil : inputs[1]
    self.states = Array(inputs[1 + masks..<1 + masks + states])
    weights = Array(inputs[(1 + masks + states)...])
  }
}

extension RecurrentInputs<TensorType> {
  /// The output's and the states' types, once all data fit each other.
  ///
  /// - Parameters:
  ///   - state: The type of a state, with the sequence's batch.
  ///   - count: How many states there are.
  func outputTypes(
    _ recurrence: Recurrence, state: TensorType, count: Int
  ) throws(ShapeError) -> [TensorType] {
    guard sequence.shape[1] != 0 else {
      throw ShapeError("the sequence \(sequence) has no steps")
    }
    var (state, time) = (state, sequence.shape[1])
    if let mask {
      guard mask.elementType == .bool, mask.rank == 2, mask.shape[0].agrees(with: state.shape[0]),
        mask.shape[1].agrees(with: time)
      else { throw ShapeError("the mask \(mask) does not fit the sequence \(sequence)") }
      state.shape[0] = state.shape[0].merged(with: mask.shape[0])
      time = time.merged(with: mask.shape[1])
    }
    for initial in states {
      guard initial.agrees(with: state) else {
        throw ShapeError("the state \(initial) to begin with does not fit \(state)")
      }
      state.shape = zip(state.shape, initial.shape).map { $0.merged(with: $1) }
    }
    var output = state
    if recurrence.returnsSequences { output.shape.insert(time, at: 1) }
    return [output] + [TensorType](repeating: state, count: count)
  }
}

extension Recurrence {
  /// Walks over one sequence.
  ///
  /// - Parameters:
  ///   - states: The states to begin with; the first is what a step gives.
  ///   - mask: For each step, whether it counts (not 0); `nil` when all do.
  ///   - step: The states after a step, for its number and the states before it.
  /// - Returns: The output, of all steps or of the last one, and the states at the end.
  func walk<Failure>(
    steps: Int, states: [[Double]], mask: ArraySlice<Double>?,
    step: (Int, [[Double]]) throws(Failure) -> [[Double]]
  ) throws(Failure) -> (output: [Double], states: [[Double]]) {
    var states = states
    let width = states[0].count
    let zeros = [Double](repeating: 0, count: width)
    var (output, outputs) = (zeros, [Double]())
    if returnsSequences { outputs = [Double](repeating: 0, count: steps * width) }
    for number in 0..<steps {
      let time = isReversed ? steps - 1 - number : number
      if let mask, mask[mask.startIndex + time] == 0 {
        if self.mask == .zero { output = zeros }
        if self.mask == .state { output = states[0] }
      } else {
        states = try step(time, states)
        output = states[0]
      }
      if returnsSequences {
        outputs.replaceSubrange(time * width..<(time + 1) * width, with: output)
      }
    }
    return (returnsSequences ? outputs : output, states)
  }
}
