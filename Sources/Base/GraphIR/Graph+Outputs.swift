package import Bytes

extension Graph {
  /// The same graph with what a source layer computes as one more output, under the layer's name.
  /// When an output shows it already, nothing is added.
  ///
  /// - Parameter layer: The layer's name as results of `--layers` carry it.
  /// - Returns: The graph, and the name of the output.
  /// - Throws: ``WeighbridgeError/Code/mismatch`` when there is no such layer; the error names those
  ///   that there are.
  package func exposing(
    layer: String
  ) throws(WeighbridgeError) -> (graph: Graph, output: String) {
    let layers = layerNodes
    guard let position = layers.first(where: { $0.value == layer })?.key,
      let value = nodes[position].outputs.first
    else {
      let names = layers.sorted { $0.key < $1.key }.map(\.value)
      throw WeighbridgeError(
        .mismatch, "the model has no layer \(layer); it has \(names.joined(separator: ", "))")
    }
    if let port = outputs.first(where: { $0.value == value }) { return (self, port.name) }
    var names = UniqueNames(outputs.map(\.name))
    let name = names.unused(layer)
    return (
      Graph(
        values: values, nodes: nodes, inputs: inputs,
        outputs: outputs + [Port(name: name, value: value)]), name
    )
  }
}
