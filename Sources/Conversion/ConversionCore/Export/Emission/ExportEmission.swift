package import Bytes
package import GraphIR
import LayerCatalog

/// A node of the graph, or several nodes that are written together.
package struct ExportStep<Value: ExportValue> {
  /// The position of the node whose outputs are produced, the last of them.
  package let position: Int
  /// That node.
  package let node: Node
  /// The earlier nodes that are written together with it; usually none.
  package let absorbed: [Node]
  /// The inputs of each absorbed node, or of the node itself if there are none.
  package let inputs: [[Value]]
  /// The types of the outputs.
  package let outputTypes: [TensorType]
  /// For each output, whether it is used.
  package let isUsed: [Bool]
}

/// Groups of nodes that are written together with a later node.
package struct ExportGroups {
  private var absorbed: [Int: [Int]] = [:]
  private var members: Set<Int> = []

  /// Creates an empty set of groups.
  package init() {
  }

  /// Adds nodes to the group of a later one, which must be the only reader of their outputs.
  package mutating func absorb(_ positions: [Int], into position: Int) {
    absorbed[position] = positions
    members.formUnion(positions)
  }

  /// Whether a node is written together with a later one.
  package func isAbsorbed(_ position: Int) -> Bool { members.contains(position) }

  /// The positions of the earlier nodes that are written together with a node.
  package func members(of position: Int) -> [Int] { absorbed[position] ?? [] }
}

extension ExportBuilder {
  package mutating func emit(_ step: ExportStep<Value>) throws(WeighbridgeError) -> [Value] {
    try apply(step.node.operation, named: step.node.name, step.inputs[0], isUsed: step.isUsed)
  }

  /// Adds all nodes of a graph that its outputs need, in the graph's order.
  ///
  /// - Parameters:
  ///   - inputs: The values of the graph's inputs.
  ///   - types: The types of all values if they are more specific than the graph's.
  ///   - groups: The nodes that are written together.
  /// - Returns: The value of each of the graph's outputs.
  /// - Throws: ``WeighbridgeError/Code/unsupported`` with every layer that the target has no form for.
  package mutating func emit(
    _ graph: Graph, inputs: [Value], types: [TensorType]? = nil, groups: ExportGroups
  ) throws(WeighbridgeError) -> [Value] {
    var values = self.values(graph, inputs: inputs) { .weight($1, named: $0) }
    let needed = graph.neededValues
    var problems = LayerProblems()
    for (port, input) in zip(graph.inputs, inputs) {
      if let problem = problem(of: input.type) { problems.add(port.name, problem) }
    }
    for (position, node) in graph.nodes.enumerated()
    where !needed.isDisjoint(with: node.outputs) && !groups.isAbsorbed(position) {
      let absorbed = groups.members(of: position).map { graph.nodes[$0] }
      let readers = absorbed.isEmpty ? [node] : absorbed
      let operands = readers.map { $0.inputs.compactMap { values[$0.index] } }
      // An input is missing because its layer failed, which has been reported.
      if operands.map(\.count) != readers.map(\.inputs.count) { continue }
      do throws(WeighbridgeError) {
        let types = node.outputs.map { types?[$0.index] ?? graph[$0].type }
        let isFolded = Self.foldsConstants && operands[0].allSatisfy { $0.constant != nil }
        if !isFolded, let problem = types.lazy.compactMap(problem).first {
          throw .unsupported(problem)
        }
        let outputs = try emit(
          ExportStep(
            position: position, node: node, absorbed: absorbed, inputs: operands,
            outputTypes: types, isUsed: node.outputs.map(needed.contains)))
        for (id, output) in zip(node.outputs, outputs) { values[id.index] = output }
      } catch {
        problems.add("\(node.source.callName) (\(node.source.className))", error.reason)
      }
    }
    try problems.check { "\(target) has no form for \($0)" }
    return graph.outputs.compactMap { values[$0.value.index] }
  }

  /// Adds all nodes of a subgraph that its outputs need. Its image operators get the layout of the target.
  ///
  /// - Parameter inputs: The values of its inputs, in the source's order of axes, as its outputs.
  /// - Returns: The values of its outputs.
  /// - Throws: ``WeighbridgeError/Code/unsupported`` at the first layer that the target has no form for.
  package mutating func emit(
    _ subgraph: Subgraph, inputs: [Value]
  ) throws(WeighbridgeError) -> [Value] {
    var graph = subgraph.graph
    if let layout = Self.table.layout {
      graph = try LayoutConversion(
        graph, to: layout, transposesPorts: false, needsLayout: Self.table.needsLayout
      ).graph
    }
    let outerScope = scope
    defer { scope = outerScope }
    var values = self.values(graph, inputs: inputs) { .weight($1, named: $0) }
    let needed = graph.neededValues
    for (position, node) in graph.nodes.enumerated()
    where !needed.isDisjoint(with: node.outputs) {
      let inputs = node.inputs.compactMap { values[$0.index] }
      do throws(WeighbridgeError) {
        var results = try folded(node.operation, inputs)
        if results == nil {
          results = try emit(
            ExportStep(
              position: position, node: node, absorbed: [], inputs: [inputs],
              outputTypes: node.outputs.map { graph[$0].type },
              isUsed: node.outputs.map(needed.contains)))
          for result in results ?? [] {
            if let problem = problem(of: result.type) { throw .unsupported(problem) }
          }
        }
        for (id, result) in zip(node.outputs, results ?? []) { values[id.index] = result }
      } catch {
        let layer = "\(node.source.callName) (\(node.source.className))"
        throw WeighbridgeError(
          error.code, "runs the layer \(layer), which \(error.reason)", place: error.place)
      }
    }
    return graph.outputs.compactMap { values[$0.value.index] }
  }

  /// The values of a graph's inputs and weights, by the index of the value in the graph.
  package func values(
    _ graph: Graph, inputs: [Value], weight: (String, Tensor) -> Value
  ) -> [Value?] {
    var values = graph.values.map { value in value.constant.map { weight(value.name, $0) } }
    for (port, input) in zip(graph.inputs, inputs) { values[port.value.index] = input }
    return values
  }
}
