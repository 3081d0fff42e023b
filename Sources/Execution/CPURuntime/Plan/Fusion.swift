import GraphIR
import LayerCatalog

/// Groups nodes that are computed together.
struct Fusion {
  private let graph: Graph
  private let types: [TensorType]
  /// For each value, the nodes that read it.
  private var readers: [[Int]]
  private var isOutput: [Bool]
  /// For each value, whether its elements are known not to be negative; they may be NaN.
  private var isRectified: [Bool]
  /// For each node, whether it is fused into another node's group.
  private var isGrouped: [Bool]

  /// The groups of a graph, in an order in which they can be computed.
  ///
  /// - Parameters:
  ///   - types: The types of all values.
  ///   - isFused: Whether nodes are fused at all; otherwise each is a group of its own.
  /// - Complexity: Linear in the number of nodes and inputs.
  static func groups(
    of graph: Graph, types: [TensorType], isFused: Bool
  ) -> [NodeGroup] {
    var fusion = Fusion(graph, types)
    var groups: [NodeGroup] = []
    for position in graph.nodes.indices where !fusion.isGrouped[position] {
      guard var group = fusion.group(at: position) else { continue }
      if isFused, !graph.isConstant(group) { fusion.extend(&group) }
      groups.append(group)
    }
    return groups.sorted { $0.positions.last ?? 0 < $1.positions.last ?? 0 }
  }

  private init(_ graph: Graph, _ types: [TensorType]) {
    self.graph = graph
    self.types = types
    readers = .init(repeating: [], count: graph.values.count)
    isOutput = .init(repeating: false, count: graph.values.count)
    isRectified = .init(repeating: false, count: graph.values.count)
    isGrouped = .init(repeating: false, count: graph.nodes.count)
    for (position, node) in graph.nodes.enumerated() {
      for id in node.inputs { readers[id.index].append(position) }
      guard let relu = node.operation as? ReLU, relu.slope == 0, relu.threshold >= 0 else {
        continue
      }
      for id in node.outputs { isRectified[id.index] = true }
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

  /// Fuses subsequent nodes into a group.
  private mutating func extend(_ group: inout NodeGroup) {
    addPadding(&group)
    guard group.operation is any FusingOperator else { return }
    while let (position, node) = onlyReader(of: group) {
      guard addNormalization(node, &group) || addFunctions(node, &group) || addSum(node, &group)
      else { break }
      group.positions.append(position)
      group.outputs = node.outputs
      isGrouped[position] = true
    }
    addDepthwise(&group)
  }

  /// Fuses a depthwise convolution of a large result.
  private mutating func addDepthwise(_ group: inout NodeGroup) {
    guard group.operation is Convolution, group.quantization == nil, group.summand == nil,
      types[group.outputs[0].index].fixedShape?.reduce(1, *) ?? 0 >= Self.minimumPairedElementCount,
      let position = onlyReader(of: group)?.position, var next = self.group(at: position)
    else { return }
    addPadding(&next)
    guard next.quantization == nil,
      (next.operation as? Convolution)?.isDepthwise(graph, next) ?? false
    else {
      for position in next.positions.dropFirst() { isGrouped[position] = false }
      return
    }
    isGrouped[position] = true
    extend(&next)
    group.positions += next.positions
    group.outputs = next.outputs
    group.depthwise = [next]
  }

  /// The minimum size of the intermediate result; smaller ones fit in the inner caches anyway.
  private static let minimumPairedElementCount = 1 << 18

  /// The only reader of a group's output, if it belongs to no other group and the output is not one
  /// of the graph's.
  private func onlyReader(of group: NodeGroup) -> (position: Int, node: Node)? {
    guard group.outputs.count == 1, !isOutput[group.outputs[0].index] else { return nil }
    let positions = readers[group.outputs[0].index]
    guard positions.count == 1, !isGrouped[positions[0]] else { return nil }
    return (positions[0], graph.nodes[positions[0]])
  }

  /// Fuses zero padding into the following operator.
  private mutating func addPadding(_ group: inout NodeGroup) {
    guard let padding = group.operation as? ZeroPadding,
      let (position, node) = onlyReader(of: group),
      let operation = padded(node.operation, padding, of: group.inputs[0])
    else { return }
    group.operation = operation
    group.quantization = node.quantization
    group.inputs += node.inputs.dropFirst()
    group.outputs = node.outputs
    group.positions.append(position)
    isGrouped[position] = true
  }

  /// The operator that computes from a value what another computes from the padded value.
  private func padded(
    _ operation: any Operator, _ padding: ZeroPadding, of value: ValueID
  ) -> (any CatalogOperator)? {
    switch operation {
    case let convolution as Convolution where convolution.layout == padding.layout:
      return convolution.window.padded(padding.borders).map(convolution.replacing)
    case let pooling as MaxPooling where pooling.layout == padding.layout:
      // Zeros are not larger than elements that are not negative. If a window covers nothing else
      // but NaN, the kernel takes the zeros into account.
      guard isRectified[value.index],
        let window = pooling.window.padded(padding.borders), !window.mayLieInPadding
      else { return nil }
      return pooling.replacing(window)
    default: return nil
    }
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
    guard let operation = node.operation as? any CatalogOperator,
      let functions = ElementFunction.functions(of: operation)
    else { return false }
    group.additions.append(.functions(functions))
    return true
  }

  /// Fuses a sum with a tensor of the same shape. The tensor may be computed after the group's
  /// first node, since a group is computed at the position of its last node.
  private func addSum(_ node: Node, _ group: inout NodeGroup) -> Bool {
    guard node.operation is Add, node.inputs.count == 2 else { return false }
    let groupOutput = group.outputs[0]
    let other = node.inputs[0] == groupOutput ? node.inputs[1] : node.inputs[0]
    let isSummed = group.additions.contains { if case .sum = $0 { true } else { false } }
    guard !isSummed, other != groupOutput, types[other.index] == types[groupOutput.index],
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
  /// Whether a group's outputs have been folded to constants.
  func isConstant(_ group: NodeGroup) -> Bool {
    group.outputs.allSatisfy { self[$0].constant != nil }
  }
}

/// An operator whose kernel can apply post-operations to its result.
protocol FusingOperator: CatalogOperator {
  /// The axis of the output's channels.
  func channelAxis(rank: Int) -> Int
}

extension Window {
  /// The window with additional zero padding; `nil` if its own padding depends on the input.
  fileprivate func padded(_ borders: Borders) -> Window? {
    let padding: WindowPadding
    switch self.padding {
    case .same: return nil
    case .valid: padding = .explicit(before: borders.before, after: borders.after)
    case .explicit(let before, let after):
      padding = .explicit(
        before: zip(borders.before, before).map(+), after: zip(borders.after, after).map(+))
    }
    let window = Window(size: size, strides: strides, dilation: dilation, padding: padding)
    return window.problem == nil ? window : nil
  }
}
