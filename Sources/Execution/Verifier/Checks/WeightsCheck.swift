package import Bytes
import GraphIR
import LayerCatalog

/// Checks that the weights have plausible values for a trained model.
///
/// NaN, infinities and negative variances fail. Kernels with output channels that are all zero are
/// a warning, since pruned models have them. So are infinities in untrained constants that
/// operators take as data, such as the -inf of an attention mask. Constants that the graph only chooses
/// from may be anything.
package struct WeightsCheck: VerificationCheck {
  package let name = "weights"

  /// Creates the check.
  package init() {}

  package func run(_ subject: VerificationSubject) throws(WeighbridgeError) -> [CheckResult] {
    let graph = subject.content.graph
    var visited = graph.choices
    var results: [CheckResult] = []
    for (position, node) in graph.nodes.enumerated() {
      for (slot, id) in node.inputs.enumerated() where visited.insert(id).inserted {
        guard let tensor = graph[id].constant, tensor.elementType.isFloat else { continue }
        for (status, reason) in Self.problems(tensor, node.operation.slot(slot)) {
          results.append(
            CheckResult(
              name, status, "\(graph[id].name): \(reason)", layer: node.source.place(position)))
        }
      }
    }
    if !results.contains(where: { $0.status == .failed }) {
      let count = graph.weights.reduce(0) { $0 + $1.tensor.count }
      let finite = results.contains { $0.reason.hasSuffix(Self.notFinite) } ? "weights" : "of them"
      results.append(CheckResult(name, .passed, "\(count) parameters, all \(finite) finite"))
    }
    return results
  }

  private static let notFinite = "elements are NaN or infinite"

  private static func problems(
    _ tensor: Tensor, _ slot: InputSlot?
  ) -> [(CheckResult.Status, String)] {
    let role = slot?.name ?? ""
    var result: [(CheckResult.Status, String)] = []
    var nonFinite = 0
    tensor.withPieces { nonFinite += $0.nonFiniteCount(tensor.elementType) }
    if nonFinite > 0 {
      var status = CheckResult.Status.failed
      if !tensor.doubles.contains(where: \.isNaN) {
        switch slot {
        case .data, .indices, .variadic: status = .warning
        case .weight, nil: break
        }
      }
      result.append((status, "\(nonFinite) of \(tensor.count) \(notFinite)"))
    }
    if role == "variance" {
      let negative = tensor.doubles.count { $0 < 0 }
      if negative > 0 { result.append((.failed, "\(negative) variances are negative")) }
    }
    if role == "kernel", let channels = tensor.shape.first, channels > 0 {
      let dead = (0..<channels).count { channel in
        let kernel = tensor.slice(channel..<channel + 1, along: 0)
        // Few start with a zero, so that few are read in whole.
        return kernel.count == 0
          || kernel.first.doubles == [0] && kernel.doubles.allSatisfy { $0 == 0 }
      }
      if dead > 0 {
        result.append((.warning, "\(dead) of \(channels) output channels are all zero"))
      }
    }
    return result
  }
}
