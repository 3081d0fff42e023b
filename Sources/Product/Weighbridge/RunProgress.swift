/// The progress of a run: the layer that an engine begins to compute.
public struct RunProgress: Hashable, Sendable {
  /// The engine: `cpu` or `reference`.
  public let engine: String
  /// The layer's name: `outer/inner/layer`, with `:1` for a second call.
  public let layer: String
  /// The number of the layer among all layers, from 1.
  public let number: Int
  /// The number of layers, several of which an engine may fuse.
  public let count: Int
}

extension RunOptions {
  /// Reports that an engine begins to compute the node at `position`, if that exists.
  func report(_ position: Int, of graph: Graph, by engine: String) {
    guard let progress, graph.nodes.indices.contains(position) else { return }
    progress(
      RunProgress(
        engine: engine, layer: graph.nodes[position].source.callName, number: position + 1,
        count: graph.nodes.count))
  }
}

/// A runtime that reports which layer it computes.
struct ReportingRuntime: Runtime {
  let runtime: any Runtime
  let options: RunOptions
  var name: String { runtime.name }

  func run(
    _ graph: Graph, inputs: [Tensor], observe: (NodeResult) throws(WeighbridgeError) -> Void
  ) throws(WeighbridgeError) -> [Tensor] {
    options.report(0, of: graph, by: name)
    return try runtime.run(graph, inputs: inputs) { (result) throws(WeighbridgeError) in
      try observe(result)
      options.report(result.position + 1, of: graph, by: name)
    }
  }
}
