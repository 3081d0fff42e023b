import Bytes
import ConversionCore
import GraphIR
import LayerCatalog
import ONNXFormat

/// Sorts the nodes of a graph topologically: unchanged where that is possible, otherwise each node
/// after those that produce its inputs.
struct ONNXOrder {
  private let nodes: [ONNXNode]
  /// For each node, the positions of those that it must wait for.
  private let sources: [[Int]]

  private init(_ nodes: [ONNXNode]) {
    self.nodes = nodes
    let makers = Dictionary(
      nodes.enumerated().flatMap { position, node in
        node.outputs.filter { !$0.isEmpty }.map { ($0, position) }
      },
      uniquingKeysWith: { first, _ in first })
    sources = nodes.map { node in Set(node.reads.compactMap { makers[$0] }).sorted() }
  }

  /// Returns a graph, and the bodies in it, with the nodes in order.
  ///
  /// - Returns: The graph, and how many of its nodes came before one whose output they read.
  /// - Throws: ``WeighbridgeError/Code/malformed`` with the nodes that form a cycle.
  static func sorted(
    _ original: ONNXGraph
  ) throws(WeighbridgeError) -> (graph: ONNXGraph, earlyCount: Int) {
    var graph = original
    let order = Self(original.nodes)
    let positions = try order.positions()
    graph.nodes = []
    for position in positions { graph.nodes.append(try bodiesSorted(original.nodes[position])) }
    let early = order.sources.enumerated().count { position, sources in
      sources.contains { $0 > position }
    }
    return (graph, early)
  }

  private static func bodiesSorted(_ original: ONNXNode) throws(WeighbridgeError) -> ONNXNode {
    var node = original
    for (index, attribute) in original.attributes.enumerated() {
      guard case .graph(let body) = attribute.value else { continue }
      node.attributes[index].value = .graph(try sorted(body).graph)
    }
    return node
  }

  /// All positions, each after those that it must wait for.
  private func positions() throws(WeighbridgeError) -> [Int] {
    var order: [Int] = []
    var isPlaced = [Bool](repeating: false, count: nodes.count)
    var isWaiting = isPlaced
    /// The waiting nodes, each waiting for the next one, and how many sources each has examined.
    var path: [(position: Int, looked: Int)] = []
    for start in nodes.indices where !isPlaced[start] {
      path.append((start, 0))
      isWaiting[start] = true
      while let (position, looked) = path.last {
        guard looked < sources[position].count else {
          path.removeLast()
          isWaiting[position] = false
          isPlaced[position] = true
          order.append(position)
          continue
        }
        path[path.count - 1].looked += 1
        let source = sources[position][looked]
        if isWaiting[source] { throw cycle(path.map(\.position), source) }
        if !isPlaced[source] {
          isWaiting[source] = true
          path.append((source, 0))
        }
      }
    }
    return order
  }

  /// - Parameters:
  ///   - path: Waiting nodes, each waiting for the next one.
  ///   - source: The node among them that the last one waits for.
  private func cycle(_ path: [Int], _ source: Int) -> WeighbridgeError {
    let names = path.drop { $0 != source }.map { position in
      ONNXImporter.source(nodes[position]).place(position)
    }
    let shown = names.prefix(8).joined(separator: ", which reads from ")
    let rest = names.count > 8 ? ", and so on through \(names.count) nodes" : ""
    return .malformed(
      names.count == 1
        ? "the node \(shown) reads its own output"
        : "the nodes form a cycle, so that none can be computed first: \(shown)\(rest), which reads "
          + "from \(names[0])")
  }
}

extension ONNXNode {
  /// The values that it and its bodies read but do not produce.
  var reads: Set<String> {
    var names = Set(inputs)
    for case (_, .graph(let body)) in attributes { names.formUnion(body.reads) }
    return names
  }
}

extension ONNXGraph {
  fileprivate var reads: Set<String> {
    let read = nodes.reduce(into: Set(outputs.map(\.name))) { $0.formUnion($1.reads) }
    return read.subtracting(
      inputs.map(\.name) + initializers.map(\.name) + nodes.flatMap(\.outputs))
  }
}
