package import Bytes
package import GraphIR

/// A fast engine computes what the reference computes, layer by layer.
package struct EnginesCheck: VerificationCheck {
  package let name = "engines"
  private let engine: any Runtime
  private let reference: any Runtime
  private let inputs: [Tensor]?
  private let tolerances: @Sendable (any Operator) -> Tolerance?

  /// - Parameters:
  ///   - engine: What is checked. It is run as it is used, so that layers which it computes together
  ///     are compared where they end.
  ///   - reference: What says what is right.
  ///   - inputs: What both compute; `nil` for the file's reference inputs, or made-up ones when there
  ///     are none.
  ///   - tolerances: How far off an operator may be.
  package init(
    engine: any Runtime, reference: any Runtime, inputs: [Tensor]? = nil,
    tolerances: @escaping @Sendable (any Operator) -> Tolerance?
  ) {
    self.engine = engine
    self.reference = reference
    self.inputs = inputs
    self.tolerances = tolerances
  }

  package func run(_ subject: VerificationSubject) throws(WeighbridgeError) -> [CheckResult] {
    let graph = subject.content.graph
    if let (position, node) = graph.opaqueNodes.first {
      return [
        CheckResult(
          name, .skipped, "the model cannot run: this layer is kept as it is",
          layer: node.source.place(position))
      ]
    }
    let stored = subject.content.references.first?.inputs.map(\.tensor)
    if let inputs = inputs ?? stored { return [try compare(graph, inputs)] }
    do throws(WeighbridgeError) {
      return [try compare(graph, try graph.madeUpInputs(.random(seed: 0)))]
    } catch {
      // Numbers that nobody meant for this model may be such that it cannot run on them.
      guard error.code != .cancelled else { throw error }
      return [
        CheckResult(name, .skipped, "there are no inputs, and made-up ones do not do: \(error)")
      ]
    }
  }

  /// Compares step by step, as the engine is used. Where that differs, rounding may have grown on the
  /// way; what the reference makes of each step's own inputs tells.
  private func compare(
    _ graph: Graph, _ inputs: [Tensor]
  ) throws(WeighbridgeError) -> CheckResult {
    let tolerances = allowed(graph)
    let run = try compareRun(graph, inputs, tolerances)
    guard var divergence = run.divergence else {
      let most = run.worst.map { ", by \($0.difference.error.short) at most (\($0.layer))" }
      return CheckResult(
        name, .passed,
        "\(engine.name) and \(reference.name) agree in all \(run.steps.count) steps\(most ?? "")",
        difference: run.worst?.difference)
    }
    if let wrong = try compareSteps(graph, inputs, run.steps, tolerances) { return wrong }
    divergence.status = .warning
    divergence.reason +=
      "; each step agrees on the same inputs, so that this is rounding which grows on the way"
    return divergence
  }

  /// What a comparison of whole runs found.
  private struct RunComparison {
    /// For the last node of each step, all nodes of it.
    var steps: [Int: [Int]] = [:]
    /// The first step that is too far off.
    var divergence: CheckResult?
    /// The largest difference before that.
    var worst: (difference: TensorDifference, layer: String)?
  }

  private func compareRun(
    _ graph: Graph, _ inputs: [Tensor], _ tolerances: [Tolerance]
  ) throws(WeighbridgeError) -> RunComparison {
    var comparison = RunComparison()
    var (results, byteCount) = ([Int: [Tensor]](), 0)
    _ = try engine.run(graph, inputs: inputs) { result in
      comparison.steps[result.position] = result.fused + [result.position]
      guard byteCount < Self.memoryLimit else { return }
      let outputs = result.outputs
      byteCount += outputs.reduce(0) { $0 + $1.byteCount }
      results[result.position] = outputs
    }
    _ = try reference.run(graph, inputs: inputs) { result in
      guard comparison.divergence == nil,
        let got = results.removeValue(forKey: result.position)
      else { return }
      let place = result.node.source.place(result.position)
      for (id, (got, want)) in zip(result.node.outputs, zip(got, result.outputs)) {
        let difference = TensorDifference(got: got, want: want)
        guard difference.isWithin(tolerances[id.index]) else {
          comparison.divergence = divergence(difference, tolerances[id.index], place)
          return
        }
        if difference.error > comparison.worst?.difference.error ?? -1 {
          comparison.worst = (difference, place)
        }
      }
    }
    return comparison
  }

  private func divergence(
    _ difference: TensorDifference, _ tolerance: Tolerance, _ place: String
  ) -> CheckResult {
    CheckResult(
      name, .failed,
      "\(engine.name) and \(reference.name) diverge here: \(difference.words(tolerance))",
      layer: place, difference: difference)
  }

  /// The first step that makes something else of what it gets in the engine's run than the reference
  /// makes of the same, if there is one.
  private func compareSteps(
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
    var wrong: CheckResult?
    _ = try engine.run(graph, inputs: inputs) { (result) throws(WeighbridgeError) in
      guard wrong == nil, let positions = steps[result.position] else { return }
      let made = result.outputs
      let part = try graph.part(positions, types: types)
      let wanted = try reference.run(part.graph, inputs: part.inputs.compactMap { tensors[$0] }) {
        _ in
      }
      for (id, (got, want)) in zip(result.node.outputs, zip(made, wanted)) {
        tensors[id] = got
        let difference = TensorDifference(got: got, want: want)
        guard wrong == nil, !difference.isWithin(tolerances[id.index]) else { continue }
        wrong = divergence(
          difference, tolerances[id.index], result.node.source.place(result.position))
      }
      for id in positions.flatMap({ graph.nodes[$0].inputs })
      where lastReaders[id] == result.position {
        tensors[id] = nil
      }
    }
    return wrong
  }

  /// Of what the engine makes, so much is kept for the comparison of runs: 2 GiB. What comes later is
  /// not compared.
  private static let memoryLimit = 2 << 30

  /// How far each value may be off: as far as the least exact operator on the way to it, and no less
  /// than rounding takes it.
  private func allowed(_ graph: Graph) -> [Tolerance] {
    let precisions = graph.precisions
    var result = graph.values.indices.map { index in
      Tolerance.standard(for: precisions[index] ?? .float32)
    }
    for node in graph.nodes {
      let own = tolerances(node.operation).map { [$0] } ?? []
      for id in node.outputs {
        let all = own + node.inputs.map { result[$0.index] } + [result[id.index]]
        result[id.index] = Tolerance(
          absolute: all.map(\.absolute).max() ?? 0, relative: all.map(\.relative).max() ?? 0)
      }
    }
    return result
  }
}
