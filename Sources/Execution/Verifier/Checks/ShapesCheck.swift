package import Bytes
import GraphIR

/// Checks that the shapes inferred from the graph are those that the file states, and that every
/// weight fits its layer.
package struct ShapesCheck: VerificationCheck {
  package let name = "shapes"

  /// Creates the check.
  package init() {}

  package func run(_ subject: VerificationSubject) throws(WeighbridgeError) -> [CheckResult] {
    let graph = subject.content.graph
    let inferred = try graph.inferredTypes()
    let stored = subject.storedTypes ?? graph.values.map(\.type)
    var results: [CheckResult] = []
    for (position, node) in graph.nodes.enumerated() {
      for id in node.outputs where inferred[id.index] != stored[id.index] {
        results.append(
          CheckResult(
            name, .failed,
            "the file states \(stored[id.index]) for \(graph[id].name), and it is "
              + "\(inferred[id.index])", layer: node.source.place(position)))
      }
    }
    guard results.isEmpty else { return results }
    let weights = graph.weights.count
    return [
      CheckResult(
        name, .passed,
        "\(graph.nodes.count) nodes and \(weights) weights fit each other and what the file states")
    ]
  }
}
