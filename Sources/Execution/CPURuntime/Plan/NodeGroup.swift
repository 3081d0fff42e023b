import GraphIR
import LayerCatalog

/// Nodes that are computed together: one, and what was fused into it.
struct NodeGroup: Sendable {
  /// Something that is done to the result of the first node before it is stored.
  enum Addition: Sendable {
    /// Functions of each element, one after the other.
    case functions([ElementFunction])
    /// The sum with another tensor of the same shape, which is read as its quantization says, if it has one.
    case sum(ValueID, InputQuantization?)
  }

  /// The positions of the nodes in the graph, rising.
  var positions: [Int]
  /// What the group begins with.
  var operation: any CatalogOperator
  /// The quantization of its data, if it is computed with 8-bit integers or bfloat16.
  var quantization: InputQuantization?
  /// What that takes: data, then weights.
  var inputs: [ValueID]
  /// What the group makes.
  var outputs: [ValueID]
  /// A normalization that follows at once, and its weights.
  var normalization: (operation: BatchNormalization, weights: [ValueID])?
  /// What else follows, in this order.
  var additions: [Addition] = []
  /// The group of a depthwise convolution that alone reads what this one makes, if both are computed together, row
  /// by row: none or one. The outputs are then its outputs.
  var depthwise: [NodeGroup] = []

  /// The group without what is computed together with it.
  var first: NodeGroup {
    guard let next = depthwise.first else { return self }
    var group = self
    (group.depthwise, group.outputs) = ([], [next.inputs[0]])
    return group
  }
}
