import Bytes
import GraphIR

/// Compares layer by layer with reference outputs of layers, as they are computed.
struct LayerComparison {
  private var wanted: [String: Tensor]
  private let lastNodes: [Int: String]
  private let total: Int
  private var compared = 0
  /// The layers that differ from their references, in their order.
  private var divergences: [(position: Int, result: CheckResult)] = []

  init(graph: Graph, wanted: [ReferenceSet.Entry]) {
    self.wanted = Dictionary(
      wanted.map { ($0.name, $0.tensor) }, uniquingKeysWith: { first, _ in first })
    total = wanted.count
    lastNodes = graph.layerNodes
  }

  mutating func compare(_ result: NodeResult, tolerance: Tolerance) {
    guard let layer = lastNodes[result.position],
      let output = result.outputs.first,
      let want = wanted[layer]
    else { return }
    compared += 1
    guard want.shape == output.shape else {
      diverges(
        result,
        "has the shape \(output.shape), and the reference \(want.shape)")
      return
    }
    let difference = TensorDifference(got: output, want: want)
    guard !difference.isWithin(tolerance) else { return }
    diverges(
      result, "is the first layer that diverges: \(difference.words(tolerance))", difference)
  }

  private mutating func diverges(
    _ result: NodeResult, _ reason: String, _ difference: TensorDifference? = nil
  ) {
    let place = result.node.source.place(result.position)
    divergences.append(
      (
        result.position,
        CheckResult("layers", .failed, reason, layer: place, difference: difference)
      ))
  }

  /// For each divergence, what rounding might explain of it.
  var discrepancies: [Discrepancy?] {
    divergences.map { $0.result.discrepancy(at: $0.position, output: 0) }
  }

  /// Lets pass what rounding explains.
  mutating func judge(_ sensitivity: RoundingSensitivity) {
    for (index, discrepancy) in discrepancies.enumerated() {
      if let discrepancy { divergences[index].result.judge(discrepancy, sensitivity) }
    }
  }

  var result: CheckResult {
    for status in [CheckResult.Status.failed, .warning] {
      if let worst = divergences.first(where: { $0.result.status == status }) {
        return worst.result
      }
    }
    guard total > 0 else {
      return CheckResult("layers", .skipped, "there are no reference outputs of layers")
    }
    guard compared == total else {
      return CheckResult(
        "layers", .failed, "\(total - compared) of \(total) references belong to no layer")
    }
    let explained = divergences.isEmpty ? "" : ", \(divergences.count) as far as rounding explains"
    return CheckResult(
      "layers", .passed, "all \(compared) layers agree with their references\(explained)")
  }
}
