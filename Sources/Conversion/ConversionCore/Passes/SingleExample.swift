package import Bytes
package import GraphIR

/// Restricts graphs to one example at a time, for targets whose models have no batch.
package enum SingleExample {
  /// Returns the types of all values, with an unknown batch size set to one.
  ///
  /// - Parameter target: The name of the target.
  /// - Throws: ``WeighbridgeError/Code/unsupported`` when the model cannot take one example, mixes
  ///   the examples of a batch, or its axis of unknown size is not the batch.
  package static func types(_ graph: Graph, for target: String) throws(WeighbridgeError)
    -> [TensorType]
  {
    let types: [TensorType]
    do throws(WeighbridgeError) {
      types = try self.types(graph, batch: 1)
    } catch {
      throw WeighbridgeError(
        .unsupported,
        "\(target) takes one example at a time, and the model cannot: \(error.reason)",
        place: error.place)
    }
    try checkBatch(graph, types, target)
    return types
  }

  /// Infers the types of all values with an unknown batch size set to a number.
  private static func types(
    _ graph: Graph, batch: Int
  ) throws(WeighbridgeError) -> [TensorType] {
    let inputTypes = graph.inputs.map { (port) -> TensorType in
      let type = graph[port.value].type
      guard let dimension = type.shape.first, dimension.value == nil else { return type }
      return type.with(shape: [.fixed(batch)] + type.shape.dropFirst())
    }
    return try graph.specialized(to: inputTypes)
  }

  /// Refuses a graph that mixes the examples of a batch (for example takes them as time steps of a
  /// recurrent layer, or reduces over them) to compute its outputs, or returns them along another
  /// axis than the first.
  ///
  /// - Parameter types: The types of all values for a batch of one.
  private static func checkBatch(
    _ graph: Graph, _ types: [TensorType], _ target: String
  ) throws(WeighbridgeError) {
    // A model that cannot take two examples does not mix them.
    guard let typesOfTwo = try? self.types(graph, batch: 2) else { return }
    // The axes of each value whose size depends on the number of examples.
    let batchAxes = zip(types, typesOfTwo).map { one, two in
      zip(one.shape, two.shape).enumerated().filter { $0.element.0 != $0.element.1 }.map(\.offset)
    }
    let needed = graph.neededValues
    for (position, node) in graph.nodes.enumerated()
    where !needed.isDisjoint(with: node.outputs) {
      let combinesBatch = node.inputs.enumerated().contains { slot, id in
        let axes = batchAxes[id.index]
        return !axes.isEmpty
          && node.operation.combinedAxes(ofInput: slot, rank: types[id.index].rank)
            .contains(where: axes.contains)
      }
      let pairsExamples = node.outputs.contains { batchAxes[$0.index].count > 1 }
      guard combinesBatch || pairsExamples else { continue }
      throw .unsupported(
        "it works across the batch axis of an input, and \(target) takes one example at a time"
      ).at(layer: node.source.place(position))
    }
    for port in graph.outputs where batchAxes[port.value.index].contains(where: { $0 > 0 }) {
      throw .unsupported(
        "the output \(port.name) is \(graph[port.value].type), and \(target) takes one example at a "
          + "time, along the first axis")
    }
  }
}
