import Bytes
import GraphIR

/// Comparing each step of an engine with what the reference computes from the same inputs.
extension EnginesCheck {
  /// Returns the first step whose result, computed from its inputs in the engine's run, differs
  /// from the reference's for the same inputs by more than rounding explains; if there is none, the
  /// first step for which that cannot be decided.
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
    var (wrong, unclear): (CheckResult?, CheckResult?)
    _ = try engine.run(graph, inputs: inputs) { (result) throws(WeighbridgeError) in
      guard wrong == nil, let positions = steps[result.position] else { return }
      let made = result.outputs
      let part = try graph.part(positions, types: types)
      let taken = part.inputs.compactMap { tensors[$0] }
      let wanted = try reference.run(part.graph, inputs: taken) { _ in }
      for (number, (got, want)) in zip(made, wanted).enumerated() {
        let id = result.node.outputs[number]
        tensors[id] = got
        let difference = TensorDifference(got: got, want: want)
        guard wrong == nil, !difference.isWithin(tolerances[id.index]) else { continue }
        let found = try judge(
          divergence(difference, tolerances[id.index], result, number), ofStep: part.graph, taken,
          tolerances[id.index])
        if found.status == .failed { wrong = found }
        if found.status == .warning, unclear == nil { unclear = found }
      }
      for id in positions.flatMap({ graph.nodes[$0].inputs })
      where lastReaders[id] == result.position {
        tensors[id] = nil
      }
    }
    return wrong ?? unclear
  }

  /// Decides whether rounding inside a step explains its difference: a recurrent layer amplifies
  /// rounding from one time step to the next.
  private func judge(
    _ divergence: Divergence, ofStep graph: Graph, _ inputs: [Tensor], _ tolerance: Tolerance
  ) throws(WeighbridgeError) -> CheckResult {
    var result = divergence.result
    let (difference, output) = (divergence.discrepancy.difference, divergence.discrepancy.output)
    guard let effect = try effect(difference, of: output, in: graph, inputs) else { return result }
    let (status, words) = effect.judge(difference, "this layer")
    result.status = status
    result.reason += "; \(words)"
    guard status == .warning,
      let calm = try compareCalmly(graph, inputs, output, tolerance)
    else { return result }
    if !calm.isRight { result.status = .failed }
    result.reason +=
      "; with its weights times \(calm.factor) both \(calm.isRight ? "agree" : "diverge too"): max abs "
      + calm.difference.maxAbsolute.short
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

  /// Repeats the comparison of a step in which rounding hides everything with smaller weights,
  /// which amplify it less: an engine that computes this operator wrongly does so whatever the
  /// weights.
  ///
  /// - Returns: `nil` when rounding still hides everything.
  private func compareCalmly(
    _ graph: Graph, _ inputs: [Tensor], _ output: Int, _ tolerance: Tolerance
  ) throws(WeighbridgeError) -> (isRight: Bool, factor: Double, difference: TensorDifference)? {
    for factor in [0.25, 0.0625] {
      let calm = graph.changingWeights { tensor in
        Tensor(tensor.elementType, shape: tensor.shape, tensor.doubles.map { $0 * factor })
      }
      let got = try engine.run(calm, inputs: inputs) { _ in }
      let want = try reference.run(calm, inputs: inputs) { _ in }
      guard got.indices.contains(output), want.indices.contains(output) else { return nil }
      let difference = TensorDifference(got: got[output], want: want[output])
      if difference.isWithin(tolerance) { return (true, factor, difference) }
      let verdict = try effect(difference, of: output, in: calm, inputs)?.judge(difference, "").0
      switch verdict {
      case .warning, nil: continue
      case .passed: return (true, factor, difference)
      default: return (false, factor, difference)
      }
    }
    return nil
  }
}
