import GraphIR
import LayerCatalog

/// Decides which nodes are computed together.
struct Fusion {
  private let graph: Graph
  private let types: [TensorType]
  private let fusesFunctions: Bool
  /// For each value, the nodes that read it.
  private var readers: [[Int]]
  private var isOutput: [Bool]
  /// The nodes that are part of a group of another node.
  private var taken: [Bool]

  /// The groups of a graph, in an order in which they can be computed.
  ///
  /// - Parameters:
  ///   - types: The types of all values.
  ///   - isFused: Whether nodes are fused at all; otherwise each is a group by itself.
  ///   - fusesFunctions: Whether functions of single elements are fused too.
  /// - Complexity: Linear in the number of nodes and inputs.
  static func groups(
    of graph: Graph, types: [TensorType], isFused: Bool, fusesFunctions: Bool
  ) -> [NodeGroup] {
    var fusion = Fusion(graph, types, fusesFunctions: fusesFunctions)
    var groups: [NodeGroup] = []
    for position in graph.nodes.indices where !fusion.taken[position] {
      guard var group = fusion.group(at: position) else { continue }
      if isFused, !graph.isKnown(group) { fusion.extend(&group) }
      groups.append(group)
    }
    return groups.sorted { $0.positions.last ?? 0 < $1.positions.last ?? 0 }
  }

  private init(_ graph: Graph, _ types: [TensorType], fusesFunctions: Bool) {
    self.graph = graph
    self.types = types
    self.fusesFunctions = fusesFunctions
    readers = .init(repeating: [], count: graph.values.count)
    isOutput = .init(repeating: false, count: graph.values.count)
    taken = .init(repeating: false, count: graph.nodes.count)
    for (position, node) in graph.nodes.enumerated() {
      for id in node.inputs { readers[id.index].append(position) }
    }
    for port in graph.outputs { isOutput[port.value.index] = true }
  }

  /// A group of one node.
  private func group(at position: Int) -> NodeGroup? {
    let node = graph.nodes[position]
    guard let operation = node.operation as? any CatalogOperator else { return nil }
    return NodeGroup(
      positions: [position], operation: operation, quantization: node.quantization,
      inputs: node.inputs, outputs: node.outputs)
  }

  /// Adds to a group what can be computed with it.
  private mutating func extend(_ group: inout NodeGroup) {
    addPadding(&group)
    guard group.operation is any FusingOperator else { return }
    while let (position, node) = onlyReader(of: group) {
      guard addNormalization(node, &group) || addFunctions(node, &group) || addSum(node, &group)
      else { break }
      group.positions.append(position)
      group.outputs = node.outputs
      taken[position] = true
    }
    addDepthwise(&group)
  }

  /// A depthwise convolution of a large result is computed together with what makes that.
  private mutating func addDepthwise(_ group: inout NodeGroup) {
    guard group.operation is Convolution, group.quantization == nil, group.summand == nil,
      types[group.outputs[0].index].fixedShape?.reduce(1, *) ?? 0 >= Self.fewestInPairs,
      let position = onlyReader(of: group)?.position, var next = self.group(at: position)
    else { return }
    addPadding(&next)
    guard next.quantization == nil,
      (next.operation as? Convolution)?.isDepthwise(graph, next) ?? false
    else {
      for position in next.positions.dropFirst() { taken[position] = false }
      return
    }
    taken[position] = true
    extend(&next)
    group.positions += next.positions
    group.outputs = next.outputs
    group.depthwise = [next]
  }

  /// With fewer elements, the result stays in the nearer caches anyway.
  private static let fewestInPairs = 1 << 18

  /// The node that reads what a group makes, when it is the only one, nobody else needs that, and no
  /// other group has it.
  private func onlyReader(of group: NodeGroup) -> (position: Int, node: Node)? {
    guard group.outputs.count == 1, !isOutput[group.outputs[0].index] else { return nil }
    let positions = readers[group.outputs[0].index]
    guard positions.count == 1, !taken[positions[0]] else { return nil }
    return (positions[0], graph.nodes[positions[0]])
  }

  /// Padding with zeros in front of a convolution becomes the convolution's own.
  private mutating func addPadding(_ group: inout NodeGroup) {
    guard let padding = group.operation as? ZeroPadding,
      let (position, node) = onlyReader(of: group),
      let convolution = node.operation as? Convolution, convolution.layout == padding.layout,
      let window = convolution.window.padded(padding.borders)
    else { return }
    group.operation = convolution.replacing(window)
    group.quantization = node.quantization
    group.inputs += node.inputs.dropFirst()
    group.outputs = node.outputs
    group.positions.append(position)
    taken[position] = true
  }

  private func addNormalization(_ node: Node, _ group: inout NodeGroup) -> Bool {
    guard let operation = node.operation as? BatchNormalization, group.normalization == nil,
      group.additions.isEmpty, let fusing = group.operation as? any FusingOperator,
      operation.axis == fusing.channelAxis(rank: types[group.outputs[0].index].rank),
      node.inputs.dropFirst().allSatisfy({ graph[$0].constant != nil })
    else { return false }
    group.normalization = (operation, Array(node.inputs.dropFirst()))
    return true
  }

  private func addFunctions(_ node: Node, _ group: inout NodeGroup) -> Bool {
    guard fusesFunctions, let operation = node.operation as? any CatalogOperator,
      let functions = ElementFunction.functions(of: operation)
    else { return false }
    group.additions.append(.functions(functions))
    return true
  }

  /// A sum with a tensor of the same shape; of one that is made later than the group's first node,
  /// too, since a group is computed in the place of its last node.
  private func addSum(_ node: Node, _ group: inout NodeGroup) -> Bool {
    guard node.operation is Add, node.inputs.count == 2 else { return false }
    let own = group.outputs[0]
    let other = node.inputs[0] == own ? node.inputs[1] : node.inputs[0]
    let isSummed = group.additions.contains { if case .sum = $0 { true } else { false } }
    guard !isSummed, other != own, types[other.index] == types[own.index],
      graph[other].constant == nil
    else { return false }
    if let quantization = node.quantization {
      guard group.quantization != nil, node.inputs[quantization.input] == other else {
        return false
      }
    }
    group.additions.append(.sum(other, node.quantization))
    return true
  }
}

extension Graph {
  /// Whether what a group makes was computed beforehand.
  func isKnown(_ group: NodeGroup) -> Bool {
    group.outputs.allSatisfy { self[$0].constant != nil }
  }
}

/// An operator whose kernel can do more to its result before it stores it.
protocol FusingOperator: CatalogOperator {
  /// The axis of the output's channels.
  func channelAxis(rank: Int) -> Int
}

extension Window {
  /// The window on an input without the zeros that were added to it; `nil` when its own padding
  /// depends on the input.
  fileprivate func padded(_ borders: Borders) -> Window? {
    let padding: WindowPadding
    switch self.padding {
    case .same: return nil
    case .valid: padding = .explicit(before: borders.before, after: borders.after)
    case .explicit(let front, let back):
      padding = .explicit(
        before: zip(borders.before, front).map(+), after: zip(borders.after, back).map(+))
    }
    let window = Window(size: size, strides: strides, dilation: dilation, padding: padding)
    return window.problem == nil ? window : nil
  }
}
