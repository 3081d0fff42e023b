import Bytes
import ConversionCore
import GraphIR
import KerasFormat
import LayerCatalog

/// What a wrapped layer makes of the examples of a batch.
extension TimeDistributedLayer {
  /// Refuses a layer that combines the examples of a batch. Keras 3 gives it those of one step after the other, and so does
  /// Keras 2 where the size of the batch is fixed; here it gets all steps at once.
  ///
  /// - Parameters:
  ///   - folded: What it gets, `[batch * time, ...]`.
  ///   - sequence: The wrapper's input, `[batch, time, ...]`.
  static func checkExamples(
    _ layer: KerasLayer, from folded: [ValueID], sequence: ValueID
  ) throws(WeighbridgeError) {
    guard let first = folded.first else { return }
    let hasFixedBatch = layer.graph.type(of: sequence).shape.first?.value != nil
    guard layer.version.major >= 3 || hasFixedBatch else { return }
    var values = Set(folded)
    for node in layer.graph.nodes(after: first) {
      for (slot, input) in node.inputs.enumerated() where values.contains(input) {
        let rank = layer.graph.type(of: input).rank
        guard !node.operation.combinesExamples(ofInput: slot, rank: rank) else {
          throw .unsupported(
            "wraps a layer that works along axis 0, the batch, which Keras does for each step by "
              + "itself; a layer that works along other axes can be read")
        }
        if !(node.operation is Shape) { values.formUnion(node.outputs) }
      }
    }
  }
}

extension Operator {
  /// Whether it combines, selects or reorders along axis 0 of an input, or moves that axis.
  fileprivate func combinesExamples(ofInput position: Int, rank: Int) -> Bool {
    let operation: any Operator = self
    switch operation {
    case let added as ExpandDims: return added.axes.contains(0)
    case let removed as Squeeze: return removed.axes.contains(0)
    case let transpose as Transpose: return transpose.axes.first != 0
    default: return operation.combinedAxes(ofInput: position, rank: rank).contains(0)
    }
  }
}
