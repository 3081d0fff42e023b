package import Bytes

extension Graph {
  /// The same graph with a source layer's result as an additional output, under the layer's name.
  /// If it is already an output, nothing is added.
  ///
  /// - Parameter layer: The layer's name as in the results of layers of a run.
  /// - Returns: The graph, and the name of the output.
  /// - Throws: ``WeighbridgeError/Code/mismatch`` when there is no such layer; the error lists the
  ///   nearest names.
  package func exposing(
    layer: String
  ) throws(WeighbridgeError) -> (graph: Graph, output: String) {
    let layers = layerNodes
    guard let position = layers.first(where: { $0.value == layer })?.key,
      let value = nodes[position].outputs.first
    else { throw noLayer(named: layer, among: layers.values) }
    if let port = outputs.first(where: { $0.value == value }) { return (self, port.name) }
    var names = UniqueNames(outputs.map(\.name))
    let name = names.unused(layer)
    return (
      Graph(
        values: values, nodes: nodes, inputs: inputs,
        outputs: outputs + [Port(name: name, value: value)]), name
    )
  }

  /// The same graph with other values as outputs.
  ///
  /// - Parameter outputs: Values of the graph under unique names.
  package func replacingOutputs(_ outputs: [Port]) -> Graph {
    Graph(values: values, nodes: nodes, inputs: inputs, outputs: outputs)
  }

  /// The error for a layer that does not exist.
  ///
  /// - Parameter names: The names that could have been given; the error lists the nearest ones.
  package func noLayer(
    named name: String, among names: some Collection<String>
  ) -> WeighbridgeError {
    let nearest = NearestNames.of(name, among: names)
    let hint =
      nearest.isEmpty
      ? "the last of its \(layerNodes.count.counted("layer")) is \(nodes.last?.source.callName ?? "")"
      : "the nearest names are \(nearest.joined(separator: ", "))"
    return .mismatch("the model has no layer \(name); \(hint)")
  }
}
