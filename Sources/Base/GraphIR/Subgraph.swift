package import Bytes

/// A graph that an operator runs, such as the body of a loop.
///
/// It sees only its own values: what it needs from outside, weights included, its node passes to its
/// inputs. So all weights are in the model's own graph.
package struct Subgraph: Hashable, Sendable {
  /// The graph, without constants.
  package let graph: Graph

  /// - Throws: ``WeighbridgeError/Code/unsupported`` for a graph with a constant of its own.
  package init(_ graph: Graph) throws(WeighbridgeError) {
    if let constant = graph.values.first(where: { $0.constant != nil }) {
      throw .unsupported(
        "a subgraph has the constant \(constant.name), and its node must pass constants to its inputs"
      )
    }
    self.graph = graph
  }

  /// The types of the inputs.
  package var inputTypes: [TensorType] { graph.inputs.map { graph[$0.value].type } }

  /// The types of the outputs, as far as they are known for any inputs.
  package var outputTypes: [TensorType] { graph.outputs.map { graph[$0.value].type } }

  /// Infers the types of the outputs.
  ///
  /// - Parameter types: The types of the inputs.
  /// - Throws: When they do not agree with those of the graph, or with its nodes.
  package func outputTypes(for types: [TensorType]) throws(ShapeError) -> [TensorType] {
    for (port, (type, expected)) in zip(graph.inputs, zip(types, inputTypes))
    where !expected.agrees(with: type) {
      throw ShapeError("the input \(port.name) of a subgraph is \(type), expected \(expected)")
    }
    do throws(WeighbridgeError) {
      let inferred = try graph.specialized(to: types)
      return graph.outputs.map { inferred[$0.value.index] }
    } catch { throw ShapeError(error.reasonInLayer) }
  }

  package static func == (lhs: Subgraph, rhs: Subgraph) -> Bool {
    let (one, other) = (lhs.graph, rhs.graph)
    return one.inputs == other.inputs && one.outputs == other.outputs
      && one.values.elementsEqual(other.values) { $0.name == $1.name && $0.type == $1.type }
      && one.nodes.elementsEqual(other.nodes, by: areEqual)
  }

  private static func areEqual(_ one: Node, _ other: Node) -> Bool {
    one.name == other.name && one.inputs == other.inputs && one.outputs == other.outputs
      && one.source == other.source && one.quantization == other.quantization
      && AnyHashable(one.operation) == AnyHashable(other.operation)
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(graph.outputs)
    hasher.combine(graph.nodes.map(\.name))
  }
}

extension WeighbridgeError {
  /// The reason with the layer of a subgraph where it was found.
  fileprivate var reasonInLayer: String { (place.layer.map { "in \($0): " } ?? "") + reason }
}

extension Subgraph: CustomStringConvertible {
  /// The kinds of its nodes, such as `{add, comparison}`.
  package var description: String {
    "{\(graph.nodes.map(\.operation.kind).joined(separator: ", "))}"
  }
}

extension Graph {
  /// The same graph with constants in place of some inputs.
  ///
  /// - Parameter constants: The constants by the positions of the inputs; their types agree with those.
  package func binding(_ constants: [Int: Tensor]) -> Graph {
    let values = Dictionary(
      constants.map { (inputs[$0].value, $1) }, uniquingKeysWith: { first, _ in first })
    let bound = settingConstants(values)
    let others = inputs.indices.filter { constants[$0] == nil }.map { inputs[$0] }
    return Graph(values: bound.values, nodes: nodes, inputs: others, outputs: outputs)
  }

  /// Whether a node runs subgraphs.
  package var runsSubgraphs: Bool { nodes.contains { !$0.operation.subgraphs.isEmpty } }
}
