import Bytes
import GraphIR

/// The output of a recurrent operator at a masked step, at which the states do not change.
package enum StepMask: String, Hashable, Sendable, CaseIterable {
  /// There is no mask: no step is skipped.
  case none
  /// The output of the previously processed step; 0 if there is none.
  case previous
  /// 0.
  case zero
  /// The first state.
  case state
}

/// How a recurrent operator iterates over its sequence, and what it outputs: the settings that all
/// recurrent operators share.
package struct Recurrence: Hashable, Sendable {
  /// Whether the last step is processed first. Each output stays at the position of its step.
  package let isReversed: Bool
  /// Whether the output contains all steps, not only the one processed last.
  package let returnsSequences: Bool
  /// Whether the initial states are inputs; otherwise they are 0.
  package let hasInitialStates: Bool
  /// The treatment of masked steps.
  package let mask: StepMask
  /// The shares of the input's and of the state's elements that are 0 in training, the same ones in all
  /// steps of a sequence; `nil` for none.
  package let dropout, stateDropout: Double?

  /// Creates the settings.
  package init(
    isReversed: Bool, returnsSequences: Bool, hasInitialStates: Bool, mask: StepMask,
    dropout: Double? = nil, stateDropout: Double? = nil
  ) {
    self.isReversed = isReversed
    self.returnsSequences = returnsSequences
    self.hasInitialStates = hasInitialStates
    self.mask = mask
    self.dropout = dropout == 0 ? nil : dropout
    self.stateDropout = stateDropout == 0 ? nil : stateDropout
  }

  /// The attributes in which the settings are stored.
  static let schema = AttributeSchema(
    Recurrence.init(
      isReversed:returnsSequences:hasInitialStates:mask:dropout:stateDropout:),
    .boolean("go_backwards", \.isReversed, "Whether the last step is processed first."),
    .boolean(
      "return_sequences", \.returnsSequences,
      "Whether the output contains all steps instead of only the one processed last."),
    .boolean(
      "initial_states", \.hasInitialStates,
      "Whether the initial states are inputs; they are 0 otherwise."),
    .choice("mask", \.mask, "The output at a step that the mask excludes.") {
      switch $0 {
      case .none: "there is no mask"
      case .previous: "the output of the step processed before; 0 if there is none"
      case .zero: "0"
      case .state: "the state h"
      }
    },
    .dropout(
      "dropout", \.dropout, "The share of the elements of each step that are 0 in training."),
    .dropout(
      "recurrent_dropout", \.stateDropout,
      "The share of the elements of h that are 0 in training where a step multiplies by it.")
  ).explained(by: .recurrence)

  /// The definitions of the inputs before the weights.
  static func inputs(states: [String]) -> [InputDefinition] {
    let masks = StepMask.allCases.filter { $0 != .none }.map { AttributeValue.string($0.rawValue) }
    return [.data("input", .float), .mask(.when("mask", masks))]
      + states.map { .data("initial_\($0)", .same(as: "input"), .when("initial_states")) }
  }
}

/// The inputs of a recurrent operator, by purpose.
package struct RecurrentInputs<Element> {
  /// The sequence.
  package let sequence: Element
  /// The mask of the steps, if any.
  package let mask: Element?
  /// The initial states; empty when they are 0.
  package let states: [Element]
  /// The weights, in order.
  package let weights: [Element]

  /// - Parameter stateCount: The number of the operator's states.
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
  /// Returns the types of the output and the states, after checking that all inputs fit together.
  ///
  /// - Parameters:
  ///   - state: The type of a state, with the batch of the sequence.
  ///   - count: The number of states.
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
        throw ShapeError("the initial state \(initial) does not fit \(state)")
      }
      state.shape = zip(state.shape, initial.shape).map { $0.merged(with: $1) }
    }
    var output = state
    if recurrence.returnsSequences { output.shape.insert(time, at: 1) }
    return [output] + [TensorType](repeating: state, count: count)
  }
}

extension Recurrence {
  /// Runs the steps of one sequence.
  ///
  /// - Parameters:
  ///   - states: The initial states; the first is the output of a step.
  ///   - mask: 0 for each masked step; `nil` if there is none.
  ///   - step: Returns the states after a step, from its index and the states before it.
  /// - Returns: The output, of all steps or of the last one, and the final states.
  func run<Failure>(
    steps: Int, states: [[Double]], mask: ArraySlice<Double>?,
    step: (Int, [[Double]]) throws(Failure) -> [[Double]]
  ) throws(Failure) -> (output: [Double], states: [[Double]]) {
    var states = states
    let width = states[0].count
    let zeros = [Double](repeating: 0, count: width)
    var (output, outputs) = (zeros, [Double]())
    if returnsSequences { outputs = [Double](repeating: 0, count: steps * width) }
    for index in 0..<steps {
      let time = isReversed ? steps - 1 - index : index
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
