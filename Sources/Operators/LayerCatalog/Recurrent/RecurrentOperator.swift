package import Bytes
package import GraphIR

/// The biases of a recurrent cell.
package enum RecurrentBias: String, Hashable, Sendable, CaseIterable {
  /// None.
  case none
  /// One, `[gates * units]`, which is added to the products with the input.
  case input
  /// Two, `[2, gates * units]`: one for the products with the input, and one for those with the
  /// state.
  case separate
}

extension AttributeField where Value == RecurrentBias {
  /// The attribute for the biases of a cell.
  static func recurrentBias(
    _ value: @escaping @Sendable (Owner) -> RecurrentBias
  ) -> AttributeField {
    AttributeField.choice("bias", value, "The biases.") {
      switch $0 {
      case .none: "none; both are 0"
      case .input: "b of the products with the input, `[gates * units]`; the other is 0"
      case .separate: "b and b' of the products with the state, `[2, gates * units]`"
      }
    }.explained(by: .recurrence)
  }
}

/// An operator that iterates over a sequence of vectors and carries states from step to step.
///
/// - input: `[batch, time, features]`, with at least one step
/// - mask: `[batch, time]`, bool, false for a step that is skipped; only with a ``StepMask``
/// - an initial state for each name: `[batch, units]`; 0 if it is absent
/// - kernel: `[gates * units, features]`, gate by gate
/// - recurrent kernel: `[gates * units, units]`
/// - bias: `[gates * units]`, or `[2, gates * units]`
/// - outputs: `[batch, time, units]` or `[batch, units]`, then each final state
package protocol RecurrentOperator: WeightMultiplyingOperator {
  /// The number of sums for each unit: one for each gate, and one for the candidate.
  static var gateCount: Int { get }
  /// The names of the states; the first is the output of a step.
  static var stateNames: [String] { get }
  /// How it iterates over the sequence, and what it outputs.
  var recurrence: Recurrence { get }
  /// The kind of bias.
  var bias: RecurrentBias { get }

  /// Computes a step over vectors.
  ///
  /// - Parameters:
  ///   - sums: The input's contribution to the sums of all gates, with its bias, `[gates * units]`.
  ///   - states: The states before the step.
  ///   - stateSums: Returns a state's contribution to the sums of some gates, with its bias.
  /// - Returns: The states after the step.
  func step(
    _ sums: [Double], _ states: [[Double]], stateSums: ([Double], Range<Int>) -> [Double]
  ) -> [[Double]]

  /// The ranges of gates for which a step calls `stateSums`, one for each call.
  static var stateGates: [Range<Int>] { get }

  /// Adds nodes for a step over `[batch, units]`.
  ///
  /// - Parameters:
  ///   - sums: The input's contribution to the sums of all gates, with its bias, `[batch, gates *
  ///     units]`.
  ///   - states: The states before the step.
  ///   - stateSums: Adds nodes for a state's contribution to the sums of some gates, with its bias.
  /// - Returns: The states after the step.
  func step(
    _ make: inout Composition, _ sums: ValueID, _ states: [ValueID], stateSums: StateSums
  ) throws(WeighbridgeError) -> [ValueID]
}

/// Adds nodes for a state's contribution to the sums of some gates.
package typealias StateSums =
  (inout Composition, ValueID, Range<Int>) throws(WeighbridgeError) -> ValueID

extension RecurrentOperator {
  package static var stateGates: [Range<Int>] { [0..<gateCount] }

  /// The definitions of the inputs.
  static var recurrentInputs: [InputDefinition] {
    Recurrence.inputs(states: stateNames) + [
      .weight("kernel"), .weight("recurrent_kernel"),
      .weight("bias", .unless("bias", [.string(RecurrentBias.none.rawValue)])),
    ]
  }

  package func outputTypes(of inputs: [TensorType]) throws(ShapeError) -> [TensorType] {
    let parts = RecurrentInputs(inputs, recurrence, stateCount: Self.stateNames.count)
    let sequence = parts.sequence
    guard sequence.rank == 3, sequence.elementType.isFloat else {
      throw ShapeError("takes a sequence of vectors of floating-point numbers, not \(sequence)")
    }
    let units = try checkedUnits(parts.weights, features: sequence.shape[2])
    return try parts.outputTypes(
      recurrence, state: sequence.with(shape: [sequence.shape[0], .fixed(units)]),
      count: Self.stateNames.count)
  }

  /// Returns the number of units, after checking that all weights fit together.
  private func checkedUnits(
    _ weights: [TensorType], features: Dimension
  ) throws(ShapeError) -> Int {
    guard let kernel = weights[0].fixedShape, kernel.count == 2,
      let recurrent = weights[1].fixedShape, recurrent.count == 2,
      weights.allSatisfy(\.elementType.isFloat)
    else { throw ShapeError("the kernels \(weights[0]) and \(weights[1]) are not matrices") }
    let (sums, overflow) = recurrent[1].multipliedReportingOverflow(by: Self.gateCount)
    guard !overflow, recurrent[0] == sums, kernel[0] == sums else {
      throw ShapeError(
        "the kernels \(kernel) and \(recurrent) do not have \(Self.gateCount) gates of equally many "
          + "units")
    }
    guard features.agrees(with: .fixed(kernel[1])) else {
      throw ShapeError(
        "the kernel takes \(kernel[1].counted("feature")), but the input has \(features)")
    }
    let biasShape = bias == .separate ? [2, sums] : [sums]
    guard bias == .none || weights[2].fixedShape == biasShape else {
      throw ShapeError("the bias \(weights[2]) is not \(biasShape)")
    }
    return recurrent[1]
  }

  package func evaluate(
    _ inputs: [Tensor], workers: Workers
  ) throws(WeighbridgeError) -> [Tensor] {
    let shape = try outputShape(of: inputs)
    let parts = RecurrentInputs(inputs, recurrence, stateCount: Self.stateNames.count)
    let weights = RecurrentWeights(parts.weights, bias: bias)
    let (steps, features) = (parts.sequence.shape[1], parts.sequence.shape[2])
    let (batch, units) = (shape[0], parts.weights[1].shape[1])
    let sequence = parts.sequence.doubles
    let mask = parts.mask?.doubles
    let initial = parts.states.map(\.doubles)
    let zeros = [Double](repeating: 0, count: units)
    let results = workers.map(batch) { row in
      let states =
        initial.isEmpty
        ? Self.stateNames.map { _ in zeros }
        : initial.map { Array($0[row * units..<(row + 1) * units]) }
      let rowMask = mask.map { $0[row * steps..<(row + 1) * steps] }
      return recurrence.run(steps: steps, states: states, mask: rowMask) { time, states in
        let start = (row * steps + time) * features
        let sums = weights.inputSums(sequence[start..<start + features])
        return step(sums, states, stateSums: weights.stateSums)
      }
    }
    let type = parts.sequence.elementType
    let output = Tensor(type, shape: shape, results.flatMap(\.output))
    return [output]
      + Self.stateNames.indices.map { index in
        Tensor(type, shape: [batch, units], results.flatMap { $0.states[index] })
      }
  }

  package var tolerance: Tolerance { .standard(for: .float32) }

  /// Each step multiplies by both kernels.
  package var cost: OperatorCost {
    .products { [recurrence] inputs, _ in
      let parts = RecurrentInputs(inputs, recurrence, stateCount: Self.stateNames.count)
      return parts.weights.prefix(2).map { parts.sequence.prefix(2) + $0 }
    }
  }

  /// Each axis of the input has a different meaning.
  package func permutingAxes(_ axes: [Int]) -> Self? { nil }

  package var decomposition: Decomposition { .primitive }
}
