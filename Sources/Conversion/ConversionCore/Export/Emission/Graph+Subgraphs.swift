package import GraphIR

extension Graph {
  /// The graph and those that its nodes run, at any depth.
  package var withSubgraphs: [Graph] {
    [self] + nodes.flatMap(\.operation.subgraphs).flatMap(\.graph.withSubgraphs)
  }
}
