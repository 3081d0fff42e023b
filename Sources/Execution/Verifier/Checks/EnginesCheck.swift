package import Bytes
package import GraphIR

/// Checks that a fast engine computes what the reference computes, layer by layer.
package struct EnginesCheck: VerificationCheck {
  package let name = "engines"
  let engine: any Runtime
  let reference: any Runtime
  private let inputs: [Tensor]?
  private let operatorTolerance: @Sendable (any Operator) -> Tolerance?
  let operationCount: @Sendable (Node, [TensorType]) -> Int?

  /// - Parameters:
  ///   - engine: The engine to check. It runs as it does in use, so layers that it fuses are
  ///     compared only where the fused step ends.
  ///   - reference: The engine whose results are taken as correct.
  ///   - inputs: The inputs for both; `nil` for the file's reference inputs, or generated ones when
  ///     there are none.
  ///   - tolerances: The tolerance of each operator.
  ///   - operationCount: The number of operations of a node, given the types of all values; `nil`
  ///     if it is very large.
  package init(
    engine: any Runtime, reference: any Runtime, inputs: [Tensor]? = nil,
    tolerances: @escaping @Sendable (any Operator) -> Tolerance?,
    operationCount: @escaping @Sendable (Node, [TensorType]) -> Int?
  ) {
    self.engine = engine
    self.reference = reference
    self.inputs = inputs
    operatorTolerance = tolerances
    self.operationCount = operationCount
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
      return [try compare(graph, try graph.generatedInputs(.random(seed: 0)))]
    } catch {
      // The model may reject generated inputs, whose values are not meaningful to it.
      guard error.code != .cancelled else { throw error }
      return [
        CheckResult(
          name, .skipped,
          "there are no stored inputs, and generated ones cannot be used: \(error)")
      ]
    }
  }

  /// Compares whole runs step by step, and then steps on special numbers. Where whole runs differ,
  /// rounding may have accumulated from step to step; this is decided by comparing each step on its
  /// own inputs, and by the measured effect of rounding.
  private func compare(
    _ graph: Graph, _ inputs: [Tensor]
  ) throws(WeighbridgeError) -> CheckResult {
    let tolerances = valueTolerances(graph)
    let run = try compareRun(graph, inputs, tolerances)
    if let wrong = try compareSpecialNumbers(graph, inputs, run.steps) { return wrong }
    guard let divergence = run.divergence else {
      let worst = run.worst.map { ", by \($0.difference.error.scientific) at most (\($0.layer))" }
      return CheckResult(
        name, .passed,
        "\(engine.name) and \(reference.name) agree in all \(run.steps.count) steps\(worst ?? "")",
        difference: run.worst?.difference)
    }
    if let wrong = try compareSteps(graph, inputs, run.steps, tolerances) { return wrong }
    return try judge(divergence, in: graph, inputs)
  }

  /// Judges a difference between two runs whose steps are each correct by themselves.
  private func judge(
    _ divergence: Divergence, in graph: Graph, _ inputs: [Tensor]
  ) throws(WeighbridgeError) -> CheckResult {
    let discrepancy = divergence.discrepancy
    let sensitivity = try RoundingSensitivity.measure(
      [discrepancy], in: graph, inputs: inputs, by: reference)
    let verdict = sensitivity?[discrepancy]?.judge(discrepancy.difference, "this model")
    var result = divergence.result
    result.status = verdict?.0 == .passed ? .passed : .warning
    if result.status == .warning {
      result.reason +=
        "; each step agrees on the same inputs, so that this is rounding which grows on the way"
    }
    if let explanation = verdict?.1 { result.reason += "; \(explanation)" }
    return result
  }

  /// A node at which two computations differ by more than the tolerance.
  struct Divergence {
    let discrepancy: Discrepancy
    let result: CheckResult
  }

  /// The result of comparing whole runs.
  private struct RunComparison {
    /// All nodes of each step, keyed by the step's last node.
    var steps: [Int: [Int]] = [:]
    /// The first step that is out of tolerance.
    var divergence: Divergence?
    /// The largest difference before the divergence.
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
        let outputs = results.removeValue(forKey: result.position)
      else { return }
      for (index, (actual, expected)) in zip(outputs, result.outputs).enumerated() {
        let id = result.node.outputs[index]
        let difference = TensorDifference(actual: actual, expected: expected)
        guard difference.isWithin(tolerances[id.index]) else {
          comparison.divergence = divergence(difference, tolerances[id.index], result, index)
          return
        }
        if difference.error > comparison.worst?.difference.error ?? -1 {
          comparison.worst = (difference, result.node.source.place(result.position))
        }
      }
    }
    return comparison
  }

  func divergence(
    _ difference: TensorDifference, _ tolerance: Tolerance, _ result: NodeResult, _ output: Int
  ) -> Divergence {
    Divergence(
      discrepancy: Discrepancy(
        position: result.position, output: output, difference: difference),
      result: CheckResult(
        name, .failed,
        "\(engine.name) and \(reference.name) diverge here: \(difference.description(tolerance))",
        layer: result.node.source.place(result.position), difference: difference))
  }

  /// The most bytes of the engine's results that are kept for comparing runs; later results are not
  /// compared.
  private static let memoryLimit = 2 << 30

  /// Returns the tolerance of each value: the widest among the operators that it is computed by,
  /// and at least the standard one of its type.
  private func valueTolerances(_ graph: Graph) -> [Tolerance] {
    let precisions = graph.precisions
    var result = graph.values.indices.map { index in
      Tolerance.standard(for: precisions[index] ?? .float32)
    }
    for node in graph.nodes {
      let own = operatorTolerance(node.operation).map { [$0] } ?? []
      for id in node.outputs {
        let all = own + node.inputs.map { result[$0.index] } + [result[id.index]]
        result[id.index] = Tolerance(
          absolute: all.map(\.absolute).max() ?? 0, relative: all.map(\.relative).max() ?? 0)
      }
    }
    return result
  }
}
