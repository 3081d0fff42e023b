package import Bytes
package import GraphIR

/// Which biases a recurrent cell has.
package enum RecurrentBias: String, Hashable, Sendable, CaseIterable {
  /// None.
  case none
  /// One, `[sums]`, which is added to the products with the input.
  case input
  /// Two, `[2, sums]`: one for the products with the input, one for those with the state.
  case separate
}

extension AttributeField where Value == RecurrentBias {
  /// Which biases a cell has.
  static func recurrentBias(
    _ value: @escaping @Sendable (Owner) -> RecurrentBias
  ) -> AttributeField {
    AttributeField.choice("bias", value, "Which biases there are.") {
      switch $0 {
      case .none: "none; both are 0"
      case .input: "b of the products with the input, `[gates * units]`; the other is 0"
      case .separate: "b and b' of the products with the state, `[2, gates * units]`"
      }
    }.explained(by: .recurrence)
  }
}

/// An operator that walks over a sequence of vectors and carries states from step to step.
///
/// - input: `[batch, time, features]`, with at least one step
/// - mask: `[batch, time]`, bool, false for a step that is left out; only with a ``StepMask``
/// - a state of each name to begin with: `[batch, units]`; 0 when there is none
/// - kernel: `[gates * units, features]`, gate after gate
/// - recurrent kernel: `[gates * units, units]`
/// - bias: `[gates * units]`, or `[2, gates * units]`
/// - output: `[batch, time, units]` or `[batch, units]`, then each state at the end
///
/// What follows from that, and so is the same for all of them, is defined here.
package protocol RecurrentOperator: WeightMultiplyingOperator {
  /// How many sums each unit needs.
  static var gateCount: Int { get }
  /// The names of the states; the first is what a step gives.
  static var stateNames: [String] { get }
  /// How it walks over the sequence.
  var recurrence: Recurrence { get }
  /// Which biases there are.
  var bias: RecurrentBias { get }

  /// A step over vectors.
  ///
  /// - Parameters:
  ///   - sums: What the input adds to each gate's sums, with its bias, `[gates * units]`.
  ///   - states: Before the step.
  ///   - stateSums: What a state adds to some gates' sums, with its bias.
  /// - Returns: The states after the step.
  func step(
    _ sums: [Double], _ states: [[Double]], stateSums: ([Double], Range<Int>) -> [Double]
  ) -> [[Double]]

  /// The gates whose sums a step takes from one state, one range for each time that it does so.
  static var stateGates: [Range<Int>] { get }

  /// A step over `[batch, units]`, as a formula.
  ///
  /// - Parameters:
  ///   - sums: What the input adds to each gate's sums, with its bias, `[batch, gates * units]`.
  ///   - states: Before the step.
  ///   - stateSums: What a state adds to some gates' sums, with its bias.
  /// - Returns: The states after the step.
  func step(
    _ make: inout Composition, _ sums: ValueID, _ states: [ValueID], stateSums: StateSums
  ) throws(WeighbridgeError) -> [ValueID]
}

/// What a state adds to the sums of some gates, as a formula.
package typealias StateSums =
  (inout Composition, ValueID, Range<Int>) throws(WeighbridgeError) -> ValueID

extension RecurrentOperator {
  package static var stateGates: [Range<Int>] { [0..<gateCount] }

  /// The inputs, as data.
  static var recurrentInputs: [InputDefinition] {
    Recurrence.inputs(states: stateNames) + [
      .weight("kernel"), .weight("recurrent_kernel"),
      .weight("bias", .unless("bias", [.text(RecurrentBias.none.rawValue)])),
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

  /// The number of units, once all weights fit each other.
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
        "the kernels \(kernel) and \(recurrent) are not of \(Self.gateCount) gates of as many "
          + "units")
    }
    guard features.agrees(with: .fixed(kernel[1])) else {
      throw ShapeError("the kernel takes \(kernel[1]) features, and the input has \(features)")
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
      return recurrence.walk(steps: steps, states: states, mask: rowMask) { time, states in
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

  /// Each step multiplies by all weights.
  package var cost: OperatorCost {
    .products { [recurrence] inputs, _ in
      let parts = RecurrentInputs(inputs, recurrence, stateCount: Self.stateNames.count)
      return parts.weights.prefix(2).map { parts.sequence.prefix(2) + $0 }
    }
  }

  /// The axes of the input have a meaning each.
  package func permutingAxes(_ axes: [Int]) -> Self? { nil }

  package var decomposition: Decomposition { .primitive }
}
