package import GraphIR
import LayerCatalog

/// A sum that the engine can fuse into the layer that produces one of its inputs, with integers or
/// bfloat16.
package struct FusedSum: Sendable {
  /// The sum's name in the graph.
  package let node: String
  /// The name of the layer, a convolution or a dense one.
  package let layer: String
  /// The index of the sum's other input.
  package let input: Int

  /// All fused sums of a graph, in its order.
  package static func all(in graph: Graph) -> [FusedSum] {
    let groups = Fusion.groups(
      of: graph, types: graph.values.map(\.type), isFused: true)
    return groups.compactMap { group in
      let nodes = group.positions.map { graph.nodes[$0] }
      guard group.canAddIntegers, let summand = group.summand,
        let sum = nodes.first(where: { $0.operation is Add }),
        let layer = nodes.first(where: { $0.operation is any QuantizableOperator }),
        let input = sum.inputs.firstIndex(of: summand)
      else { return nil }
      return FusedSum(node: sum.name, layer: layer.name, input: input)
    }
  }
}
