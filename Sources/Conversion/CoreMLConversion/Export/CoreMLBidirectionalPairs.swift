import ConversionCore
import GraphIR
import LayerCatalog

/// Pairs of LSTMs that process one sequence in both directions and whose outputs are concatenated:
/// one layer in Core ML, as in Keras' `Bidirectional`.
enum CoreMLBidirectionalPairs {
  /// Finds the pairs, and absorbs each into the node that concatenates its outputs.
  static func groups(_ graph: Graph) -> ExportGroups {
    var groups = ExportGroups()
    let (producers, uses) = (graph.producers, graph.useCounts)
    for (position, node) in graph.nodes.enumerated() {
      guard let operation = node.operation as? Concatenate, node.inputs.count == 2,
        operation.axis == graph[node.inputs[0]].type.rank - 1
      else { continue }
      let positions = node.inputs.compactMap { producers[$0] }
      let nodes = positions.map { graph.nodes[$0] }
      let isUsedOnlyHere = nodes.allSatisfy { node in
        uses[node.outputs[0]] == 1 && node.outputs.dropFirst().allSatisfy { uses[$0] == nil }
      }
      guard isUsedOnlyHere, zip(nodes, node.inputs).allSatisfy({ $0.outputs[0] == $1 }),
        CoreMLRecurrent.isPair(nodes, graph)
      else { continue }
      groups.absorb(positions, into: position)
    }
    return groups
  }
}
