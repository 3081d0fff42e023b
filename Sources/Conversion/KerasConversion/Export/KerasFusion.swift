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
  /// The positions of the embeddings that make masks in TensorFlow.js, and of the comparisons of
  /// their indices with 0.
  private var indexMasks: Set<Int> = []
  /// Whether steps are masked.
  private(set) var hasMasks = false

  init(_ graph: Graph, _ format: KerasOutputFormat) {
    let layerNames = graph.layerNodes
    names = graph.nodes.enumerated().map { position, node in
      layerNames[position] ?? (node.source.role.isEmpty ? node.source.callName : node.name)
    }
    let (producers, useCounts) = (graph.producers, graph.useCounts)
    findMasks(graph, producers, format)
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

  /// Finds the masks, and those that layers of TensorFlow.js make and pass on by themselves.
  private mutating func findMasks(
    _ graph: Graph, _ producers: [ValueID: Int], _ format: KerasOutputFormat
  ) {
    hasMasks = graph.nodes.contains { $0.operation is Masking }
    var indices: Set<ValueID> = []
    for node in graph.nodes {
      guard let operation = node.operation as? any RecurrentOperator,
        operation.recurrence.mask != .none
      else { continue }
      hasMasks = true
      guard format == .tensorFlowJS, let producer = producers[node.inputs[1]],
        let comparison = graph.nodes[producer].operation as? Comparison,
        comparison.relation == .notEqual,
        let zero = graph[graph.nodes[producer].inputs[1]].constant,
        zero.doubles.allSatisfy({ $0 == 0 })
      else { continue }
      indexMasks.insert(producer)
      indices.insert(graph.nodes[producer].inputs[0])
    }
    for (position, node) in graph.nodes.enumerated()
    where node.operation is Embedding && indices.contains(node.inputs[0]) {
      indexMasks.insert(position)
    }
  }

  /// Whether a node is an embedding whose indices make a mask in TensorFlow.js, or makes that mask.
  func masksIndices(_ position: Int) -> Bool { indexMasks.contains(position) }

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
