package import Bytes
package import GraphIR
import LayerCatalog

/// A graph whose inputs and outputs have a batch of one where the arrays and images of its Core ML
/// file have no batch.
///
/// In the original, the first node adds the batch to such an input, for example
/// `[channels, height, width]`, and the last node removes it from such an output, perhaps with other
/// axes; what they do to the batch is left out.
package struct BatchOfOne: Sendable {
  /// The graph.
  package let graph: Graph

  /// Adds the missing batch axes.
  ///
  /// - Parameter ranks: The ranks without the batch of the inputs and outputs that get one.
  /// - Throws: ``WeighbridgeError/Code/malformed`` for a graph that could not be built anew.
  /// - Complexity: Linear in the number of values.
  package init(_ original: Graph, ranks: ClosedRange<Int>) throws(WeighbridgeError) {
    let changes = Self.changes(original, ranks)
    var copy = try GraphCopy(withInputsOf: original) { port in
      let type = original[port.value].type
      return changes.inputs.contains(port.value) ? type.with(shape: [1] + type.shape) : type
    }
    for (position, node) in original.nodes.enumerated() {
      if changes.removed.contains(position) {
        copy[node.outputs[0]] = try copy.copy(of: node.inputs[0])
      } else if changes.reduced.contains(position), let squeeze = node.operation as? Squeeze {
        try copy.add(node, as: Squeeze(axes: Array(squeeze.axes.dropFirst())))
      } else {
        try copy.add(node)
      }
    }
    graph = try copy.finish()
  }

  /// The inputs that get a batch, and the positions of the nodes that added or removed only it, or
  /// removed it with other axes.
  private static func changes(
    _ graph: Graph, _ ranks: ClosedRange<Int>
  ) -> (inputs: Set<ValueID>, removed: Set<Int>, reduced: Set<Int>) {
    let readers = graph.readers
    let outputs = Set(graph.outputs.map(\.value))
    var removed: Set<Int> = []
    var reduced: Set<Int> = []
    var inputs: Set<ValueID> = []
    for port in graph.inputs where !outputs.contains(port.value) {
      let type = graph[port.value].type
      guard ranks.contains(type.rank), type.shape[0].value != nil else { continue }
      let positions = readers[port.value] ?? []
      let addBatch = positions.allSatisfy {
        (graph.nodes[$0].operation as? ExpandDims)?.axes == [0]
      }
      guard addBatch, !positions.isEmpty else { continue }
      inputs.insert(port.value)
      removed.formUnion(positions)
    }
    for (position, node) in graph.nodes.enumerated() where !removed.contains(position) {
      guard let squeeze = node.operation as? Squeeze, squeeze.axes.first == 0,
        ranks.contains(graph[node.outputs[0]].type.rank), outputs.contains(node.outputs[0]),
        readers[node.outputs[0]] == nil
      else { continue }
      if squeeze.axes.count == 1 { removed.insert(position) } else { reduced.insert(position) }
    }
    return (inputs, removed, reduced)
  }
}
