package import Bytes
package import GraphIR

/// The model computes what somebody else computed: outputs, and layers where they are known.
package struct ReferencesCheck: VerificationCheck {
  package let name = "references"
  private let runtime: any Runtime
  private let references: [ReferenceSet]?
  private let tolerance: Tolerance?
  private let checksLayers: Bool

  /// - Parameters:
  ///   - runtime: Computes the model.
  ///   - references: What to compare with; `nil` for what the file holds.
  ///   - tolerance: How far off a tensor may be; `nil` for the standard one of the coarsest type on
  ///     the way to it.
  ///   - checksLayers: Whether layers are compared too, up to the first that diverges.
  package init(
    runtime: any Runtime, references: [ReferenceSet]? = nil, tolerance: Tolerance? = nil,
    checksLayers: Bool = false
  ) {
    self.runtime = runtime
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
    var layers = LayerComparison(graph: graph, wanted: checksLayers ? set.layers : [])
    let outputs = try runtime.run(graph, inputs: set.inputs.map(\.tensor)) { result in
      layers.compare(result, tolerance: tolerance)
    }
    var results: [CheckResult] = []
    if checksLayers { results.append(layers.result) }
    let precisions = graph.precisions
    for (index, port) in graph.outputs.enumerated() where index < set.outputs.count {
      let tolerance =
        tolerance ?? .standard(for: precisions[port.value.index] ?? outputs[index].elementType)
      results.append(compare(set.outputs[index], outputs[index], tolerance, author: set.author))
    }
    return results
  }

  private func compare(
    _ entry: ReferenceSet.Entry, _ output: Tensor, _ tolerance: Tolerance, author: String
  ) -> CheckResult {
    guard output.shape == entry.tensor.shape else {
      return CheckResult(
        name, .failed,
        "\(entry.name) has the shape \(output.shape), and the reference \(entry.tensor.shape)")
    }
    let difference = TensorDifference(got: output, want: entry.tensor)
    let source = author.isEmpty ? "the reference" : author
    return CheckResult(
      name, difference.isWithin(tolerance) ? .passed : .failed,
      "\(entry.name) against \(source): \(difference.words(tolerance))", difference: difference)
  }
}

/// Compares layer by layer with reference outputs of layers, as they are computed.
private struct LayerComparison {
  private var wanted: [String: Tensor]
  private let lastNodes: [Int: String]
  private let precisions: [ElementType?]
  private let total: Int
  private var compared = 0
  private var divergence: CheckResult?

  init(graph: Graph, wanted: [ReferenceSet.Entry]) {
    self.wanted = Dictionary(
      wanted.map { ($0.name, $0.tensor) }, uniquingKeysWith: { first, _ in first })
    total = wanted.count
    lastNodes = graph.layerNodes
    precisions = wanted.isEmpty ? [] : graph.precisions
  }

  mutating func compare(_ result: NodeResult, tolerance: Tolerance?) {
    guard divergence == nil, let layer = lastNodes[result.position],
      let output = result.outputs.first,
      let want = wanted[layer]
    else { return }
    compared += 1
    let place = result.node.source.place(result.position)
    guard want.shape == output.shape else {
      divergence = CheckResult(
        "layers", .failed, "has the shape \(output.shape), and the reference \(want.shape)",
        layer: place)
      return
    }
    let difference = TensorDifference(got: output, want: want)
    let precision = precisions[result.node.outputs[0].index] ?? output.elementType
    let tolerance = tolerance ?? .standard(for: precision)
    guard !difference.isWithin(tolerance) else { return }
    divergence = CheckResult(
      "layers", .failed, "is the first layer that diverges: \(difference.words(tolerance))",
      layer: place, difference: difference)
  }

  var result: CheckResult {
    if let divergence { return divergence }
    guard total > 0 else {
      return CheckResult("layers", .skipped, "there are no reference outputs of layers")
    }
    guard compared == total else {
      return CheckResult(
        "layers", .failed, "\(total - compared) of \(total) references belong to no layer")
    }
    return CheckResult("layers", .passed, "all \(compared) layers agree with their references")
  }
}
