package import Bytes
package import GraphIR
package import LayerCatalog

extension ExportBuilder {
  /// Adds the operators of a formula.
  ///
  /// - Throws: ``WeighbridgeError/Code/unsupported`` when the target has no form for a part of it.
  package mutating func compose(
    _ inputs: [Value],
    _ formula: @escaping @Sendable (inout Composition) throws(WeighbridgeError) -> [ValueID]
  ) throws(WeighbridgeError) -> [Value] {
    guard case .nodes(let build) = Composition.outputs(formula) else { return [] }
    return try apply(build, named: scope.prefix, inputs)
  }

  /// Returns a weight that is computed from another one, under a name of its own.
  private func derived(
    _ weight: Value, _ role: String, _ transform: (Tensor) -> Tensor
  ) throws(WeighbridgeError) -> Value {
    let name = weight.name.isEmpty ? "" : "\(weight.name)/\(role)"
    return .weight(transform(try tensor(of: weight)), named: name)
  }

  /// Adds a batch normalization as a product and a sum.
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

  /// The inputs of the recurrent operator that is being translated, by role.
  package func recurrentInputs<Operation: RecurrentOperator>(
    of operation: Operation
  ) -> RecurrentInputs<Value> {
    RecurrentInputs(operands, operation.recurrence, stateCount: Operation.stateNames.count)
  }

  /// Adds the input projection, the input's contribution to all gates in all steps:
  /// `[batch, time, gates * units]`.
  package mutating func inputProjection(
    _ operation: some RecurrentOperator
  ) throws(WeighbridgeError) -> Value {
    let weights = recurrentInputs(of: operation).weights
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

  /// Adds one time step and returns the states after it.
  ///
  /// - Parameters:
  ///   - projection: The input projection of this step.
  ///   - states: The states before the step.
  package mutating func step<Operation: RecurrentOperator>(
    _ operation: Operation, _ projection: Value, _ states: [Value]
  ) throws(WeighbridgeError) -> [Value] {
    let weights = recurrentInputs(of: operation).weights
    let units = try tensor(of: weights[1]).shape[1]
    let hasBias = operation.bias == .separate
    var gateWeights: [Value] = []
    for gates in Operation.stateGates {
      let rows = gates.lowerBound * units..<gates.upperBound * units
      let role = "\(gates.lowerBound)_\(gates.upperBound)"
      gateWeights.append(
        try derived(weights[1], "transposed_\(role)") {
          $0.slice(rows, along: 0).permuted([1, 0])
        })
      guard hasBias else { continue }
      gateWeights.append(
        try derived(weights[2], "state_\(role)") {
          $0.slice(1..<2, along: 0).slice(rows, along: 1)
        })
    }
    let firstWeight = 1 + states.count
    return try compose([projection] + states + gateWeights) { (make) throws(WeighbridgeError) in
      let inputs = make.inputs
      return try operation.step(&make, inputs[0], Array(inputs[1..<firstWeight])) {
        (make, state, gates) throws(WeighbridgeError) in
        let position = Operation.stateGates.firstIndex(of: gates) ?? 0
        let index = firstWeight + position * (hasBias ? 2 : 1)
        let product = try make.matrixProduct(state, inputs[index])
        return hasBias ? try make.sum(product, inputs[index + 1]) : product
      }
    }
  }

  /// Adds one time step of a recurrent convolution and returns the states after it.
  package mutating func step(
    _ operation: ConvLSTM, _ frame: Value, _ states: [Value], weights: [Value]
  ) throws(WeighbridgeError) -> [Value] {
    let (firstWeight, images) = (1 + states.count, Self.table.layout ?? .channelsFirst)
    return try compose([frame] + states + weights) { (make) throws(WeighbridgeError) in
      let inputs = make.inputs
      return try operation.step(
        &make, inputs[0], Array(inputs[1..<firstWeight]), weights: Array(inputs[firstWeight...]),
        images: images)
    }
  }
}
