import GraphIR
import LayerCatalog

/// A recurrent layer of vectors, with its weights.
struct RecurrentVectors {
  let dimensions: RecurrentDimensions
  /// The kernel, the recurrent kernel and the bias, if there is one.
  private let weights: [(id: ValueID, tensor: Tensor)]
  private let bias: RecurrentBias

  /// - Returns: `nil` when a weight is not known before the model runs, or there are no elements.
  init?(
    _ operation: some RecurrentOperator, _ parts: RecurrentInputs<ValueID>, _ builder: PlanBuilder
  ) {
    let tensors = parts.weights.compactMap { builder.graph[$0].constant }
    guard tensors.count == parts.weights.count, builder.areFloats([parts.sequence] + parts.states)
    else { return nil }
    weights = Array(zip(parts.weights, tensors)).map { ($0, $1) }
    bias = operation.bias
    let sequence = builder.shape(of: parts.sequence)
    dimensions = RecurrentDimensions(
      batch: sequence[0], time: sequence[1], places: 1, units: tensors[1].shape[1],
      gates: type(of: operation).gateCount)
  }

  /// The biases of the input's products and of the state's.
  private var biases: (input: [Double], state: [Double]) {
    let zeros = [Double](repeating: 0, count: dimensions.width)
    let numbers = bias == .none ? zeros : weights[2].tensor.doubles
    return (
      Array(numbers[..<dimensions.width]),
      bias == .separate ? .init(numbers[dimensions.width...]) : zeros
    )
  }

  /// The product of the whole sequence.
  ///
  /// - Parameter keepsApart: Whether the biases of the state's products are not part of it.
  func inputProduct(_ builder: inout PlanBuilder, keepsApart: Bool = false) -> RecurrentProduct? {
    let biases = biases
    let all = keepsApart ? biases.input : zip(biases.input, biases.state).map(+)
    return .ofRows(
      dimensions.time * dimensions.rows, weights[0].tensor, weights[0].id,
      bias: all.map(Float.init),
      adds: false, &builder)
  }

  /// The product of a state and of some gates' weights.
  ///
  /// - Parameters:
  ///   - hasBias: Whether it has a bias of its own.
  ///   - adds: Whether it is added to what the target holds.
  func stateProduct(
    _ gates: Range<Int>, hasBias: Bool = false, adds: Bool, _ builder: inout PlanBuilder
  ) -> RecurrentProduct? {
    let rows = gates.lowerBound * dimensions.units..<gates.upperBound * dimensions.units
    return .ofRows(
      dimensions.rows, weights[1].tensor.slice(rows, along: 0), weights[1].id,
      bias: hasBias ? biases.state[rows].map(Float.init) : [], adds: adds, &builder)
  }
}

extension PlanBuilder {
  /// Adds a recurrent layer of vectors, step by step.
  mutating func addLoop(
    _ operation: some RecurrentOperator, _ cell: RecurrentCell, for group: NodeGroup
  ) -> Bool {
    let recurrence = operation.recurrence
    let parts = RecurrentInputs(
      group.inputs, recurrence, stateCount: type(of: operation).stateNames.count)
    guard let vectors = RecurrentVectors(operation, parts, self) else { return false }
    let dimensions = vectors.dimensions
    let features = shape(of: parts.sequence)[2]
    let gates = RecurrentGates(cell, vectors, &self)
    guard let gates,
      let layout = Layout.rowMajor([dimensions.time, dimensions.batch, features])?.permuted([
        1, 0, 2,
      ]),
      let state = Layout.rowMajor([dimensions.batch, dimensions.units]),
      let sequence = Layout.rowMajor([dimensions.batch, dimensions.time, dimensions.units]),
      let input = tensor(parts.sequence, as: layout)
    else { return false }
    let initial = parts.states.map { rowMajor($0).storage }
    let loop = makeLoop(
      recurrence, dimensions, mask: parts.mask, state: state, sequence: sequence, for: group)
    gates.input.add(to: &self, of: input.storage, into: loop.sums)
    loop.addStart(to: &self, initial)
    gates.addSteps(to: &self, loop, cell, name: operation.kind)
    return true
  }
}

/// The products of a recurrent layer of vectors.
private struct RecurrentGates {
  /// The product of the whole sequence.
  let input: RecurrentProduct
  /// The product of a state; of a GRU whose reset comes first, of the gates z and r.
  private let state: RecurrentProduct
  /// The product of a GRU's reset state.
  private let candidate: RecurrentProduct?

