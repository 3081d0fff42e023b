import Bytes
import ConversionCore
import GraphIR
import LayerCatalog
import ONNXFormat

/// A topological order of a graph's nodes: the file's order where that is possible, otherwise each
/// node after those that produce its inputs.
struct ONNXTopologicalOrder {
  private let nodes: [ONNXNode]
  /// For each node, the positions of the nodes that produce its inputs.
  private let dependencies: [[Int]]

  private init(_ nodes: [ONNXNode]) {
    self.nodes = nodes
    let producers = Dictionary(
      nodes.enumerated().flatMap { position, node in
        node.outputs.filter { !$0.isEmpty }.map { ($0, position) }
      },
      uniquingKeysWith: { first, _ in first })
    dependencies = nodes.map { node in Set(node.reads.compactMap { producers[$0] }).sorted() }
  }

  /// Sorts the nodes of a graph, and those of the bodies in it.
  ///
  /// - Returns: The graph, and how many of its nodes came before one whose output they read.
  /// - Throws: ``WeighbridgeError/Code/malformed`` with the nodes that form a cycle.
  static func sorted(
    _ original: ONNXGraph
  ) throws(WeighbridgeError) -> (graph: ONNXGraph, outOfOrderCount: Int) {
    var graph = original
    let order = Self(original.nodes)
    let positions = try order.positions()
    graph.nodes = []
    for position in positions { graph.nodes.append(try withSortedBodies(original.nodes[position])) }
    let outOfOrderCount = order.dependencies.enumerated().count { position, dependencies in
      dependencies.contains { $0 > position }
    }
    return (graph, outOfOrderCount)
  }

  private static func withSortedBodies(_ original: ONNXNode) throws(WeighbridgeError) -> ONNXNode {
    var node = original
    for (index, attribute) in original.attributes.enumerated() {
      guard case .graph(let body) = attribute.value else { continue }
      node.attributes[index].value = .graph(try sorted(body).graph)
    }
    return node
  }

  /// Returns all positions, each after its dependencies.
  private func positions() throws(WeighbridgeError) -> [Int] {
    var order: [Int] = []
    var isSorted = [Bool](repeating: false, count: nodes.count)
    var isOnPath = isSorted
    // The path of a depth-first search: each node depends on the next one.
    var path: [(position: Int, examinedCount: Int)] = []
    for start in nodes.indices where !isSorted[start] {
      path.append((start, 0))
      isOnPath[start] = true
      while let (position, examinedCount) = path.last {
        guard examinedCount < dependencies[position].count else {
          path.removeLast()
          isOnPath[position] = false
          isSorted[position] = true
          order.append(position)
          continue
        }
        path[path.count - 1].examinedCount += 1
        let dependency = dependencies[position][examinedCount]
        if isOnPath[dependency] { throw cycle(path.map(\.position), dependency) }
        if !isSorted[dependency] {
          isOnPath[dependency] = true
          path.append((dependency, 0))
        }
      }
    }
    return order
  }

  /// - Parameters:
  ///   - path: Nodes, each of which depends on the next one.
  ///   - start: The node among them on which the last one depends.
  private func cycle(_ path: [Int], _ start: Int) -> WeighbridgeError {
    let names = path.drop { $0 != start }.map { position in
      ONNXImporter.source(nodes[position]).place(position)
    }
    let listed = names.prefix(8).joined(separator: ", which reads from ")
    let suffix = names.count > 8 ? ", and so on through \(names.count) nodes" : ""
    return .malformed(
      names.count == 1
        ? "the node \(listed) reads its own output"
        : "the nodes form a cycle, so that none can be computed first: \(listed)\(suffix), which "
          + "reads from \(names[0])")
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
    let names = nodes.reduce(into: Set(outputs.map(\.name))) { $0.formUnion($1.reads) }
    return names.subtracting(
      inputs.map(\.name) + initializers.map(\.name) + nodes.flatMap(\.outputs))
  }
}
