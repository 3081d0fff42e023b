package import Bytes
package import GraphIR
import LayerCatalog

/// A body that becomes a subgraph, and the values from outside that it reads.
package struct ValueSubgraph {
  /// The graph with its weights; its first inputs are those that its operator gives it.
  private let graph: Graph
  private let givenCount: Int
  /// The values outside, for each of the graph's values that is read from there.
  private var captured: [ValueID: ValueID]

  /// The types of the outputs.
  package var outputTypes: [TensorType] { graph.outputs.map { graph[$0.value].type } }

  /// The operators, with the types of their inputs.
  package var operations: [(operation: any Operator, inputs: [TensorType])] {
    graph.nodes.map { node in (node.operation, node.inputs.map { graph[$0].type }) }
  }

  /// The values outside that the body reads, each once.
  package var outside: [ValueID] {
    var seen: Set<ValueID> = []
    return (graph.inputs.map(\.value) + graph.values.indices.map { ValueID($0) })
      .compactMap { captured[$0] }.filter { seen.insert($0).inserted }
  }

  /// Returns the subgraph without weights, which takes values from outside as inputs after those that its
  /// operator gives it.
  ///
  /// - Parameters:
  ///   - outside: The values outside, in the order of the inputs, with their types; it may read only some
  ///     of them.
  package func subgraph(
    passing outside: [(id: ValueID, type: TensorType)]
  ) throws(WeighbridgeError) -> Subgraph {
    var copy = GraphCopy(graph)
    var names = UniqueNames(graph.values.map(\.name))
    for port in graph.inputs.prefix(givenCount) { try copy.addInput(port) }
    let readers = Dictionary(grouping: captured.keys) { captured[$0] ?? $0 }
    for (id, type) in outside {
      let readers = (readers[id] ?? []).sorted { $0.index < $1.index }
      guard let first = readers.first else {
        _ = try copy.builder.addInput(names.unused("unused"), type)
        continue
      }
      try copy.addInput(Port(name: graph[first].name, value: first))
      for other in readers.dropFirst() { copy[other] = copy[first] }
    }
    for position in graph.path(to: graph.outputs.map(\.value)) {
      try copy.add(graph.nodes[position])
    }
    return try Subgraph(copy.finish())
  }
}

extension ValueSubgraph {
  /// - Parameters:
  ///   - graph: The graph with its weights, of which it keeps what the outputs need.
  ///   - givenCount: The number of inputs that the operator gives it, which come first.
  ///   - inputs: The values outside that the other inputs stand for.
  fileprivate init(_ graph: Graph, givenCount: Int, inputs: [ValueID: ValueID]) {
    (self.graph, self.givenCount) = (graph, givenCount)
    let needed = graph.neededValues
    captured = inputs.filter { needed.contains($0.key) }
  }

  /// Adds its weights to the network around it.
  fileprivate mutating func moveWeights<Context>(
    to network: inout ValueNetwork<Context>, _ source: SourceScope
  ) throws(WeighbridgeError) {
    let needed = graph.neededValues
    for (index, value) in graph.values.enumerated() where needed.contains(ValueID(index)) {
      guard let tensor = value.constant else { continue }
      captured[ValueID(index)] = try network.id(.constant(value.name, tensor), source)
    }
  }
}

