import GraphIR
import LayerCatalog

/// Nodes that are computed together: one, and what was fused into it.
struct NodeGroup: Sendable {
  /// An operation applied to the result of the first node before it is stored.
  enum Addition: Sendable {
    /// Functions of each element, one after the other.
    case functions([ElementFunction])
    /// The sum with another tensor of the same shape, read in the quantized form if it has one.
    case sum(ValueID, InputQuantization?)
  }

  /// The positions of the nodes in the graph, ascending.
  var positions: [Int]
  /// The first operator of the group.
  var operation: any CatalogOperator
  /// The quantization of its data, if it is computed with 8-bit integers or bfloat16.
  var quantization: InputQuantization?
  /// How nodes before the group round its data to integers, if it is computed with these.
  var rounding: FakeQuantization?
  /// Whether its nodes only round a value to integers and convert it back; it has no steps of its own.
  var isFakeQuantization = false
  /// Whether its operation stands for several nodes.
  var isWrittenOut = false
  /// Whether it combines values that are rounded so, element by element.
  var combinesRounded = false
  /// The inputs of the first operator: data, then weights.
  var inputs: [ValueID]
  /// The outputs of the group.
  var outputs: [ValueID]
  /// A normalization that follows directly, and its weights.
  var normalization: (operation: BatchNormalization, weights: [ValueID])?
  /// The further operations, in order.
  var additions: [Addition] = []
  /// The group of a fused depthwise convolution that is the only reader of this group's result:
  /// none or one. Both are computed row by row, and the outputs are those of the depthwise
  /// convolution.
  var depthwise: [NodeGroup] = []

  /// Whether its data are 8-bit integers or bfloat16.
  var readsReduced: Bool { quantization != nil || rounding != nil }

  /// The group without its fused depthwise convolution.
  var first: NodeGroup {
    guard let next = depthwise.first else { return self }
    var group = self
    (group.depthwise, group.outputs) = ([], [next.inputs[0]])
    return group
  }
}
