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
        isPair(nodes, graph)
      else { continue }
      groups.absorb(positions, into: position)
    }
    return groups
  }

  /// Whether two nodes are the forward and the backward LSTM of one layer of Core ML.
  private static func isPair(_ nodes: [Node], _ graph: Graph) -> Bool {
    let operations = nodes.compactMap { $0.operation as? LSTM }
    guard operations.count == 2, nodes[0].inputs[0] == nodes[1].inputs[0] else { return false }
    let recurrences = operations.map(\.recurrence)
    let recurrentShapes = nodes.map { graph[$0.inputs[2]].type.shape }
    return recurrences.map(\.isReversed) == [false, true]
      && recurrentShapes[0] == recurrentShapes[1]
      && recurrences[0].returnsSequences == recurrences[1].returnsSequences
      && recurrences.allSatisfy({ $0.mask == .none && !$0.hasInitialStates })
      && (operations[0].bias == .none) == (operations[1].bias == .none)
      && operations.allSatisfy(CoreMLRecurrent.supportsActivations)
  }
}
