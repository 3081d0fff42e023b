import GraphIR
import Weighbridge

/// A model's steps and what flows between them, as they are drawn.
struct StepGraph {
  struct Step {
    enum Kind { case input, output, operation }

    let kind: Kind
    /// The whole name.
    let name: String
    /// The last part of the name, behind those of the models around it.
    let title: String
    /// What it computes, and the shape of what it makes.
    let subtitle: String
    /// The names of the nested models that it stands in, the outermost first.
    let scope: [String]
    /// Whether it has weights.
    let hasWeights: Bool
    /// The position in the table of layers; `nil` for inputs and outputs.
    let layer: Int?
  }

  /// Deeper nesting is not told apart.
  private static let depthLimit = 8

  private(set) var steps: [Step] = []
  /// From the step that makes something to one that reads it; each pair once.
  private(set) var arrows: [LayeredLayout.Arrow] = []

  /// A model's graph: its inputs, its nodes, its outputs.
  init(_ graph: Graph) {
    var makers: [ValueID: Int] = [:]
    for port in graph.inputs {
      makers[port.value] = steps.count
      append(.input, port.name, "\(graph[port.value].type.shape)")
    }
    for (position, node) in graph.nodes.enumerated() {
      let shape = node.outputs.first.map { " \(graph[$0].type.shape)" } ?? ""
      let readers = Set(node.inputs.compactMap { makers[$0] })
      connect(readers)
      append(
        .operation, node.name, node.operation.kind + shape,
        call: node.source.call, hasWeights: node.inputs.contains { graph[$0].constant != nil },
        layer: position)
      for id in node.outputs { makers[id] = steps.count - 1 }
    }
    for port in graph.outputs {
      connect(Set([makers[port.value]].compactMap { $0 }))
      append(.output, port.name, "\(graph[port.value].type.shape)")
    }
  }

  /// The layers of a file that is not understood as a whole, as far as they say what they read.
  init(_ layers: [Inspection.Layer]) {
    var makers: [String: Int] = [:]
    for (position, layer) in layers.enumerated() {
      connect(Set(layer.inputs.compactMap { makers[$0] }))
      let shape = layer.outputs.first.map { " \($0.shape)" } ?? ""
      append(
        .operation, layer.name, layer.className + shape, hasWeights: layer.parameterCount > 0,
        layer: position)
      makers[layer.name] = steps.count - 1
    }
  }

  /// Arrows to the step that comes next.
  private mutating func connect(_ makers: Set<Int>) {
    arrows += makers.sorted().map { LayeredLayout.Arrow(from: $0, to: steps.count) }
  }

  private mutating func append(
    _ kind: Step.Kind, _ name: String, _ subtitle: String, call: Int = 0,
    hasWeights: Bool = false, layer: Int? = nil
  ) {
    let parts = name.split(separator: "/").map(String.init)
    let isNested = kind == .operation && parts.count > 1
    var scope = isNested ? Array(parts.dropLast().prefix(Self.depthLimit)) : []
    if call > 0, !scope.isEmpty { scope[0] += ":\(call)" }
    let title = isNested ? parts.dropFirst(scope.count).joined(separator: "/") : name
    steps.append(
      Step(
        kind: kind, name: name, title: title, subtitle: subtitle, scope: scope,
        hasWeights: hasWeights, layer: layer))
  }
}
