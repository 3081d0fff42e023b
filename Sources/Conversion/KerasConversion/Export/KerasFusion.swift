import ConversionCore
import GraphIR
import KerasFormat
import LayerCatalog

/// Determines which activations become settings of the layers before them, as in the source, and
/// the names of layers.
struct KerasFusion: Sendable {
  /// The layers that absorb the activation after them.
  private(set) var groups = ExportGroups()
  /// The names of layers, by the positions of the nodes that they are written for.
  private var names: [String]
  /// The activations, by the positions of their nodes.
  private var activations: [Int: String] = [:]

  init(_ graph: Graph, _ format: KerasOutputFormat) {
    let layerNames = graph.layerNodes
    names = graph.nodes.enumerated().map { position, node in
      layerNames[position] ?? (node.source.role.isEmpty ? node.source.callName : node.name)
    }
    let (producers, useCounts) = (graph.producers, graph.useCounts)
    for (position, node) in graph.nodes.enumerated() {
      guard node.inputs.count == 1, useCounts[node.inputs[0]] == 1,
        let producer = producers[node.inputs[0]],
        Self.isSame(graph.nodes[producer].source, node.source),
        Self.takesActivation(graph.nodes[producer].operation),
        let operation = node.operation as? any CatalogOperator,
        let name = format.activationName(operation, rank: graph[node.inputs[0]].type.rank)
      else { continue }
      activations[position] = name
      groups.absorb([producer], into: position)
      names[position] = layerNames[position] ?? names[producer]
    }
  }

  private static func isSame(_ lhs: SourceScope, _ rhs: SourceScope) -> Bool {
    lhs.layer == rhs.layer && lhs.call == rhs.call
  }

  /// Whether Keras' layer for an operator has a setting `activation`.
  private static func takesActivation(_ operation: any Operator) -> Bool {
    operation is Convolution || operation is Dense || operation is EinsumDense
      || operation is TransposedConvolution
  }

  /// The activation at a position, which the preceding layer applies.
  func activation(of position: Int) -> String { activations[position] ?? "linear" }

  /// The name of a node's layer: that of the source's layer, for its last node or the one with its
  /// weights.
  func name(of position: Int) -> String { names[position] }
}
