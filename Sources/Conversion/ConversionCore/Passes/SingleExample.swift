package import Bytes
package import GraphIR
import LayerCatalog

/// Restricts graphs to one example at a time, for targets whose models have no batch.
package enum SingleExample {
  /// Returns the types of all values, with an unknown batch size set to one.
  ///
  /// - Parameter target: The name of the target.
  /// - Throws: ``WeighbridgeError/Code/unsupported`` when the model cannot take one example, or its
  ///   axis of unknown size is not the batch.
  package static func types(_ graph: Graph, for target: String) throws(WeighbridgeError)
    -> [TensorType]
  {
    try checkBatch(graph, target)
    do throws(WeighbridgeError) {
      return try graph.specialized(to: graph.inputs.map { withBatchOfOne(graph[$0.value].type) })
    } catch {
      throw WeighbridgeError(
        .unsupported,
        "\(target) takes one example at a time, and the model cannot: \(error.reason)",
        place: error.place)
    }
  }

  /// The type with an unknown batch size set to one.
  private static func withBatchOfOne(_ type: TensorType) -> TensorType {
    guard let batch = type.shape.first, batch.value == nil else { return type }
    return type.with(shape: [1] + type.shape.dropFirst())
  }

  /// Refuses a graph that mixes the examples of a batch (takes them as time steps of a recurrent
  /// layer, or reduces over them), or returns them along another axis than the first.
  private static func checkBatch(_ graph: Graph, _ target: String) throws(WeighbridgeError) {
    let batches = graph.inputs.compactMap { graph[$0.value].type.shape.first }.filter {
      if case .symbolic = $0 { true } else { false }
    }
    let isBatch = { (type: TensorType, axis: Int) in
      axis < type.rank && batches.contains(type.shape[axis])
    }
    for (position, node) in graph.nodes.enumerated() {
      let type = node.inputs.first.map { graph[$0].type }
      let reducesBatch = (node.operation as? Reduce)?.axes.contains(0) == true
      let isRecurrent = node.operation is any RecurrentOperator
      guard let type, reducesBatch && isBatch(type, 0) || isRecurrent && isBatch(type, 1)
      else { continue }
      throw .unsupported(
        "it works along the open first axis of an input, of which \(target) takes one element at a time"
      ).at(layer: node.source.place(position))
    }
    for port in graph.outputs {
      let type = graph[port.value].type
      guard (1..<max(1, type.rank)).contains(where: { isBatch(type, $0) }) else { continue }
      throw .unsupported(
        "the output \(port.name) is \(type), and \(target) takes one example at a time, along the "
          + "first axis")
    }
  }
}
