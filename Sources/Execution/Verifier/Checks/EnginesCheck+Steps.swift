import Bytes
import GraphIR

/// Comparing each step of an engine with the reference on the same inputs.
extension EnginesCheck {
  /// Runs the engine and computes each of its steps with the reference, from the inputs that the
  /// step has in the engine's run.
  ///
  /// - Returns: The first step that differs from the reference by more than rounding explains; if
  ///   there is none, the first step for which that cannot be decided.
  func compareSteps(
    _ graph: Graph, _ inputs: [Tensor], _ steps: [Int: [Int]], _ tolerances: [Tolerance]
  ) throws(WeighbridgeError) -> CheckResult? {
    let types = try graph.specialized(to: inputs)
    // A value is kept until the last step that reads it has been compared.
    var lastReaders: [ValueID: Int] = [:]
    for (last, positions) in steps {
      for id in positions.flatMap({ graph.nodes[$0].inputs }) {
        lastReaders[id] = max(lastReaders[id] ?? 0, last)
      }
    }
    var tensors: [ValueID: Tensor] = [:]
    for (port, tensor) in zip(graph.inputs, inputs) { tensors[port.value] = tensor }
    var (wrong, inconclusive): (CheckResult?, CheckResult?)
    _ = try engine.run(graph, inputs: inputs) { (result) throws(WeighbridgeError) in
      guard wrong == nil, let positions = steps[result.position] else { return }
      let part = try graph.subgraph(positions, types: types)
      let partInputs = part.inputs.compactMap { tensors[$0] }
      let expectedOutputs = try reference.run(part.graph, inputs: partInputs) { _ in }
      for (index, (actual, expected)) in zip(result.outputs, expectedOutputs).enumerated() {
        let id = result.node.outputs[index]
        tensors[id] = actual
        let difference = TensorDifference(actual: actual, expected: expected)
        guard wrong == nil, !difference.isWithin(tolerances[id.index]) else { continue }
        let verdict = try judge(
          divergence(difference, tolerances[id.index], result, index), ofStep: part.graph,
          partInputs, tolerances[id.index])
        if verdict.status == .failed { wrong = verdict }
        if verdict.status == .warning, inconclusive == nil { inconclusive = verdict }
      }
      for id in positions.flatMap({ graph.nodes[$0].inputs })
      where lastReaders[id] == result.position {
        tensors[id] = nil
      }
    }
    return wrong ?? inconclusive
  }

  /// Decides whether rounding inside a step explains its difference: a recurrent layer amplifies
  /// rounding from one time step to the next.
  private func judge(
    _ divergence: Divergence, ofStep graph: Graph, _ inputs: [Tensor], _ tolerance: Tolerance
  ) throws(WeighbridgeError) -> CheckResult {
    var result = divergence.result
    let (difference, output) = (divergence.discrepancy.difference, divergence.discrepancy.output)
    guard let effect = try effect(difference, of: output, in: graph, inputs) else { return result }
    let (status, explanation) = effect.judge(difference, "this layer")
    result.status = status
    result.reason += "; \(explanation)"
    guard status == .warning,
      let damped = try compareDamped(graph, inputs, output, tolerance)
    else { return result }
    if !damped.agrees { result.status = .failed }
    result.reason +=
      "; with its weights times \(damped.factor) both "
      + "\(damped.agrees ? "agree" : "diverge too"): max abs "
      + damped.difference.maxAbsolute.scientific
    return result
  }

  /// Measures the effect of rounding on an output of a step's last node.
  private func effect(
    _ difference: TensorDifference, of output: Int, in graph: Graph, _ inputs: [Tensor]
  ) throws(WeighbridgeError) -> RoundingEffect? {
    let discrepancy = Discrepancy(
      position: graph.nodes.count - 1, output: output, difference: difference)
    return try RoundingSensitivity.measure(
      [discrepancy], in: graph, inputs: inputs, by: reference)?[discrepancy]
  }

  /// Repeats the comparison of a step whose errors rounding would hide, with smaller weights, which
  /// amplify rounding less: an engine that computes this operator wrongly does so with any weights.
  ///
  /// - Returns: `nil` when rounding would still hide errors.
  private func compareDamped(
    _ graph: Graph, _ inputs: [Tensor], _ output: Int, _ tolerance: Tolerance
  ) throws(WeighbridgeError) -> (agrees: Bool, factor: Double, difference: TensorDifference)? {
    for factor in [0.25, 0.0625] {
      let damped = graph.changingWeights { tensor in
        Tensor(tensor.elementType, shape: tensor.shape, tensor.doubles.map { $0 * factor })
      }
      let actual = try engine.run(damped, inputs: inputs) { _ in }
      let expected = try reference.run(damped, inputs: inputs) { _ in }
      guard actual.indices.contains(output), expected.indices.contains(output) else { return nil }
      let difference = TensorDifference(actual: actual[output], expected: expected[output])
      if difference.isWithin(tolerance) { return (true, factor, difference) }
      let status = try effect(difference, of: output, in: damped, inputs)?.judge(difference, "").0
      switch status {
      case .warning, nil: continue
      case .passed: return (true, factor, difference)
      default: return (false, factor, difference)
      }
    }
    return nil
  }
}
