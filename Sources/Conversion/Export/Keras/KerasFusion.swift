import GraphIR
import LayerCatalog

/// Which activations become settings of the layers that they belong to in the source, and what
/// layers are called.
struct KerasFusion {
  private let graph: Graph
  /// The nodes that the source's layers end with, and their names.
  private let names: [Int: String]
  /// The activations, by the positions of the nodes that they follow.
  private var activations: [Int: (name: String, position: Int)] = [:]
  private var fused: Set<Int> = []

  init(_ graph: Graph, _ draft: KerasDraft) {
    self.graph = graph
    names = graph.layerNodes
    let (makers, uses) = (graph.makers, graph.useCounts)
    for (position, node) in graph.nodes.enumerated() {
      guard node.inputs.count == 1, uses[node.inputs[0]] == 1, let maker = makers[node.inputs[0]],
        Self.isSame(graph.nodes[maker].source, node.source),
        Self.takesActivation(graph.nodes[maker].operation),
        let operation = node.operation as? any CatalogOperator,
        let name = draft.activationName(operation, rank: graph[node.inputs[0]].type.rank)
      else { continue }
      activations[maker] = (name, position)
      fused.insert(position)
    }
  }

  private static func isSame(_ first: SourceScope, _ second: SourceScope) -> Bool {
    first.layer == second.layer && first.call == second.call
  }

  /// Whether Keras' layer for an operator has a setting `activation`.
  private static func takesActivation(_ operation: any Operator) -> Bool {
    operation is Convolution || operation is Dense || operation is EinsumDense
      || operation is TransposedConvolution
  }

  /// Whether a node is done by the layer before it.
  func isFused(_ position: Int) -> Bool { fused.contains(position) }

  /// The activation that a node's layer does too.
  func activation(of position: Int) -> String { activations[position]?.name ?? "linear" }

  /// What a node's layer is called: as in the source, for the one that the source's layer ends with
  /// or that has its weights.
  func name(of position: Int) -> String {
    let node = graph.nodes[position]
    return names[activations[position]?.position ?? position]
      ?? (node.source.role.isEmpty ? node.source.callName : node.name)
  }
}
