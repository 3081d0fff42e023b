import Bytes
import GraphIR
import LayerCatalog

extension KerasLayer {
  /// Adds an operator that combines tensors element by element.
  ///
  /// An input with fewer axes than another gets axes of size 1 behind the batch, as Keras does
  /// it: `[batch, channels]` becomes `[batch, 1, 1, channels]`.
  mutating func addMerging(
    _ operation: some BroadcastingOperator, _ inputs: [ValueID]
  ) throws(WeighbridgeError) -> [ValueID] {
    try add(operation, try aligned(inputs))
  }

  /// The inputs with as many axes each.
  mutating func aligned(_ inputs: [ValueID]) throws(WeighbridgeError) -> [ValueID] {
    let rank = inputs.map { graph.type(of: $0).rank }.max() ?? 0
    var aligned: [ValueID] = []
    for input in inputs {
      let missing = rank - graph.type(of: input).rank
      let expansion = ExpandDims(axes: Array(1..<missing + 1))
      aligned +=
        missing == 0 ? [input] : try add(expansion, [input], role: "expand_dims")
    }
    return aligned
  }
}
