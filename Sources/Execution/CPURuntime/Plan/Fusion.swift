import GraphIR
import LayerCatalog

/// Groups nodes that are computed together.
struct Fusion {
  private let graph: Graph
  private let types: [TensorType]
  private let roundings: [ValueID: FakeQuantization]
  /// The groups of nodes that are one operation, by the position of the last one.
  private var merged: [Int: NodeGroup] = [:]
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
  ///   - roundings: The values whose integers readers may compute with.
  /// - Complexity: Linear in the number of nodes and inputs.
  static func groups(
    of graph: Graph, types: [TensorType], isFused: Bool,
    roundings: [ValueID: FakeQuantization] = [:]
  ) -> [NodeGroup] {
    var fusion = Fusion(graph, types, roundings)
    if isFused { fusion.merge() }
    var groups: [NodeGroup] = []
    for position in graph.nodes.indices where !fusion.isGrouped[position] {
      guard var group = fusion.group(at: position) else { continue }
      if isFused, !graph.isConstant(group) { fusion.extend(&group) }
      groups.append(group)
    }
    return groups.sorted { $0.positions.last ?? 0 < $1.positions.last ?? 0 }
  }

  private init(
    _ graph: Graph, _ types: [TensorType], _ roundings: [ValueID: FakeQuantization]
  ) {
    self.graph = graph
    self.types = types
    self.roundings = roundings
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

  /// A group of one node, or of nodes that are one operation.
  private func group(at position: Int) -> NodeGroup? {
    if let group = merged[position] { return group }
    let node = graph.nodes[position]
    guard let operation = node.operation as? any CatalogOperator else { return nil }
    var group = NodeGroup(
      positions: [position], operation: operation, quantization: node.quantization,
      inputs: node.inputs, outputs: node.outputs)
    group.rounding = rounding(of: node)
    group.combinesRounded = combinesRounded(node)
    return group
  }

  /// How a node's data are rounded, if it can compute the same with integers.
  private func rounding(of node: Node) -> FakeQuantization? {
    guard let data = node.inputs.first, let rounding = roundings[data], node.quantization == nil,
      let operation = node.operation as? any QuantizableOperator,
      graph.quantizationProblem(node) == nil,
      types[node.outputs[0].index].fixedShape?.contains(0) == false,
      let kernel = graph[node.inputs[1]].constant,
      QuantizedChannels.areStored(in: kernel, transposedGroups: operation.transposedGroups)
    else { return nil }
    return rounding
  }

  /// Whether a node adds or multiplies two values that are rounded to integers, or applies a function to
  /// one.
  private func combinesRounded(_ node: Node) -> Bool {
    guard let operation = node.operation as? any CatalogOperator, node.quantization == nil,
      node.inputs.allSatisfy({
        roundings[$0] != nil && types[$0.index] == types[node.outputs[0].index]
      })
    else { return false }
    if operation is Add || operation is Multiply { return node.inputs.count == 2 }
    return node.inputs.count == 1 && ElementFunction.functions(of: operation) != nil
  }

  /// Groups the nodes that round values to integers and convert them back, but for nodes that others
  /// read, and those that compute an activation function.
  private mutating func merge() {
    let functions = WrittenOutFunction.all(
      in: graph, types: types, readers: readers, isOutput: isOutput)
    for function in functions where function.positions.allSatisfy({ !isGrouped[$0] }) {
      let isRounded = roundings[function.input] != nil
      merge(function.positions, function.input, function.output) { group in
        (group.operation, group.isWrittenOut) = (function.operation, true)
        group.combinesRounded = isRounded
      }
    }
    let ordered = roundings.sorted { $0.key.index < $1.key.index }
    let positions = Set(ordered.flatMap(\.value.positions))
    var absorbed = Set(ordered.compactMap(\.value.positions.last))
    for position in positions.sorted(by: >) where !absorbed.contains(position) {
      let isPrivate = graph.nodes[position].outputs.allSatisfy { id in
        !isOutput[id.index] && readers[id.index].allSatisfy(absorbed.contains)
      }
      if isPrivate { absorbed.insert(position) }
    }
    for (id, rounding) in ordered {
      let own = rounding.positions.filter { absorbed.contains($0) && !isGrouped[$0] }
      merge(own, rounding.input, id) { $0.isFakeQuantization = true }
    }
  }

  /// Makes nodes a group that is at the position of the last one.
  private mutating func merge(
    _ positions: [Int], _ input: ValueID, _ output: ValueID, _ change: (inout NodeGroup) -> Void
  ) {
    guard let last = positions.last, var group = group(at: last) else { return }
    (group.positions, group.inputs, group.outputs) = (positions, [input], [output])
    (group.combinesRounded, group.rounding) = (false, nil)
    change(&group)
    merged[last] = group
    for position in positions.dropLast() { isGrouped[position] = true }
    readers[input.index].removeAll(where: positions.contains)
    readers[input.index].append(last)
  }

  /// Fuses subsequent nodes into a group.
  private mutating func extend(_ group: inout NodeGroup) {
    addPadding(&group)
    let isFusing = group.operation is any FusingOperator
    guard isFusing || group.combinesRounded else { return }
    while let (position, next) = onlyReader(of: group), !next.isFakeQuantization {
      guard
        isFusing && addNormalization(next, &group) || addFunctions(next, &group)
          || isFusing && addSum(next, &group)
      else { break }
      group.positions += next.positions
      group.outputs = next.outputs
      isGrouped[position] = true
    }
    group.positions.sort()
    addDepthwise(&group)
  }

  /// Fuses a depthwise convolution of a large result.
  private mutating func addDepthwise(_ group: inout NodeGroup) {
    guard group.operation is Convolution, !group.readsReduced, group.summand == nil,
      types[group.outputs[0].index].fixedShape?.reduce(1, *) ?? 0 >= Self.minimumPairedElementCount,
      let position = onlyReader(of: group)?.position, var next = self.group(at: position)
    else { return }
    addPadding(&next)
    guard !next.readsReduced,
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
  private func onlyReader(of group: NodeGroup) -> (position: Int, group: NodeGroup)? {
    guard group.outputs.count == 1, !isOutput[group.outputs[0].index] else { return nil }
    let positions = readers[group.outputs[0].index]
    guard positions.count == 1, !isGrouped[positions[0]] else { return nil }
    return self.group(at: positions[0]).map { (positions[0], $0) }
  }

  /// Fuses zero padding into the following operator.
  private mutating func addPadding(_ group: inout NodeGroup) {
    guard let padding = group.operation as? ZeroPadding,
      let (position, next) = onlyReader(of: group),
      let operation = padded(next.operation, padding, of: group.inputs[0])
    else { return }
    group.operation = operation
    group.quantization = next.quantization
    group.inputs += next.inputs.dropFirst()
    group.outputs = next.outputs
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

  private func addNormalization(_ next: NodeGroup, _ group: inout NodeGroup) -> Bool {
    guard let operation = next.operation as? BatchNormalization, group.normalization == nil,
      group.additions.isEmpty, let fusing = group.operation as? any FusingOperator,
      operation.axis == fusing.channelAxis(rank: types[group.outputs[0].index].rank),
      next.inputs.dropFirst().allSatisfy({ graph[$0].constant != nil })
    else { return false }
    group.normalization = (operation, Array(next.inputs.dropFirst()))
    return true
  }

  private func addFunctions(_ next: NodeGroup, _ group: inout NodeGroup) -> Bool {
    guard let functions = ElementFunction.functions(of: next.operation) else { return false }
    group.additions.append(.functions(functions))
    return true
  }

  /// Fuses a sum with a tensor of the same shape. The tensor may be computed after the group's
  /// first node, since a group is computed at the position of its last node.
  private func addSum(_ next: NodeGroup, _ group: inout NodeGroup) -> Bool {
    guard next.operation is Add, next.inputs.count == 2 else { return false }
    let groupOutput = group.outputs[0]
    let other = next.inputs[0] == groupOutput ? next.inputs[1] : next.inputs[0]
    let isSummed = group.additions.contains { if case .sum = $0 { true } else { false } }
    guard !isSummed, other != groupOutput, types[other.index] == types[groupOutput.index],
      graph[other].constant == nil
    else { return false }
    if let quantization = next.quantization {
      guard group.quantization != nil, next.inputs[quantization.input] == other else {
        return false
      }
    }
    group.additions.append(.sum(other, next.quantization))
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
