package import Bytes
package import GraphIR

/// Checks that the model has the source's graph and exactly its weights. The weights of a compacted
/// model may differ by as much as its compaction record says.
package struct SourceCheck: VerificationCheck {
  package let name = "source"
  private let source: ModelContent

  /// - Parameter source: The source, imported again.
  package init(source: ModelContent) { self.source = source }

  package func run(_ subject: VerificationSubject) throws(WeighbridgeError) -> [CheckResult] {
    let (graph, original) = (subject.content.graph, source.graph)
    var results = compareNodes(graph, original)
    let weights = Dictionary(
      graph.weights.map { ($0.name, $0.tensor) }, uniquingKeysWith: { first, _ in first })
    let recordedErrors = subject.content.compaction?.weightErrors ?? [:]
    var lossy: [CheckResult] = []
    for (name, tensor) in original.weights {
      if let error = recordedErrors[name], let weight = weights[name], weight.type == tensor.type {
        lossy.append(compare(name, weight, tensor, recorded: error))
      } else if let problem = Self.difference(weights[name], tensor) {
        results.append(CheckResult(self.name, .failed, "\(name): \(problem)"))
      }
    }
    let surplus = Set(weights.keys).subtracting(original.weights.map(\.name)).sorted()
    results += surplus.map { CheckResult(name, .failed, "the source has no weight \($0)") }
    guard results.isEmpty else { return results + lossy }
    let others = lossy.isEmpty ? "" : "other "
    return lossy + [
      CheckResult(
        name, .passed,
        "\(weights.count - lossy.count) \(others)tensors are equal to the source's bit for bit, "
          + "and so are \(graph.nodes.count) nodes")
    ]
  }

  /// Compares a weight that was stored with a loss with the source's.
  private func compare(
    _ name: String, _ tensor: Tensor, _ original: Tensor, recorded: Double
  ) -> CheckResult {
    let difference = TensorDifference(actual: tensor, expected: original)
    // The record is in double precision; sums may be accumulated in another order.
    let isAsRecorded =
      difference.nonFiniteMismatches == 0
      && (difference.relativeL2 - recorded).magnitude <= 1e-6 * max(recorded, 1e-9)
    return CheckResult(
      self.name, isAsRecorded ? .passed : .failed,
      "\(name): is off by \(difference.relativeL2.scientific) of its norm, "
        + "\(difference.worstDescription) at worst"
        + (isAsRecorded ? ", as recorded" : "; \(recorded.scientific) is recorded"),
      difference: difference)
  }

  /// Checks that the graphs compute the same: the same operators on the same values, in the same
  /// order.
  private func compareNodes(_ graph: Graph, _ original: Graph) -> [CheckResult] {
    var results: [CheckResult] = []
    if graph.nodes.count != original.nodes.count {
      results.append(
        CheckResult(
          name, .failed,
          "has \(graph.nodes.count) nodes, and the source \(original.nodes.count)"))
    }
    for (position, pair) in zip(graph.nodes, original.nodes).enumerated() {
      let (node, expected) = pair
      let isEqual =
        node.operation.kind == expected.operation.kind
        && node.operation.attributes == expected.operation.attributes
        && node.operation.subgraphs == expected.operation.subgraphs
        && node.inputs.map { graph[$0].name } == expected.inputs.map { original[$0].name }
      if !isEqual {
        results.append(
          CheckResult(
            name, .failed, "is not what the source computes there: \(expected.operation.kind)",
            layer: node.source.place(position)))
      }
    }
    let values = { (graph: Graph) in
      (graph.inputs + graph.outputs).map { "\(graph[$0.value].name) \(graph[$0.value].type)" }
    }
    if values(graph) != values(original) {
      results.append(
        CheckResult(name, .failed, "the inputs and outputs are not the source's"))
    }
    return results
  }

  private static func difference(_ tensor: Tensor?, _ original: Tensor) -> String? {
    guard let tensor else { return "is missing" }
    guard tensor.type == original.type else {
      return "is \(tensor.type), and the source's is \(original.type)"
    }
    let count = tensor.differingCount(from: original)
    return count == 0 ? nil : "\(count) of \(tensor.count) elements differ from the source's"
  }
}