/// Bodies that become subgraphs.
extension ValueLayer {
  /// Builds a body as a subgraph. Its weights are its own until ``moveWeights(of:)``.
  ///
  /// - Parameters:
  ///   - context: What the nodes of the body share.
  ///   - given: The names and types of the inputs that its operator gives it.
  ///   - names: The names of the values around it that it may read.
  ///   - values: Other values around it that it reads.
  ///   - build: Adds its nodes to the layer's network, which is that of the subgraph during the call, and
  ///     returns its outputs. Gets the given inputs, and what stands for the values around it.
  package mutating func subgraph(
    _ context: Context, given: [(name: String, type: TensorType)], reading names: [String],
    _ values: [SourceValue],
    build: (inout Self, _ given: [SourceValue], _ values: [SourceValue]) throws(WeighbridgeError) ->
      [SourceValue]
  ) throws(WeighbridgeError) -> ValueSubgraph {
    let outer = network
    var capture = ValueCapture(outer, ValueNetwork(subgraphOf: outer, context))
    var inputs: [SourceValue] = []
    for (name, type) in given { inputs.append(try capture.inner.addSubgraphInput(name, type)) }
    for name in names {
      guard let value = outer.values[name] else { continue }
      try capture.inner.define(name, try capture.value(value, name))
    }
    var others: [SourceValue] = []
    for value in values { others.append(try capture.value(value, "passed")) }
    network = capture.inner
    do throws(WeighbridgeError) {
      let outputs = try build(&self, inputs, others)
      var ports: [Port] = []
      for (position, output) in outputs.enumerated() {
        let id = try network.output("\(source.layer)/output_\(position)", output)
        ports.append(Port(name: "\(position)", value: id))
      }
      let graph = try network.graph.finish(outputs: ports)
      let inner = network
      network = outer
      network.finish(subgraph: inner)
      return ValueSubgraph(graph, givenCount: given.count, inputs: capture.outside)
    } catch {
      network.restore(outer)
      throw error
    }
  }

  /// Adds the weights of a body to the network around it, which passes them to the body.
  package mutating func moveWeights(of body: inout ValueSubgraph) throws(WeighbridgeError) {
    try body.moveWeights(to: &network, source)
  }

  /// Adds the nodes of a body that was built as a subgraph to the network, and returns its outputs.
  package mutating func inline(
    _ body: ValueSubgraph
  ) throws(WeighbridgeError) -> [SourceValue] {
    try body.added(to: &network)
  }
}

extension ValueSubgraph {
  /// Adds the nodes to a network, and returns the outputs.
  fileprivate func added<Context>(
    to network: inout ValueNetwork<Context>
  ) throws(WeighbridgeError) -> [SourceValue] {
    var ids = captured
    for position in graph.path(to: graph.outputs.map(\.value)) {
      let node = graph.nodes[position]
      guard let operation = node.operation as? any CatalogOperator else { continue }
      let outputs = try network.add(operation, node.inputs.compactMap { ids[$0] }, node.source)
      for (id, output) in zip(node.outputs, outputs) { ids[id] = output }
    }
    return graph.outputs.compactMap { ids[$0.value] }.map { .computed($0) }
  }
}

/// What a subgraph reads from the network around it.
private struct ValueCapture<Context> {
  let outer: ValueNetwork<Context>
  var inner: ValueNetwork<Context>
  /// The value around the subgraph for each of its inputs.
  private(set) var outside: [ValueID: ValueID] = [:]
  private var inputs: [ValueID: SourceValue] = [:]

  init(_ outer: ValueNetwork<Context>, _ inner: ValueNetwork<Context>) {
    (self.outer, self.inner) = (outer, inner)
  }

  /// Returns what stands for a value in the subgraph: a constant, or an input.
  mutating func value(
    _ value: SourceValue, _ name: String
  ) throws(WeighbridgeError) -> SourceValue {
    switch value {
    case .constant: return value
    case .computed(let id):
      if let tensor = outer.graph.constant(of: id) { return .constant(name, tensor) }
      if let input = inputs[id] { return input }
      let input = try inner.addSubgraphInput(name, outer.graph.type(of: id))
      if case .computed(let inside) = input { outside[inside] = id }
      if let number = outer.fillValue(of: value) { inner.recordFill(of: input, with: number) }
      inputs[id] = input
      return input
    case .dimensions(let dimensions, let isList, let type):
      var inside: [SourceDimension] = []
      for dimension in dimensions { inside.append(try self.dimension(dimension, name)) }
      return .dimensions(inside, isList: isList, as: type)
    }
  }

  private mutating func dimension(
    _ dimension: SourceDimension, _ name: String
  ) throws(WeighbridgeError) -> SourceDimension {
    switch dimension {
    case .known: return dimension
    case .axis(let id, let axis, let times):
      switch try value(.computed(id), name) {
      case .computed(let id): return .axis(id, axis, times: times)
      case let other:
        return inner.type(other).shape[axis].value.map { .known($0 * times) } ?? dimension
      }
    case .computed(let id):
      switch try value(.computed(id), name) {
      case .computed(let id): return .computed(id)
      case let other: return other.dimensions?.first ?? dimension
      }
    }
  }
}
