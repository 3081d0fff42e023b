package import Bytes
package import GraphIR
import LayerCatalog

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
    let batchAxes = batchAxes(types, typesOfTwo)
    let needed = graph.neededValues
    for (position, node) in graph.nodes.enumerated()
    where !needed.isDisjoint(with: node.outputs)
      && combinesExamples(node, types, typesOfTwo, batchAxes)
    {
      throw .unsupported(
        "it works across the batch axis of an input, and \(target) takes one example at a time"
      ).at(layer: node.source.place(position))
    }
    for port in graph.outputs where batchAxes[port.value.index].contains(where: { $0 > 0 }) {
      throw .unsupported(
        "the output \(port.name) is \(graph[port.value].type), and \(target) takes one example at a "
          + "time, along the first axis")
    }
    let counting = countingValues(graph, types, typesOfTwo)
    for port in graph.outputs where counting.contains(port.value) {
      throw .unsupported(
        "the output \(port.name) follows from the number of examples in a batch, and \(target) takes one "
          + "example at a time")
    }
  }

  /// The axes of each value whose size depends on the number of examples.
  private static func batchAxes(_ one: [TensorType], _ two: [TensorType]) -> [[Int]] {
    zip(one, two).map { one, two in
      zip(one.shape, two.shape).enumerated().filter { $0.element.0 != $0.element.1 }.map(\.offset)
    }
  }

  /// Whether a node mixes the examples of a batch, or a subgraph of it may.
  private static func combinesExamples(
    _ node: Node, _ one: [TensorType], _ two: [TensorType], _ batchAxes: [[Int]]
  ) -> Bool {
    let combinesBatch = node.inputs.enumerated().contains { slot, id in
      let axes = batchAxes[id.index]
      return !axes.isEmpty
        && node.operation.combinedAxes(ofInput: slot, rank: one[id.index].rank)
          .contains(where: axes.contains)
    }
    if combinesBatch || node.outputs.contains(where: { batchAxes[$0.index].count > 1 }) {
      return true
    }
    guard let operation = node.operation as? any SubgraphOperator,
      node.inputs.contains(where: { !batchAxes[$0.index].isEmpty })
    else { return false }
    let states = (operation as? Loop)?.stateCount ?? 0
    // A size that steps change may be that of the batch.
    for (input, output) in zip(node.inputs.dropFirst(2), node.outputs.prefix(states))
    where batchAxes[input.index] != batchAxes[output.index] { return true }
    return operation.subgraphs.contains { subgraph in
      let inner = [one, two].compactMap { types in
        try? subgraph.graph.specialized(to: inputTypes(of: node, types, states))
      }
      guard inner.count == 2 else { return true }
      let axes = self.batchAxes(inner[0], inner[1])
      return subgraph.graph.nodes.contains { node in
        node.operation is Shape && !axes[node.inputs[0].index].isEmpty
          || combinesExamples(node, inner[0], inner[1], axes)
      }
    }
  }

  /// The types of what a node gives its subgraphs.
  ///
  /// - Parameter states: The number of states of a loop; 0 for branches.
  private static func inputTypes(
    of node: Node, _ types: [TensorType], _ states: Int
  ) -> [TensorType] {
    var given = node.inputs.dropFirst().map { types[$0.index] }
    guard node.operation is Loop else { return given }
    given[0] = TensorType(.int64, [Int]())
    given.replaceSubrange(1..<1 + states, with: node.outputs.prefix(states).map { types[$0.index] })
    return given
  }

  /// The values whose elements follow from the number of examples: what is computed from shapes and is not the
  /// same for one example and for two, and what is computed from that. An operator that only takes its sizes from
  /// such a value computes each example as before.
  private static func countingValues(
    _ graph: Graph, _ types: [TensorType], _ typesOfTwo: [TensorType]
  ) -> Set<ValueID> {
    guard graph.nodes.contains(where: { $0.operation is Shape }) else { return [] }
    let one = valuesOfShapes(graph, types)
    let two = valuesOfShapes(graph, typesOfTwo)
    var counting: Set<ValueID> = []
    for node in graph.nodes {
      for id in node.outputs {
        if let first = one[id], let second = two[id] {
          if first.doubles != second.doubles { counting.insert(id) }
        } else if node.inputs.enumerated().contains(where: { slot, input in
          counting.contains(input) && node.operation.slot(slot)?.name != "sizes"
        }) {
          counting.insert(id)
        }
      }
    }
    return counting
  }

  /// The values that are computed from shapes and constants alone, where these have few elements.
  ///
  /// - Parameter types: The types of all values.
  private static func valuesOfShapes(
    _ graph: Graph, _ types: [TensorType]
  ) -> [ValueID: Tensor] {
    let maximumCount = 1024
    var known: [ValueID: Tensor] = [:]
    for node in graph.nodes {
      if node.operation is Shape {
        guard let shape = types[node.inputs[0].index].fixedShape else { continue }
        let type = types[node.outputs[0].index].elementType
        known[node.outputs[0]] = Tensor(type, shape: [shape.count], shape.map(Double.init))
        continue
      }
      let inputs = node.inputs.compactMap { known[$0] ?? graph[$0].constant }
      // What cannot be computed for so many examples is not known.
      guard let operation = node.operation as? any CatalogOperator, operation.subgraphs.isEmpty,
        inputs.count == node.inputs.count, node.inputs.contains(where: { known[$0] != nil }),
        (node.inputs + node.outputs).allSatisfy({ id in
          types[id.index].fixedShape.map { $0.reduce(1, *) <= maximumCount } ?? false
        }), let outputs = try? operation.evaluate(inputs, workers: Workers(count: 1))
      else { continue }
      for (id, tensor) in zip(node.outputs, outputs) { known[id] = tensor }
    }
    return known
  }
}
