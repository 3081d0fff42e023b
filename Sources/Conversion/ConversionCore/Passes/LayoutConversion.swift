package import Bytes
package import GraphIR
package import LayerCatalog

/// A graph whose image operators have one layout.
package struct LayoutConversion: Sendable {
  /// The converted graph.
  package let graph: Graph
  /// The new layout.
  package let layout: DataLayout
  /// The positions of the inputs whose axes are in the new order.
  package let transposedInputs: Set<Int>
  /// The positions of the outputs whose axes are in the new order.
  package let transposedOutputs: Set<Int>

  /// Converts a graph.
  ///
  /// Operators that need it get the layout, and so do the operators after them whose layout rule
  /// allows it. All others get their inputs in the source's axis order. A value is transposed at
  /// most once, constants are transposed without a node, and a transpose of the source that does
  /// the same is left out.
  ///
  /// - Parameters:
  ///   - original: Any graph.
  ///   - layout: The new layout.
  ///   - transposesPorts: Whether the model's input and output images are transposed too; otherwise
  ///     they keep their axes.
  ///   - outputGroup: Outputs of which either all or none are transposed, such as a detector's
  ///     heads, whose values must have one order.
  ///   - needsLayout: Whether the target has an operator for data in the new layout only.
  /// - Throws: ``WeighbridgeError/Code/malformed`` for a graph that could not be built anew.
  /// - Complexity: Linear in the number of values and inputs.
  package init(
    _ original: Graph, to layout: DataLayout, transposesPorts: Bool, outputGroup: [String] = [],
    needsLayout: (any CatalogOperator) -> Bool
  ) throws(WeighbridgeError) {
    var converter = LayoutConverter(original, to: layout)
    let images = transposesPorts ? converter.images(needsLayout) : []
    var inputs: Set<Int> = []
    for (position, port) in original.inputs.enumerated() {
      let isTransposed = images.contains(port.value)
      try converter.addInput(port, isTransposed: isTransposed)
      if isTransposed { inputs.insert(position) }
    }
    for (position, node) in original.nodes.enumerated() {
      do throws(WeighbridgeError) {
        try converter.add(node, needsLayout)
      } catch { throw error.at(layer: node.source.place(position)) }
    }
    var outputs = Set(
      original.outputs.indices.filter { position in
        let value = original.outputs[position].value
        return transposesPorts && converter.isTransposed(value) && original[value].type.rank >= 4
      })
    let group = original.outputs.indices.filter {
      outputGroup.contains(original.outputs[$0].name)
    }
    if !outputs.isSuperset(of: group) { outputs.subtract(group) }
    graph = try converter.finish(transposing: outputs)
    self.layout = layout
    (transposedInputs, transposedOutputs) = (inputs, outputs)
  }
}
