package import Bytes
package import GraphIR
package import LayerCatalog

extension ExportBuilder {
  /// Adds the operators that a formula is made of.
  ///
  /// - Throws: ``WeighbridgeError/Code/unsupported`` when the target has no form for a part of it.
  package mutating func compose(
    _ inputs: [Value],
    _ formula: @escaping @Sendable (inout Composition) throws(WeighbridgeError) -> [ValueID]
  ) throws(WeighbridgeError) -> [Value] {
    guard case .nodes(let build) = Composition.outputs(of: formula) else { return [] }
    return try apply(build, named: scope.prefix, inputs)
  }

  /// Returns a weight in another form, with a name of its own in the file.
  private func derived(
    _ weight: Value, _ role: String, _ change: (Tensor) -> Tensor
  ) throws(WeighbridgeError) -> Value {
    let name = weight.name.isEmpty ? "" : "\(weight.name)/\(role)"
    return .weight(change(try tensor(of: weight)), named: name)
  }

  /// Adds a batch normalisation as a product and a sum.
  package mutating func affine(
    _ operation: BatchNormalization
  ) throws(WeighbridgeError) -> Value {
    var weights: [[Double]] = []
    for position in operands.indices.dropFirst() { weights.append(try tensor(position).doubles) }
    let (factors, offsets) = operation.affine(weights)
    var shape = [Int](repeating: 1, count: type().rank)
    shape[operation.axis] = factors.count
    let (factor, offset) = (
      Tensor(type().elementType, shape: shape, factors),
      Tensor(type().elementType, shape: shape, offsets)
    )
    return try compose([operands[0]]) { (make) throws(WeighbridgeError) in
      let scaled = try make.product(make.inputs[0], try make.constant(factor))
      return [try make.sum(scaled, try make.constant(offset))]
    }[0]
  }

  // MARK: Recurrent operators

  /// The inputs of the operator being translated, by their meaning.
  package func parts<Operation: RecurrentOperator>(of operation: Operation) -> RecurrentInputs<
    Value
  > {
    RecurrentInputs(operands, operation.recurrence, stateCount: Operation.stateNames.count)
  }

  /// Adds the input's contribution to the sums of all gates in all steps,
  /// `[batch, time, gates * units]`.
  package mutating func inputSums(
    _ operation: some RecurrentOperator
  ) throws(WeighbridgeError) -> Value {
    let weights = parts(of: operation).weights
    var inputs = [operands[0], weights[0]]
    switch operation.bias {
    case .none: break
    case .input: inputs.append(weights[2])
    case .separate:
      inputs.append(
        try derived(weights[2], "row_0") { $0.slice(0..<1, along: 0).reshaped([$0.shape[1]]) })
    }
    return try apply(
      Dense(hasBias: operation.bias != .none), named: scope.prefix, inputs)[0]
  }

  /// Adds one step and returns the states after it.
  ///
  /// - Parameters:
  ///   - sums: The input's contribution in this step.
  ///   - states: The states before the step.
  package mutating func step<Operation: RecurrentOperator>(
    _ operation: Operation, _ sums: Value, _ states: [Value]
  ) throws(WeighbridgeError) -> [Value] {
    let weights = parts(of: operation).weights
    let units = try tensor(of: weights[1]).shape[1]
    let hasBias = operation.bias == .separate
    var pieces: [Value] = []
    for gates in Operation.stateGates {
      let rows = gates.lowerBound * units..<gates.upperBound * units
      let role = "\(gates.lowerBound)_\(gates.upperBound)"
      pieces.append(
        try derived(weights[1], "transposed_\(role)") {
          $0.slice(rows, along: 0).permuted([1, 0])
        })
      guard hasBias else { continue }
      pieces.append(
        try derived(weights[2], "state_\(role)") {
          $0.slice(1..<2, along: 0).slice(rows, along: 1)
        })
    }
    let first = 1 + states.count
    return try compose([sums] + states + pieces) { (make) throws(WeighbridgeError) in
      let inputs = make.inputs
      return try operation.step(&make, inputs[0], Array(inputs[1..<first])) {
        (make, state, gates) throws(WeighbridgeError) in
        let place = Operation.stateGates.firstIndex(of: gates) ?? 0
        let piece = first + place * (hasBias ? 2 : 1)
        let product = try make.matrixProduct(state, inputs[piece])
        return hasBias ? try make.sum(product, inputs[piece + 1]) : product
      }
    }
  }

  /// Adds one step over images and returns the states after it.
  package mutating func step(
    _ operation: ConvLSTM, _ frame: Value, _ states: [Value], weights: [Value]
  ) throws(WeighbridgeError) -> [Value] {
    let first = 1 + states.count
    return try compose([frame] + states + weights) { (make) throws(WeighbridgeError) in
      let inputs = make.inputs
      return try operation.step(
        &make, inputs[0], Array(inputs[1..<first]), weights: Array(inputs[first...]))
    }
  }
}
