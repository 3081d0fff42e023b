import Bytes
import GraphIR
import LayerCatalog

/// The conversion of a graph's image operators to one layout, node by node.
struct LayoutConverter {
  private var original: Graph { copy.original }
  private let layout: DataLayout
  /// The converted graph so far, with the converted value of each original value in the source's
  /// axis order.
  private var copy: GraphCopy
  /// The converted value of each original value that is not constant in the target order; `nil`
  /// until it exists.
  private var transposedValues: [ValueID?]
  /// The transposed copies of constants. A constant may have several: a weight without a batch axis
  /// is permuted in another way than data of the same rank.
  private var transposedConstants: [TransposedConstant: ValueID] = [:]
  /// Whether a value was produced in the target order.
  private var isProducedTransposed: [Bool]

  private struct TransposedConstant: Hashable {
    let original: ValueID
    let axes: [Int]
  }

  init(_ graph: Graph, to layout: DataLayout) {
    copy = GraphCopy(graph)
    self.layout = layout
    transposedValues = .init(repeating: nil, count: graph.values.count)
    isProducedTransposed = .init(repeating: false, count: graph.values.count)
  }

  /// The values of at least four axes that reach an operator which needs them transposed, directly
  /// or through operators that can work in the target order.
  ///
  /// - Parameter needsLayout: Whether the target has an operator for its own layout only.
  func images(_ needsLayout: (any CatalogOperator) -> Bool) -> Set<ValueID> {
    var images: Set<ValueID> = []
    for node in original.nodes.reversed() {
      guard let operation = node.operation as? any CatalogOperator else { continue }
      for (slot, id) in node.inputs.enumerated() where original[id].type.rank >= 4 {
        if case .weight = operation.slot(slot) { continue }
        let reachesNeed =
          needsLayout(operation)
          ? isInOppositeLayout(operation)
          : node.outputs.contains(where: images.contains)
            && transposed(operation, rank: original[id].type.rank) != nil
        if reachesNeed { images.insert(id) }
      }
    }
    return images
  }

  /// Whether a value was produced in the target order.
  func isTransposed(_ id: ValueID) -> Bool { isProducedTransposed[id.index] }

  /// The permutation from the source's axis order to the target order.
  private func axes(rank: Int) -> [Int] {
    layout == .channelsFirst
      ? DataLayout.channelsLast.axesToChannelsFirst(rank: rank)
      : DataLayout.channelsLast.axesFromChannelsFirst(rank: rank)
  }

  /// The inverse of ``axes(rank:)``.
  private func inverseAxes(rank: Int) -> [Int] {
    layout == .channelsFirst
      ? DataLayout.channelsLast.axesFromChannelsFirst(rank: rank)
      : DataLayout.channelsLast.axesToChannelsFirst(rank: rank)
  }

  /// Whether an operator works on data in the opposite layout.
  private func isInOppositeLayout(_ operation: any CatalogOperator) -> Bool {
    (operation as? any ImageOperator)?.layout == layout.opposite
  }

  /// Returns the operator for data of `rank` axes in the target order; `nil` if there is none.
  private func transposed(_ operation: any CatalogOperator, rank: Int) -> (any CatalogOperator)? {
    guard rank >= 3 else { return nil }
    return operation.permutingAxes(axes(rank: rank))
  }

  /// Adds an input of the original, in the source's axis order or in the target order.
  mutating func addInput(_ port: Port, isTransposed: Bool) throws(WeighbridgeError) {
    var type = original[port.value].type
    if isTransposed {
      let axes = axes(rank: type.rank)
      type.shape = axes.map { type.shape[$0] }
    }
    try copy.addInput(port, type)
    guard isTransposed, let id = copy[port.value] else { return }
    copy[port.value] = nil
    record(port.value, id, isTransposed: true)
  }

  private mutating func record(_ original: ValueID, _ new: ValueID, isTransposed: Bool) {
    if isTransposed {
      transposedValues[original.index] = new
    } else {
      copy[original] = new
    }
    isProducedTransposed[original.index] = isTransposed
  }

  /// Returns a value in the source's axis order.
  mutating func untransposed(_ id: ValueID) throws(WeighbridgeError) -> ValueID {
    let value = original[id]
    if let transposed = transposedValues[id.index], copy[id] == nil {
      copy[id] = try transpose(
        transposed, inverseAxes(rank: value.type.rank),
        "\(value.name)/\(layout.opposite.rawValue)")
    }
    return try copy.copy(of: id)
  }

  /// Returns a value in the target order.
  mutating func transposed(_ id: ValueID) throws(WeighbridgeError) -> ValueID {
    let value = original[id]
    let axes = axes(rank: value.type.rank)
    if let tensor = value.constant { return try transposed(id, tensor, axes) }
    if let known = transposedValues[id.index] { return known }
    let new = try transpose(
      copy.copy(of: id), axes, "\(value.name)/\(layout.rawValue)")
    transposedValues[id.index] = new
    return new
  }

  /// Returns a constant with its axes permuted.
  private mutating func transposed(
    _ id: ValueID, _ tensor: Tensor, _ axes: [Int]
  ) throws(WeighbridgeError) -> ValueID {
    let key = TransposedConstant(original: id, axes: axes)
    if let known = transposedConstants[key] { return known }
    let new = try copy.builder.addConstant(
      tensor.permuted(axes), named: "\(original[id].name)/\(layout.rawValue)")
    transposedConstants[key] = new
    return new
  }

