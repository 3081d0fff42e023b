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
  /// rule allows it. All others get their inputs in the source's axis order. A value is transposed
  /// at most once, constants are transposed without a node, and a transpose of the source that does
  /// the same is left out.
  ///
  /// - Parameters:
  ///   - original: Any graph.
  ///   - transposesPorts: Whether the model's input and output images are transposed too; otherwise
  ///     they keep their axes.
  ///   - outputGroup: Outputs of which either all or none are transposed, such as a detector's
  ///     heads, whose values must have one order.
  ///   - needsLayout: Whether the target has an operator for channels-first data only.
  /// - Throws: ``WeighbridgeError/Code/malformed`` for a graph that could not be built anew.
  /// - Complexity: Linear in the number of values and inputs.
  package init(
    _ original: Graph, transposesPorts: Bool, outputGroup: [String] = [],
    needsLayout: (any CatalogOperator) -> Bool
  ) throws(WeighbridgeError) {
    var conversion = LayoutConversion(original, to: .channelsFirst)
    let images = transposesPorts ? conversion.images(needsLayout) : []
    var inputs: Set<Int> = []
    for (position, port) in original.inputs.enumerated() {
      let isTransposed = images.contains(port.value)
      try conversion.addInput(port, isTransposed: isTransposed)
      if isTransposed { inputs.insert(position) }
    }
    for (position, node) in original.nodes.enumerated() {
      do throws(WeighbridgeError) {
        try conversion.add(node, needsLayout)
      } catch { throw error.at(layer: node.source.place(position)) }
    }
    var outputs = Set(
      original.outputs.indices.filter { position in
        let value = original.outputs[position].value
        return transposesPorts && conversion.isTransposed(value) && original[value].type.rank >= 4
      })
    let group = original.outputs.indices.filter {
      outputGroup.contains(original.outputs[$0].name)
    }
    if !outputs.isSuperset(of: group) { outputs.subtract(group) }
    var ports: [Port] = []
    for (position, port) in original.outputs.enumerated() {
      let isTransposed = outputs.contains(position)
      ports.append(
        Port(
          name: port.name,
          value: isTransposed
            ? try conversion.transposed(port.value) : try conversion.untransposed(port.value)))
    }
    graph = try conversion.builder.finish(outputs: ports)
    (transposedInputs, transposedOutputs) = (inputs, outputs)
  }
}
