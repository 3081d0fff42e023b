import CPURuntime
import GraphIR
import LayerCatalog

/// A value that can be quantized to 8-bit integers or bfloat16 for all layers that support it.
struct QuantizationSite: Sendable {
  let value: ValueID
  /// The layers' names in the graph.
  var nodes: [String] = []
  /// Their weights.
  var weights: Set<ValueID> = []
  /// Sums that add it to a layer's output.
  var sums: [FusedSum] = []

  /// The sites of a graph, in the order in which layers read them. Layers whose weights are not
  /// finite, or all 0, are skipped.
  static func all(in graph: Graph) -> [QuantizationSite] {
    var sites: [QuantizationSite] = []
    let sums = Dictionary(
      FusedSum.all(in: graph).map { ($0.node, $0) }, uniquingKeysWith: { first, _ in first })
    func change(_ value: ValueID, _ body: (inout QuantizationSite) -> Void) {
      if let index = sites.firstIndex(where: { $0.value == value }) { return body(&sites[index]) }
      sites.append(QuantizationSite(value: value))
      body(&sites[sites.count - 1])
    }
    for node in graph.nodes where graph.quantizationProblem(node) == nil {
      if node.operation is Add {
        if let sum = sums[node.name] { change(node.inputs[sum.input]) { $0.sums.append(sum) } }
        continue
      }
      let (value, weight) = (node.inputs[0], node.inputs[1])
      guard graph[weight].constant?.isCompactable == true, graph[value].constant == nil else {
        continue
      }
      change(value) {
        $0.nodes.append(node.name)
        $0.weights.insert(weight)
      }
    }
    return sites
  }
}