  private mutating func transpose(
    _ input: ValueID, _ axes: [Int], _ name: String
  ) throws(WeighbridgeError) -> ValueID {
    try copy.builder.addNode(
      Transpose(axes: axes), inputs: [input],
      source: SourceScope(layer: name, className: "Transpose"))[0]
  }

  /// Returns the converted graph.
  ///
  /// - Parameter transposedOutputs: The positions of the outputs in the target order.
  consuming func finish(
    transposing transposedOutputs: Set<Int>
  ) throws(WeighbridgeError) -> Graph {
    var ports: [Port] = []
    for (position, port) in original.outputs.enumerated() {
      let isTransposed = transposedOutputs.contains(position)
      ports.append(
        Port(
          name: port.name,
          value: isTransposed ? try transposed(port.value) : try untransposed(port.value)))
    }
    return try copy.builder.finish(outputs: ports)
  }

  /// Adds a node in the axis order that suits it.
  mutating func add(
    _ node: Node, _ needsLayout: (any CatalogOperator) -> Bool
  ) throws(WeighbridgeError) {
    if try addTranspose(node) { return }
    let hasTransposedInput = node.inputs.contains { isProducedTransposed[$0.index] }
    if let operation = node.operation as? any CatalogOperator {
      let isNeeded = needsLayout(operation) && isInOppositeLayout(operation)
      if isNeeded || hasTransposedInput, try addTransposed(node, operation) { return }
    }
    var inputs: [ValueID] = []
    for id in node.inputs { inputs.append(try untransposed(id)) }
    try add(node, node.operation, inputs, isTransposed: false)
  }

  /// Adds a node in the target order.
  ///
  /// - Returns: Whether it can work in that order; otherwise nothing is added.
  private mutating func addTransposed(
    _ node: Node, _ operation: any CatalogOperator
  ) throws(WeighbridgeError) -> Bool {
    let slots = node.inputs.indices.map { operation.slot($0) }
    let isWeight = slots.map { if case .weight = $0 { true } else { false } }
    let ranks = Set(zip(node.inputs, isWeight).filter { !$0.1 }.map { original[$0.0].type.rank })
    guard let rank = ranks.first, ranks.count == 1 else { return false }
    var new = transposed(operation, rank: rank)
    var isTransposed = true
    if rank >= 3, let operation = operation as? any PositionWeightedOperator {
      return try addTransposed(node, weight: type(of: operation).positionWeight, rank)
    }
    if new == nil, isInOppositeLayout(operation),
      let pooling = operation as? any GlobalPoolingOperator, !pooling.keepDims
    {
      (new, isTransposed) = (pooling.inOppositeLayout, false)
    }
    guard let new, !isTransposed || node.outputs.allSatisfy({ original[$0].type.rank == rank })
    else {
      return false
    }
    var inputs: [ValueID] = []
    for (id, isWeight) in zip(node.inputs, isWeight) {
      inputs.append(isWeight ? try untransposed(id) : try transposed(id))
    }
    try add(node, new, inputs, isTransposed: isTransposed)
    return true
  }

  /// Adds a node in the target order, for an operator with a weight that has the axes of the data
  /// except the batch.
  private mutating func addTransposed(
    _ node: Node, weight: Int, _ rank: Int
  ) throws(WeighbridgeError) -> Bool {
    guard let tensor = original[node.inputs[weight]].constant else { return false }
    let weightAxes = axes(rank: rank).dropFirst().map { $0 - 1 }
    var inputs: [ValueID] = []
    for (position, id) in node.inputs.enumerated() {
      inputs.append(
        position == weight ? try transposed(id, tensor, weightAxes) : try transposed(id))
    }
    try add(node, node.operation, inputs, isTransposed: true)
    return true
  }

  private mutating func add(
    _ node: Node, _ operation: any Operator, _ inputs: [ValueID], isTransposed: Bool
  ) throws(WeighbridgeError) {
    let outputs = try copy.addNode(like: node, operation, inputs)
    for (id, new) in zip(node.outputs, outputs) { record(id, new, isTransposed: isTransposed) }
  }

  /// Leaves out a transpose of the source that itself converts between the layouts.
  ///
  /// - Returns: Whether the node is such a transpose.
  private mutating func addTranspose(_ node: Node) throws(WeighbridgeError) -> Bool {
    guard let transpose = node.operation as? Transpose, transpose.axes.count >= 3 else {
      return false
    }
    let (input, rank) = (node.inputs[0], transpose.axes.count)
    let isTransposed = isProducedTransposed[input.index]
    if isTransposed, transpose.axes == axes(rank: rank) {
      record(node.outputs[0], try transposed(input), isTransposed: false)
      return true
    }
    if !isTransposed, transpose.axes == inverseAxes(rank: rank) {
      record(node.outputs[0], try untransposed(input), isTransposed: true)
      return true
    }
    return false
  }
}

extension GlobalPoolingOperator {
  /// The same pooling for data in the opposite layout; without the spatial axes, the outputs are
  /// the same too.
  fileprivate var inOppositeLayout: Self { Self(keepDims: keepDims, layout: layout.opposite) }
}
