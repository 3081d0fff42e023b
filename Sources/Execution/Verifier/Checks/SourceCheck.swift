package import Bytes
package import GraphIR

/// The model has the source's graph and exactly its weights.
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
    for (name, tensor) in original.weights {
      if let problem = Self.difference(weights[name], tensor) {
        results.append(CheckResult(self.name, .failed, "\(name): \(problem)"))
      }
    }
    let surplus = Set(weights.keys).subtracting(original.weights.map(\.name)).sorted()
    results += surplus.map { CheckResult(name, .failed, "the source has no weight \($0)") }
    guard results.isEmpty else { return results }
    return [
      CheckResult(
        name, .passed,
        "\(weights.count) tensors are equal to the source's bit for bit, and so are "
          + "\(graph.nodes.count) nodes")
    ]
  }

  /// The graphs compute the same: the same operators on the same values, in the same order.
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
