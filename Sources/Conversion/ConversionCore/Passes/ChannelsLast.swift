package import Bytes
package import GraphIR
package import LayerCatalog

/// A graph whose image operators are channels-last, and whose inputs and outputs are unchanged.
package struct ChannelsLast: Sendable {
  /// The converted graph.
  package let graph: Graph

  /// Converts a graph, as ``ChannelsFirst`` does in the other direction.
  ///
  /// - Parameters:
  ///   - original: Any graph.
  ///   - needsLayout: Whether the target has an operator for channels-last data only.
  /// - Throws: ``WeighbridgeError/Code/malformed`` for a graph that could not be built anew.
  /// - Complexity: Linear in the number of values and inputs.
  package init(
    _ original: Graph, needsLayout: (any CatalogOperator) -> Bool
  ) throws(WeighbridgeError) {
    var conversion = LayoutConversion(original, to: .channelsLast)
    for port in original.inputs { try conversion.addInput(port, isTransposed: false) }
    for (position, node) in original.nodes.enumerated() {
      do throws(WeighbridgeError) {
        try conversion.add(node, needsLayout)
      } catch { throw error.at(layer: node.source.place(position)) }
    }
    var ports: [Port] = []
    for port in original.outputs {
      ports.append(Port(name: port.name, value: try conversion.untransposed(port.value)))
    }
    graph = try conversion.builder.finish(outputs: ports)
  }
}