  init?(_ cell: RecurrentCell, _ vectors: RecurrentVectors, _ builder: inout PlanBuilder) {
    let all = 0..<vectors.dimensions.gates
    let products: [RecurrentProduct?]
    switch cell {
    case .joint:
      products = [
        vectors.inputProduct(&builder), vectors.stateProduct(all, adds: true, &builder),
      ]
    case .gru(_, _, let resetsAfter) where resetsAfter:
      products = [
        vectors.inputProduct(&builder, keepsApart: true),
        vectors.stateProduct(all, hasBias: true, adds: false, &builder),
      ]
    case .gru:
      products = [
        vectors.inputProduct(&builder), vectors.stateProduct(0..<2, adds: false, &builder),
        vectors.stateProduct(2..<3, adds: false, &builder),
      ]
    }
    let made = products.compactMap { $0 }
    guard made.count == products.count else { return nil }
    (input, state) = (made[0], made[1])
    candidate = made.count > 2 ? made[2] : nil
  }

  /// Adds all steps behind the product of the sequence.
  func addSteps(
    to builder: inout PlanBuilder, _ loop: RecurrentLoop, _ cell: RecurrentCell, name: String
  ) {
    switch cell {
    case .joint(let apply):
      for time in loop.times {
        state.add(to: &builder, of: loop.states[0], into: loop.sums(at: time))
        loop.addStep(to: &builder, at: time, name: name) { row, _, _ in apply(row) }
      }
    case .gru(let activation, let gates, let resetsAfter):
      addGRU(
        to: &builder, loop, activation, gates: gates, resetsAfter: resetsAfter, name: name)
    }
  }

  private func addGRU(
    to builder: inout PlanBuilder, _ loop: RecurrentLoop, _ activation: @escaping RowActivation,
    gates: @escaping RowActivation, resetsAfter: Bool, name: String
  ) {
    let (rows, units) = (loop.dimensions.rows, loop.dimensions.units)
    let size = rows * units * MemoryLayout<Float>.stride
    let width = (resetsAfter ? 3 : 2) * units
    let stateSums = builder.addScratch(byteCount: rows * width * MemoryLayout<Float>.stride)
    let reset = resetsAfter ? nil : builder.addScratch(byteCount: size)
    let product = builder.addScratch(byteCount: size)
    for time in loop.times {
      state.add(to: &builder, of: loop.states[0], into: stateSums)
      if let reset, let candidate {
        loop.addGates(
          to: &builder, at: time, name: name, gates, stateSums: stateSums, product: reset)
        candidate.add(to: &builder, of: reset, into: product)
      }
      loop.addStep(to: &builder, at: time, name: name, using: [stateSums, product]) {
        row, number, memory in
        // Both have as many rows as the states.
        let sums = memory[stateSums].assumingMemoryBound(to: Float.self) + number * width
        if resetsAfter { row.applyGates(gates, stateSums: sums, product: nil) }
        row.applyCandidate(
          activation,
          product: resetsAfter
            ? sums + 2 * units
            : memory[product].assumingMemoryBound(to: Float.self) + number * units,
          resets: resetsAfter)
      }
    }
  }
}

extension RecurrentLoop {
  /// Adds the part of a step that computes the gates z and r of a GRU, and the state times r.
  fileprivate func addGates(
    to builder: inout PlanBuilder, at time: Int, name: String, _ gates: @escaping RowActivation,
    stateSums: Storage, product: Storage
  ) {
    let (state, sums, dimensions) = (states[0], sums(at: time), dimensions)
    builder.add(
      .kernel(name: name) { memory in
        // All four have so many rows, and no two rows overlap.
        nonisolated(unsafe) let pointers = [sums, state, stateSums, product].map {
          memory[$0].assumingMemoryBound(to: Float.self)
        }
        Threads.parallel(rows: dimensions.rows, length: dimensions.width) { number in
          let row = RecurrentRow(
            sums: pointers[0] + number * dimensions.width,
            state: pointers[1] + number * dimensions.units, units: dimensions.units)
          row.applyGates(
            gates, stateSums: pointers[2] + number * 2 * dimensions.units,
            product: pointers[3] + number * dimensions.units)
        }
      }, using: [sums, state, stateSums, product])
  }
}
