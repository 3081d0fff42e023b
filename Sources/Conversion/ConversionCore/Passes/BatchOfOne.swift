package import Bytes
package import GraphIR
import LayerCatalog

/// A graph with a batch of one in its inputs and outputs, where the arrays and images of its Core
/// ML file have no batch.
///
/// The first step adds the batch to such an input `[channels, height, width]`, and the last step
/// removes it from such an output; both steps are left out.
package struct BatchOfOne: Sendable {
  /// The graph.
  package let graph: Graph

  /// Adds a batch where there is none.
  ///
  /// - Throws: ``WeighbridgeError/Code/malformed`` for a graph that could not be built anew.
  /// - Complexity: Linear in the number of values.
  package init(_ original: Graph) throws(WeighbridgeError) {
    let steps = Self.steps(original)
    let kept = original.nodes.indices.filter { !steps.leftOut.contains($0) }
    var copy = try GraphCopy(original, keeping: kept) { port in
      let type = original[port.value].type
      return steps.inputs.contains(port.value) ? type.with(shape: [1] + type.shape) : type
    }
    for (position, node) in original.nodes.enumerated() {
      if steps.leftOut.contains(position) {
        copy[node.outputs[0]] = copy[node.inputs[0]]
      } else {
        try copy.add(node)
      }
    }
    graph = try copy.finish()
  }

  /// The inputs that get a batch, and the positions of the nodes that added or removed it.
  private static func steps(_ graph: Graph) -> (inputs: Set<ValueID>, leftOut: Set<Int>) {
    var readers: [ValueID: [Int]] = [:]
    for (position, node) in graph.nodes.enumerated() {
      for id in node.inputs { readers[id, default: []].append(position) }
    }
    let given = Set(graph.outputs.map(\.value))
    var leftOut: Set<Int> = []
    var inputs: Set<ValueID> = []
    for port in graph.inputs where !given.contains(port.value) {
      let type = graph[port.value].type
      guard type.rank == 3, type.shape[0].value != nil else { continue }
      let positions = readers[port.value] ?? []
      let all = positions.allSatisfy { (graph.nodes[$0].operation as? ExpandDims)?.axes == [0] }
      guard all, !positions.isEmpty else { continue }
      inputs.insert(port.value)
      leftOut.formUnion(positions)
    }
    for (position, node) in graph.nodes.enumerated() where !leftOut.contains(position) {
      guard (node.operation as? Squeeze)?.axes == [0], graph[node.outputs[0]].type.rank == 3,
        given.contains(node.outputs[0]), readers[node.outputs[0]] == nil
      else { continue }
      leftOut.insert(position)
    }
    return (inputs, leftOut)
  }
}
