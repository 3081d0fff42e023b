import ConversionCore
import GraphIR
import LayerCatalog

/// Long short-term memories that walk over one sequence both ways and whose outputs are put together:
/// one layer of Core ML, as Keras' `Bidirectional` is one layer.
enum CoreMLBidirectionalLSTMs {
  /// The pairs, each taken into the node that puts its outputs together.
  static func groups(_ graph: Graph) -> ExportGroups {
    var groups = ExportGroups()
    let (makers, uses) = (graph.makers, graph.useCounts)
    for (position, node) in graph.nodes.enumerated() {
      guard let operation = node.operation as? Concatenate, node.inputs.count == 2,
        operation.axis == graph[node.inputs[0]].type.rank - 1
      else { continue }
      let positions = node.inputs.compactMap { makers[$0] }
      let nodes = positions.map { graph.nodes[$0] }
      let isAlone = nodes.allSatisfy { node in
        uses[node.outputs[0]] == 1 && node.outputs.dropFirst().allSatisfy { uses[$0] == nil }
      }
      guard isAlone, zip(nodes, node.inputs).allSatisfy({ $0.outputs[0] == $1 }),
        isPair(nodes, graph)
      else { continue }
      groups.absorb(positions, into: position)
    }
    return groups
  }

  /// Whether Core ML has a layer for two nodes.
  private static func isPair(_ nodes: [Node], _ graph: Graph) -> Bool {
    let operations = nodes.compactMap { $0.operation as? LSTM }
    guard operations.count == 2, nodes[0].inputs[0] == nodes[1].inputs[0] else { return false }
    let recurrences = operations.map(\.recurrence)
    let shapes = nodes.map { graph[$0.inputs[2]].type.shape }
    return recurrences.map(\.isReversed) == [false, true] && shapes[0] == shapes[1]
      && recurrences[0].returnsSequences == recurrences[1].returnsSequences
      && recurrences.allSatisfy({ $0.mask == .none && !$0.hasInitialStates })
      && (operations[0].bias == .none) == (operations[1].bias == .none)
      && operations.allSatisfy(RecurrentLayer.isKnown)
  }
}

extension RecurrentLayer {
  /// Whether Core ML's memories have the activations of one.
  static func isKnown(_ operation: LSTM) -> Bool {
    [operation.activation, operation.recurrentActivation].allSatisfy { record($0) != nil }
  }
}
