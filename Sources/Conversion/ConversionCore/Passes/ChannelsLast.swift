package import Bytes
package import GraphIR
package import LayerCatalog

/// A graph whose image operators are channels-last.
package struct ChannelsLast: ConvertedLayout {
  package static let layout = DataLayout.channelsLast
  package let graph: Graph
  package let transposedInputs, transposedOutputs: Set<Int>

  /// Converts a graph.
  ///
  /// - Parameters:
  ///   - original: Any graph.
  ///   - transposesPorts: Whether the model's input and output images are transposed too; otherwise
  ///     they keep their axes.
  ///   - outputGroup: Outputs of which either all or none are transposed, such as a detector's
  ///     heads, whose values must have one order.
  ///   - needsLayout: Whether the target has an operator for channels-last data only.
  /// - Throws: ``WeighbridgeError/Code/malformed`` for a graph that could not be built anew.
  /// - Complexity: Linear in the number of values and inputs.
  package init(
    _ original: Graph, transposesPorts: Bool = false, outputGroup: [String] = [],
    needsLayout: (any CatalogOperator) -> Bool
  ) throws(WeighbridgeError) {
    let converted = try ConvertedPorts(
      original, to: Self.layout, transposesPorts: transposesPorts, outputGroup: outputGroup,
      needsLayout: needsLayout)
    graph = converted.graph
    (transposedInputs, transposedOutputs) = (converted.inputs, converted.outputs)
  }
}
