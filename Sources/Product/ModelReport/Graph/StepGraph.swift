import GraphIR
import Weighbridge

/// A model's layers and the data flow between them, as drawn: where a layer was converted to a few
/// nodes, they are one step.
struct StepGraph {
  struct Step {
    enum Kind { case input, output, operation }

    let kind: Kind
    /// The full name.
    let name: String
    /// The last part of the name, after those of the models around it.
    let title: String
    /// The operators that it computes, one or more.
    fileprivate(set) var operators: [String]
    /// The shape of its last result.
    fileprivate(set) var shape: String
    /// The names of the nested models that contain it, the outermost first.
    let scope: [String]
    /// Whether it has weights.
    fileprivate(set) var hasWeights: Bool
    /// The index of the first node in the table of layers; `nil` for inputs and outputs.
    let layer: Int?

    /// The operators, and the shape of the result.
    var subtitle: String {
      let more = operators.count > 1 ? " + \(operators.count - 1)" : ""
      return [(operators.first ?? "") + more, shape].filter { !$0.isEmpty }.joined(separator: " ")
    }
  }

  /// The depth beyond which nested models are not distinguished.
  private static let depthLimit = 8
  /// The most nodes of a layer that are merged into one step; a layer with more is a block.
  private static let mergedNodeLimit = 4

  private(set) var steps: [Step] = []
  /// For each step, the steps that read its results; each once.
  private(set) var readers: [[Int]] = []
  private var arrows: Set<LayeredLayout.Arrow> = []

  /// Creates the steps of a model's graph: its inputs, its nodes, its outputs.
  init(_ graph: Graph) {
    var producers: [ValueID: Int] = [:]
    var nodeCounts: [String: Int] = [:]
    for node in graph.nodes { nodeCounts[node.source.callName, default: 0] += 1 }
    for port in graph.inputs {
      producers[port.value] = append(.input, port.name, shape: "\(graph[port.value].type.shape)")
    }
    var merged: [String: Int] = [:]
    for (position, node) in graph.nodes.enumerated() {
      let (layer, count) = (node.source.callName, nodeCounts[node.source.callName] ?? 1)
      let shape = node.outputs.first.map { "\(graph[$0].type.shape)" } ?? ""
      let hasWeights = node.inputs.contains { graph[$0].constant != nil }
      let isMerged = 2...Self.mergedNodeLimit ~= count
      let step: Int
      if isMerged, let first = merged[layer] {
        step = first
        steps[step].operators.append(node.operation.kind)
        steps[step].shape = shape
        steps[step].hasWeights = steps[step].hasWeights || hasWeights
      } else {
        let scope = Self.scope(node.source, isBlock: count > Self.mergedNodeLimit)
        step = append(
          .operation, isMerged ? layer : node.name, operators: [node.operation.kind], shape: shape,
          scope: scope, hasWeights: hasWeights, layer: position)
        merged[layer] = step
      }
      connect(node.inputs.compactMap { producers[$0] }, to: step)
      for id in node.outputs { producers[id] = step }
    }
    for port in graph.outputs {
      let step = append(.output, port.name, shape: "\(graph[port.value].type.shape)")
      connect([producers[port.value]].compactMap { $0 }, to: step)
    }
  }

  /// Creates the steps of a file's layers if it cannot be read as a whole, with their known inputs.
  init(_ layers: [Inspection.Layer]) {
    var producers: [String: Int] = [:]
    for (position, layer) in layers.enumerated() {
      let source = SourceScope(layer: layer.name, className: layer.className)
      let step = append(
        .operation, layer.name, operators: [layer.className],
        shape: layer.outputs.first.map { "\($0.shape)" } ?? "",
        scope: Self.scope(source, isBlock: false), hasWeights: layer.parameterCount > 0,
        layer: position)
      connect(layer.inputs.compactMap { producers[$0] }, to: step)
      producers[layer.name] = step
    }
  }

  /// Returns the models around a layer, and the layer itself where it is a block.
  private static func scope(_ source: SourceScope, isBlock: Bool) -> [String] {
    let parts = source.layer.split(separator: "/").map(String.init)
    var scope = Array((isBlock ? parts : parts.dropLast()).prefix(depthLimit))
    if source.call > 0, !scope.isEmpty { scope[0] += ":\(source.call)" }
    return scope
  }

  private mutating func connect(_ producers: [Int], to step: Int) {
    for producer in producers where producer != step {
      let isNew = arrows.insert(LayeredLayout.Arrow(from: producer, to: step)).inserted
      if isNew { readers[producer].append(step) }
    }
  }

  private mutating func append(
    _ kind: Step.Kind, _ name: String, operators: [String] = [], shape: String,
    scope: [String] = [], hasWeights: Bool = false, layer: Int? = nil
  ) -> Int {
    let parts = name.split(separator: "/")
    let title =
      parts.count > scope.count ? parts.dropFirst(scope.count).joined(separator: "/") : name
    steps.append(
      Step(
        kind: kind, name: name, title: title, operators: operators, shape: shape, scope: scope,
        hasWeights: hasWeights, layer: layer))
    readers.append([])
    return steps.count - 1
  }
}
