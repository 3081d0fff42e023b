import GraphIR

/// Compares layers with their reference outputs as they are computed.
struct LayerComparison {
  private var references: [String: Tensor]
  private let lastNodes: [Int: String]
  private let total: Int
  /// The layers that were compared, in the order of the computation.
  private var layers: [(position: Int, result: CheckResult)] = []
  /// The indices in ``layers`` of those that differ from their references.
  private var divergences: [Int] = []

  init(graph: Graph, references: [ReferenceSet.Entry]) {
    self.references = Dictionary(
      references.map { ($0.name, $0.tensor) }, uniquingKeysWith: { first, _ in first })
    total = references.count
    lastNodes = graph.layerNodes
  }

  mutating func compare(_ result: NodeResult, tolerance: Tolerance) {
    guard let layer = lastNodes[result.position],
      let output = result.outputs.first,
      let reference = references[layer]
    else { return }
    guard reference.shape == output.shape else {
      appendDivergence(
        result,
        "has the shape \(output.shape), and the reference \(reference.shape)")
      return
    }
    let difference = TensorDifference(actual: output, expected: reference)
    guard !difference.isWithin(tolerance) else {
      return append(result, .passed, difference.description(tolerance), difference)
    }
    appendDivergence(result, difference.description(tolerance), difference)
  }

  private mutating func appendDivergence(
    _ result: NodeResult, _ reason: String, _ difference: TensorDifference? = nil
  ) {
    divergences.append(layers.count)
    append(result, .failed, reason, difference)
  }

  private mutating func append(
    _ result: NodeResult, _ status: CheckResult.Status, _ reason: String,
    _ difference: TensorDifference?
  ) {
    let place = result.node.source.place(result.position)
    layers.append(
      (
        result.position,
        CheckResult("layers", status, reason, layer: place, difference: difference)
      ))
  }

  /// For each divergence, the discrepancy that rounding might explain; `nil` where it cannot.
  var discrepancies: [Discrepancy?] {
    divergences.map { layers[$0].result.discrepancy(at: layers[$0].position, output: 0) }
  }

  /// Judges the divergences by the effect of rounding.
  mutating func judge(_ sensitivity: RoundingSensitivity) {
    for (index, discrepancy) in discrepancies.enumerated() {
      if let discrepancy { layers[divergences[index]].result.judge(discrepancy, sensitivity) }
    }
  }

  /// The result of the comparison, with each layer among its parts.
  var result: CheckResult {
    var result = verdict
    result.parts = layers.map(\.result)
    return result
  }

  private var verdict: CheckResult {
    for status in [CheckResult.Status.failed, .warning] {
      guard var worst = layers.first(where: { $0.result.status == status })?.result else {
        continue
      }
      if worst.difference != nil {
        worst.reason = "is the first layer that diverges: \(worst.reason)"
      }
      return worst
    }
    guard total > 0 else {
      return CheckResult("layers", .skipped, "there are no reference outputs of layers")
    }
    guard layers.count == total else {
      return CheckResult(
        "layers", .failed, "\(total - layers.count) of \(total) references belong to no layer")
    }
    let explained = divergences.isEmpty ? "" : ", \(divergences.count) as far as rounding explains"
    return CheckResult(
      "layers", .passed, "all \(layers.count) layers agree with their references\(explained)")
  }
}
