import CKernels
import GraphIR
import LayerCatalog

/// A recurrent layer of vectors, with its weights.
struct RecurrentVectors {
  let dimensions: RecurrentDimensions
  private let cell: kernels_cell
  /// The kernel, the recurrent kernel and the bias, if there is one.
  private let weights: [(id: ValueID, tensor: Tensor)]
  private let bias: RecurrentBias

  /// - Returns: `nil` if a weight is not constant, or there are no elements.
  init?(
    _ operation: some RecurrentOperator, _ cell: RecurrentCell, _ parts: RecurrentInputs<ValueID>,
    _ builder: PlanBuilder
  ) {
    let tensors = parts.weights.compactMap { builder.graph[$0].constant }
    guard tensors.count == parts.weights.count, builder.areFloats([parts.sequence] + parts.states)
    else { return nil }
    weights = Array(zip(parts.weights, tensors)).map { ($0, $1) }
    bias = operation.bias
    self.cell = cell.kind
    let sequence = builder.shape(of: parts.sequence)
    dimensions = RecurrentDimensions(
      batch: sequence[0], time: sequence[1], positions: 1, units: tensors[1].shape[1],
      gates: type(of: operation).gateCount)
  }

  /// The range of sums whose state bias must be added separately, before n's product is multiplied
  /// by r.
  private var separateBiasRange: Range<Int> {
    let isSeparate = bias == .separate && cell == kernels_cell_gru_resets_after
    return isSeparate ? 2 * dimensions.units..<dimensions.width : 0..<0
  }

  /// The biases of the input's products and of the state's; zeros without any.
  private var biases: (input: [Double], state: [Double]) {
    let zeros = [Double](repeating: 0, count: dimensions.width)
    let numbers = bias == .none ? zeros : weights[2].tensor.doubles
    return (
      Array(numbers[..<dimensions.width]),
      bias == .separate ? .init(numbers[dimensions.width...]) : zeros
    )
  }

  /// The product of the whole sequence, plus all biases that can be added to it.
  func inputProduct(_ builder: inout PlanBuilder) -> RecurrentProduct? {
    let (input, state) = biases
    let sums = input.indices.map {
      Float(input[$0] + (separateBiasRange.contains($0) ? 0 : state[$0]))
    }
    return .ofRows(
      dimensions.time * dimensions.rows, weights[0].tensor, weights[0].id, bias: sums, &builder)
  }

  /// The weights of the state.
  func stateWeights(_ builder: inout PlanBuilder) -> StateWeights? {
    let isSplit = cell == kernels_cell_gru
    guard let state = stateWeights(0..<(isSplit ? 2 : dimensions.gates), &builder) else {
      return nil
    }
    let candidate = isSplit ? stateWeights(2..<3, &builder) : nil
    guard !isSplit || candidate != nil else { return nil }
    // Kernels read it in whole blocks of 16.
    let bias =
      biases.state[separateBiasRange].map(Float.init)
      + [Float](repeating: 0, count: separateBiasRange.isEmpty ? 0 : 15)
    return StateWeights(
      state: state, candidate: candidate,
      candidateBias: bias.isEmpty ? nil : builder.addConstant(bias))
  }

  /// The weights of some gates.
  private func stateWeights(_ gates: Range<Int>, _ builder: inout PlanBuilder) -> Storage? {
    let units = dimensions.units
    let rows = gates.lowerBound * units..<gates.upperBound * units
    let gateWeights = weights[1].tensor.slice(rows, along: 0).reshaped([gates.count, units, units])
    return unsafe Layout(owning: kernels_recurrence_weights(Int64(gates.count), Int64(units)))
      .flatMap { builder.weight(gateWeights, weights[1].id, as: $0) }
  }
}

extension PlanBuilder {
  /// Adds a recurrent layer of vectors.
  mutating func addLoop(
    _ operation: some RecurrentOperator, _ cell: RecurrentCell, for group: NodeGroup
  ) -> Bool {
    let recurrence = operation.recurrence
    let parts = RecurrentInputs(
      group.inputs, recurrence, stateCount: type(of: operation).stateNames.count)
    guard let vectors = RecurrentVectors(operation, cell, parts, self) else { return false }
    let dimensions = vectors.dimensions
    let features = shape(of: parts.sequence)[2]
    guard let product = vectors.inputProduct(&self), let weights = vectors.stateWeights(&self),
      let layout = Layout.rowMajor([dimensions.time, dimensions.batch, features])?.permuted([
        1, 0, 2,
      ]),
      let state = Layout.rowMajor([dimensions.batch, dimensions.units]),
      let sequence = Layout.rowMajor([dimensions.batch, dimensions.time, dimensions.units]),
      let input = tensor(parts.sequence, as: layout)
    else { return false }
    let initial = parts.states.map { rowMajor($0).storage }
    let loop = makeLoop(
      cell, recurrence, dimensions, mask: parts.mask, state: state, sequence: sequence, for: group)
    product.add(to: &self, of: input.storage, into: loop.sums)
    loop.addStart(to: &self, initial)
    loop.addSteps(to: &self, weights, name: operation.kind)
    return true
  }
}
