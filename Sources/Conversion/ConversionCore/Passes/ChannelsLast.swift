package import Bytes
package import GraphIR
package import LayerCatalog

/// A graph whose image operators are channels-last, and whose inputs and outputs are unchanged.
package struct ChannelsLast: Sendable {
  /// The converted graph.
  package let graph: Graph

  /// Converts a graph, like ``ChannelsFirst`` in the other direction.
  ///
  /// - Parameters:
  ///   - original: Any graph.
  ///   - needs: Whether the target has an operator for channels-last data only.
  /// - Throws: ``WeighbridgeError/Code/malformed`` for a graph that could not be built anew.
  /// - Complexity: Linear in the number of values and inputs.
  package init(
    _ original: Graph, needs: (any CatalogOperator) -> Bool
  ) throws(WeighbridgeError) {
    var turning = LayoutConversion(original, to: .channelsLast)
    for port in original.inputs { try turning.addInput(port, isTransposed: false) }
    for (position, node) in original.nodes.enumerated() {
      do throws(WeighbridgeError) {
        try turning.add(node, needs)
      } catch { throw error.at(layer: node.source.place(position)) }
    }
    var ports: [Port] = []
    for port in original.outputs {
      ports.append(Port(name: port.name, value: try turning.plain(port.value)))
    }
    graph = try turning.builder.finish(outputs: ports)
  }
}
