package import Bytes
package import GraphIR
package import LayerCatalog

/// A graph whose image operators are channels-first.
package struct ChannelsFirst: Sendable {
  /// The converted graph.
  package let graph: Graph
  /// The positions of the inputs that became channels-first.
  package let transposedInputs: Set<Int>
  /// The positions of the outputs that became channels-first.
  package let transposedOutputs: Set<Int>

  /// Converts a graph.
  ///
  /// Operators that need it become channels-first, and so do the operators after them whose layout
  /// rule allows it. Everything else gets its inputs in the source's axis order. A value is
  /// transposed at most once; constants are transposed without a node; a transpose in the source
  /// that does the same is left out.
  ///
  /// - Parameters:
  ///   - original: Any graph.
  ///   - transposesPorts: Whether the model's input and output images are transposed too; otherwise
  ///     they keep their axes.
  ///   - together: Outputs that are transposed all together or not at all, such as a detector's
  ///     heads, whose values have one order.
  ///   - needs: Whether the target has an operator for channels-first data only.
  /// - Throws: ``WeighbridgeError/Code/malformed`` for a graph that could not be built anew.
  /// - Complexity: Linear in the number of values and inputs.
  package init(
    _ original: Graph, transposesPorts: Bool, together: [String] = [],
    needs: (any CatalogOperator) -> Bool
  ) throws(WeighbridgeError) {
    var turning = LayoutConversion(original, to: .channelsFirst)
    let images = transposesPorts ? turning.images(needs) : []
    var inputs: Set<Int> = []
    for (position, port) in original.inputs.enumerated() {
      let isTransposed = images.contains(port.value)
      try turning.addInput(port, isTransposed: isTransposed)
      if isTransposed { inputs.insert(position) }
    }
    for (position, node) in original.nodes.enumerated() {
      do throws(WeighbridgeError) {
        try turning.add(node, needs)
      } catch { throw error.at(layer: node.source.place(position)) }
    }
    var outputs = Set(
      original.outputs.indices.filter { position in
        let value = original.outputs[position].value
        return transposesPorts && turning.isTransposed(value) && original[value].type.rank >= 4
      })
    let joined = original.outputs.indices.filter { together.contains(original.outputs[$0].name) }
    if !outputs.isSuperset(of: joined) { outputs.subtract(joined) }
    var ports: [Port] = []
    for (position, port) in original.outputs.enumerated() {
      let isTransposed = outputs.contains(position)
      ports.append(
        Port(
          name: port.name,
          value: isTransposed ? try turning.turned(port.value) : try turning.plain(port.value)))
    }
    graph = try turning.builder.finish(outputs: ports)
    (transposedInputs, transposedOutputs) = (inputs, outputs)
  }
}
