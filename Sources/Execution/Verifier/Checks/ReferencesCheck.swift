package import Bytes
package import GraphIR

/// Checks that the model reproduces reference outputs, and layers' outputs where they are known.
package struct ReferencesCheck: VerificationCheck {
  package let name = "references"
  private let runtime: any Runtime
  private let referenceRuntime: any Runtime
  private let references: [ReferenceSet]?
  private let tolerance: Tolerance?
  private let checksLayers: Bool

  /// - Parameters:
  ///   - runtime: The engine that computes the model.
  ///   - referenceRuntime: The engine that measures the effect of rounding where something
  ///     diverges.
  ///   - references: The reference sets to compare with; `nil` for those in the file.
  ///   - tolerance: The tolerance of every tensor; `nil` for that of each set. Where a set has the
  ///     standard tolerance, differences that rounding explains pass too.
  ///   - checksLayers: Whether layers are compared too.
  package init(
    runtime: any Runtime, referenceRuntime: any Runtime, references: [ReferenceSet]? = nil,
    tolerance: Tolerance? = nil, checksLayers: Bool = false
  ) {
    self.runtime = runtime
    self.referenceRuntime = referenceRuntime
    self.references = references
    self.tolerance = tolerance
    self.checksLayers = checksLayers
  }

  package func run(_ subject: VerificationSubject) throws(WeighbridgeError) -> [CheckResult] {
    let sets = references ?? subject.content.references
    guard !sets.isEmpty else {
      return [CheckResult(name, .skipped, "the file holds no reference inputs and outputs")]
    }
    if let (position, node) = subject.content.graph.opaqueNodes.first {
      return [
        CheckResult(
          name, .skipped, "the model cannot run: this layer is kept as it is",
          layer: node.source.place(position))
      ]
    }
    var results: [CheckResult] = []
    for set in sets { results += try run(subject.content.graph, set) }
    return results
  }

  private func run(
    _ graph: Graph, _ set: ReferenceSet
  ) throws(WeighbridgeError) -> [CheckResult] {
    var layers = LayerComparison(graph: graph, references: checksLayers ? set.layers : [])
    let setTolerance = tolerance ?? set.tolerance
    let inputs = try set.inputs(of: graph)
    let outputs = try runtime.run(graph, inputs: inputs) { result in
      layers.compare(result, tolerance: setTolerance)
    }
    var results: [CheckResult] = []
    var ports: [Port] = []
    for (port, output) in zip(graph.outputs, outputs) {
      guard let entry = set.outputs.first(where: { $0.name == port.name }) else { continue }
      ports.append(port)
      results.append(compare(entry, output, setTolerance, author: set.author))
    }
    if tolerance == nil, set.toleranceSource == .standard {
      try judge(&results, ports, &layers, graph, inputs)
    }
    let names = graph.outputs.map(\.name)
    for entry in set.outputs where !names.contains(entry.name) {
      results.append(CheckResult(name, .failed, "the model has no output \(entry.name)"))
    }
    return (checksLayers ? [layers.result] : []) + results
  }

  /// Judges the divergences by the effect of rounding.
  private func judge(
    _ results: inout [CheckResult], _ ports: [Port], _ layers: inout LayerComparison,
    _ graph: Graph, _ inputs: [Tensor]
  ) throws(WeighbridgeError) {
    let producers = graph.producedOutputs
    let outputs = zip(results, ports).map { result, port in
      producers[port.value].flatMap { result.discrepancy(at: $0.position, output: $0.output) }
    }
    let all = outputs.compactMap { $0 } + layers.discrepancies.compactMap { $0 }
    guard
      let sensitivity = try RoundingSensitivity.measure(
        all, in: graph, inputs: inputs, by: referenceRuntime)
    else { return }
    for (index, discrepancy) in outputs.enumerated() {
      if let discrepancy { results[index].judge(discrepancy, sensitivity) }
    }
    layers.judge(sensitivity)
  }

  private func compare(
    _ entry: ReferenceSet.Entry, _ output: Tensor, _ tolerance: Tolerance, author: String
  ) -> CheckResult {
    guard output.shape == entry.tensor.shape else {
      return CheckResult(
        name, .failed,
        "\(entry.name) has the shape \(output.shape), and the reference \(entry.tensor.shape)")
    }
    let difference = TensorDifference(actual: output, expected: entry.tensor)
    let source = author.isEmpty ? "the reference" : author
    return CheckResult(
      name, difference.isWithin(tolerance) ? .passed : .failed,
      "\(entry.name) against \(source): \(difference.description(tolerance))",
      difference: difference)
  }
}

extension CheckResult {
  /// Returns the discrepancy of a failed comparison that rounding might explain.
  func discrepancy(at position: Int, output: Int) -> Discrepancy? {
    guard status == .failed, let difference, difference.nonFiniteMismatches == 0 else { return nil }
    return Discrepancy(position: position, output: output, difference: difference)
  }

  /// Judges a failed comparison by the effect of rounding.
  mutating func judge(
    _ discrepancy: Discrepancy, _ sensitivity: RoundingSensitivity
  ) {
    guard let effect = sensitivity[discrepancy] else { return }
    let (verdict, explanation) = effect.judge(discrepancy.difference, "this model")
    status = verdict
    reason += "; \(explanation)"
  }
}

extension ReferenceSet {
  /// Returns the arrays of a graph's inputs, in their order.
  fileprivate func inputs(of graph: Graph) throws(WeighbridgeError) -> [Tensor] {
    var tensors: [Tensor] = []
    for port in graph.inputs {
      guard let entry = inputs.first(where: { $0.name == port.name }) else {
        throw .mismatch("the references have no array for the input \(port.name)")
      }
      tensors.append(entry.tensor)
    }
    return tensors
  }
}

extension Graph {
  /// For each value, the position of the node that computes it and the index of the output.
  fileprivate var producedOutputs: [ValueID: (position: Int, output: Int)] {
    var producers: [ValueID: (position: Int, output: Int)] = [:]
    for (position, node) in nodes.enumerated() {
      for (output, id) in node.outputs.enumerated() { producers[id] = (position, output) }
    }
    return producers
  }
}
