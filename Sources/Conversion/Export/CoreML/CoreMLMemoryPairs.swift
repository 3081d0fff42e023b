import GraphIR
import LayerCatalog

/// Long short-term memories that walk over one sequence both ways and whose outputs are put together:
/// one layer of Core ML, as Keras' `Bidirectional` is one layer.
struct CoreMLMemoryPairs {
  /// A forward memory and a backward one.
  struct Pair {
    let nodes: [Node]
    let operations: [LSTM]
  }

  /// The pairs by the positions of the nodes that put their outputs together.
  private var pairs: [Int: Pair] = [:]
  private var members: Set<Int> = []

  init(_ graph: Graph) {
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
        let pair = Self.pair(nodes, graph)
      else { continue }
      pairs[position] = pair
      members.formUnion(positions)
    }
  }

  /// The pair that two nodes are; `nil` where Core ML has no layer for them.
  private static func pair(_ nodes: [Node], _ graph: Graph) -> Pair? {
    let operations = nodes.compactMap { $0.operation as? LSTM }
    guard operations.count == 2, nodes[0].inputs[0] == nodes[1].inputs[0] else { return nil }
    let recurrences = operations.map(\.recurrence)
    let shapes = nodes.map { graph[$0.inputs[2]].type.shape }
    guard recurrences.map(\.isReversed) == [false, true], shapes[0] == shapes[1],
      recurrences[0].returnsSequence == recurrences[1].returnsSequence,
      recurrences.allSatisfy({ $0.mask == .none && !$0.hasInitialStates }),
      (operations[0].bias == .none) == (operations[1].bias == .none),
      operations.allSatisfy(RecurrentLayer.isKnown)
    else { return nil }
    return Pair(nodes: nodes, operations: operations)
  }

  /// Whether a node is one of a pair, which is written later.
  func isMember(_ position: Int) -> Bool { members.contains(position) }

  /// The pair whose outputs a node puts together.
  func pair(at position: Int) -> Pair? { pairs[position] }
}

extension RecurrentLayer {
  /// Whether Core ML's memories have the activations of one.
  static func isKnown(_ operation: LSTM) -> Bool {
    [operation.activation, operation.recurrentActivation].allSatisfy { record($0) != nil }
  }
}
