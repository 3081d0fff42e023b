import GraphIR
import LayerCatalog

/// A graph prepared for comparison: without pass-through nodes, and in an order that depends on the
/// computation and not on the order in the file.
struct ComparableGraph {
  /// The source of a node's data.
  enum Origin: Hashable {
    /// An output of a node, by the node's position in ``nodes`` and the output's index.
    case node(Int, output: Int)
    /// An input of the model, by its position.
    case input(Int)
    /// A weight.
    case weight(ValueID)
  }

  let graph: Graph
  /// The nodes that compute something, in the topological order of a depth-first search from the
  /// outputs; nodes that no output needs come last.
  let nodes: [Node]
  /// The source of each value, with pass-through nodes skipped.
  private let origins: [ValueID: Origin]

  /// Takes O(nodes).
  init(_ graph: Graph) {
    self.graph = graph
    let aliases = Self.aliases(graph)
    let order = Self.order(graph, aliases)
    nodes = order.map { graph.nodes[$0] }
    var origins: [ValueID: Origin] = [:]
    for (position, port) in graph.inputs.enumerated() { origins[port.value] = .input(position) }
    for (position, node) in nodes.enumerated() {
      for (output, id) in node.outputs.enumerated() {
        origins[id] = .node(position, output: output)
      }
    }
    for (id, source) in aliases { origins[id] = origins[source] ?? .weight(source) }
    self.origins = origins
  }

  /// Returns the source of a value.
  func origin(of value: ValueID) -> Origin { origins[value] ?? .weight(value) }

  /// Returns a node's operator with its padding resolved to explicit amounts.
  func operation(_ position: Int) -> any Operator {
    let node = nodes[position]
    guard let windowed = node.operation as? any WindowedOperator else { return node.operation }
    return windowed.resolvingPadding(for: graph[node.inputs[0]].type)
  }

  /// Returns the layer of a node for messages.
  func layer(_ position: Int) -> String {
    let source = nodes[position].source
    return source.role.isEmpty ? source.callName : "\(source.callName)/\(source.role)"
  }

  /// Describes a value's source for a message.
  func describe(_ origin: Origin) -> String {
    switch origin {
    case .node(let position, _): layer(position)
    case .input(let position): "the input \(graph.inputs[position].name)"
    case .weight(let id): "the weight \(graph[id].name)"
    }
  }

  /// Maps each output of a pass-through node to the value that it passes through.
  private static func aliases(_ graph: Graph) -> [ValueID: ValueID] {
    var aliases: [ValueID: ValueID] = [:]
    for node in graph.nodes where isPassThrough(node, graph) {
      aliases[node.outputs[0]] = aliases[node.inputs[0]] ?? node.inputs[0]
    }
    return aliases
  }

  /// Whether a node is the identity (such as Dropout), transposes between channels last and
  /// channels first, adds a batch axis to an input, or removes it from an output.
  private static func isPassThrough(_ node: Node, _ graph: Graph) -> Bool {
    if node.operation is Identity { return true }
    if let expansion = node.operation as? ExpandDims {
      return expansion.axes == [0] && graph.inputs.contains { $0.value == node.inputs[0] }
    }
    if let squeeze = node.operation as? Squeeze {
      return squeeze.axes == [0] && graph.outputs.contains { $0.value == node.outputs[0] }
    }
    guard let transpose = node.operation as? Transpose else { return false }
    let axes = Array(transpose.axes.indices)
    guard axes.count >= 3 else { return false }
    return transpose.axes == DataLayout.channelsLast.axesToChannelsFirst(rank: axes.count)
      || transpose.axes == DataLayout.channelsLast.axesFromChannelsFirst(rank: axes.count)
  }

  private static func order(_ graph: Graph, _ aliases: [ValueID: ValueID]) -> [Int] {
    var producers: [ValueID: Int] = [:]
    for (position, node) in graph.nodes.enumerated() where aliases[node.outputs[0]] == nil {
      for id in node.outputs { producers[id] = position }
    }
    let sources = graph.nodes.map { node in
      node.inputs.compactMap { producers[aliases[$0] ?? $0] }
    }
    var order: [Int] = []
    var isVisited = [Bool](repeating: false, count: graph.nodes.count)
    let outputNodes = graph.outputs.compactMap { producers[aliases[$0.value] ?? $0.value] }
    let allNodes = graph.nodes.indices.filter { aliases[graph.nodes[$0].outputs[0]] == nil }
    for root in outputNodes + allNodes where !isVisited[root] {
      var stack = [(node: root, next: 0)]
      isVisited[root] = true
      while let (node, next) = stack.last {
        guard next < sources[node].count else {
          order.append(node)
          stack.removeLast()
          continue
        }
        stack[stack.count - 1].next += 1
        let source = sources[node][next]
        if !isVisited[source] {
          isVisited[source] = true
          stack.append((source, 0))
        }
      }
    }
    return order
  }
}
