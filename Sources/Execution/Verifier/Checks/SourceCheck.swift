package import Bytes
package import GraphIR

/// Checks that the model has the source's graph and exactly its weights. The weights of a compacted
/// model may differ by as much as its compaction record says.
package struct SourceCheck: VerificationCheck {
  package let name = "source"
  private let source: ModelContent

  /// - Parameter source: The source, imported anew.
  package init(source: ModelContent) { self.source = source }

  package func run(_ subject: VerificationSubject) throws(WeighbridgeError) -> [CheckResult] {
    let (graph, original) = (subject.content.graph, source.graph)
    var results = compareNodes(graph, original)
    let weights = Dictionary(
      graph.weights.map { ($0.name, $0.tensor) }, uniquingKeysWith: { first, _ in first })
    let losses = Dictionary(
      (subject.content.compaction?.weights ?? []).map { ($0.weight, $0.error) },
      uniquingKeysWith: { first, _ in first })
    var distances: [CheckResult] = []
    for (name, tensor) in original.weights {
      if let loss = losses[name], let own = weights[name], own.type == tensor.type {
        distances.append(compare(name, own, tensor, recorded: loss))
      } else if let problem = Self.difference(weights[name], tensor) {
        results.append(CheckResult(self.name, .failed, "\(name): \(problem)"))
      }
    }
    let surplus = Set(weights.keys).subtracting(original.weights.map(\.name)).sorted()
    results += surplus.map { CheckResult(name, .failed, "the source has no weight \($0)") }
    guard results.isEmpty else { return results + distances }
    let others = distances.isEmpty ? "" : "other "
    return distances + [
      CheckResult(
        name, .passed,
        "\(weights.count - distances.count) \(others)tensors are equal to the source's bit for bit, "
          + "and so are \(graph.nodes.count) nodes")
    ]
  }

  /// How far a weight that was stored at a loss is from the source's.
  private func compare(
    _ name: String, _ tensor: Tensor, _ original: Tensor, recorded: Double
  ) -> CheckResult {
    let difference = TensorDifference(got: tensor, want: original)
    // The record is in double precision; sums may be accumulated in another order.
    let isAsRecorded =
      difference.nonFiniteMismatches == 0
      && (difference.relativeL2 - recorded).magnitude <= 1e-6 * max(recorded, 1e-9)
    return CheckResult(
      self.name, isAsRecorded ? .passed : .failed,
      "\(name): is off by \(difference.relativeL2.short) of its norm, \(difference.worstInWords) at "
        + "worst" + (isAsRecorded ? ", as recorded" : "; \(recorded.short) is recorded"),
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
      let (node, wanted) = pair
      let isEqual =
        node.operation.kind == wanted.operation.kind
        && node.operation.attributes == wanted.operation.attributes
        && node.inputs.map { graph[$0].name } == wanted.inputs.map { original[$0].name }
      if !isEqual {
        results.append(
          CheckResult(
            name, .failed, "is not what the source computes there: \(wanted.operation.kind)",
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
    let (bytes, wanted) = (tensor.contiguousBytes(), original.contiguousBytes())
    guard bytes != wanted else { return nil }
    let size = tensor.elementType.byteCount
    let differing = stride(from: 0, to: bytes.count, by: size).count {
      bytes[$0..<$0 + size] != wanted[$0..<$0 + size]
    }
    return "\(differing) of \(tensor.count) elements differ from the source's"
  }
}
