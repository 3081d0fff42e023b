package import Bytes
package import GraphIR
package import LayerCatalog

/// A graph that is being converted to a layout.
package struct LayoutConversion {
  private let original: Graph
  private let layout: DataLayout
  private(set) var builder = GraphBuilder()
  /// The values in the source's axis order, as far as they exist.
  private var plain: [ValueID?]
  /// The values in the target order, as far as they exist.
  private var turned: [ValueID?]
  /// Whether a value was produced in the target order.
  private var madeTransposed: [Bool]

  package init(_ graph: Graph, to layout: DataLayout) {
    original = graph
    self.layout = layout
    plain = .init(repeating: nil, count: graph.values.count)
    turned = plain
    madeTransposed = .init(repeating: false, count: graph.values.count)
  }

  /// The values of four or more axes that reach an operator which needs them transposed, directly
  /// or through operators that can work in the target order.
  package func images(_ needs: (any CatalogOperator) -> Bool) -> Set<ValueID> {
    var images: Set<ValueID> = []
    for node in original.nodes.reversed() {
      guard let operation = node.operation as? any CatalogOperator else { continue }
      for (slot, id) in node.inputs.enumerated() where original[id].type.rank >= 4 {
        if case .weight = operation.slot(slot) { continue }
        let leads =
          needs(operation)
          ? isInOtherLayout(operation)
          : node.outputs.contains(where: images.contains)
            && turned(operation, rank: original[id].type.rank) != nil
        if leads { images.insert(id) }
      }
    }
    return images
  }

  /// Whether a value was produced in the target order.
  package func isTransposed(_ id: ValueID) -> Bool { madeTransposed[id.index] }

  /// The permutation from the source's axis order to the target order.
  private func axes(rank: Int) -> [Int] {
    layout == .channelsFirst
      ? DataLayout.channelsLast.axesToChannelsFirst(rank: rank)
      : DataLayout.channelsLast.axesFromChannelsFirst(rank: rank)
  }

  /// The inverse of ``axes(rank:)``.
  private func axesBack(rank: Int) -> [Int] {
    layout == .channelsFirst
      ? DataLayout.channelsLast.axesFromChannelsFirst(rank: rank)
      : DataLayout.channelsLast.axesToChannelsFirst(rank: rank)
  }

  /// Whether an operator works on data of the other layout.
  private func isInOtherLayout(_ operation: any CatalogOperator) -> Bool {
    (operation as? any ImageOperator)?.layout == layout.turned
  }

  /// The operator for data of `rank` axes in the target order, if there is one.
  private func turned(_ operation: any CatalogOperator, rank: Int) -> (any CatalogOperator)? {
    guard rank >= 3 else { return nil }
    return operation.permutingAxes(axes(rank: rank))
  }

  package mutating func addInput(_ port: Port, isTransposed: Bool) throws(WeighbridgeError) {
    var type = original[port.value].type
    if isTransposed {
      let axes = axes(rank: type.rank)
      type.shape = axes.map { type.shape[$0] }
    }
    let id = try builder.addInput(port.name, type)
    record(port.value, id, isTransposed: isTransposed)
  }

  private mutating func record(_ original: ValueID, _ new: ValueID, isTransposed: Bool) {
    if isTransposed { turned[original.index] = new } else { plain[original.index] = new }
    madeTransposed[original.index] = isTransposed
  }

  /// Returns a value in the source's axis order.
  package mutating func plain(_ id: ValueID) throws(WeighbridgeError) -> ValueID {
    if let known = plain[id.index] { return known }
    let value = original[id]
    let new: ValueID
    if let tensor = value.constant {
      new = try builder.addWeight(value.name, tensor)
    } else {
      new = try transpose(
        turned[id.index], axesBack(rank: value.type.rank),
        "\(value.name)/\(layout.turned.rawValue)")
    }
    plain[id.index] = new
    return new
  }

  /// Returns a value in the target order.
  package mutating func turned(_ id: ValueID) throws(WeighbridgeError) -> ValueID {
    if let known = turned[id.index] { return known }
    let value = original[id]
    let axes = axes(rank: value.type.rank)
    let name = "\(value.name)/\(layout.rawValue)"
    let new: ValueID
    if let tensor = value.constant {
      new = try builder.addWeight(name, tensor.permuted(axes))
    } else {
      new = try transpose(plain[id.index], axes, name)
    }
    turned[id.index] = new
    return new
  }

  private mutating func transpose(
    _ input: ValueID?, _ axes: [Int], _ name: String
  ) throws(WeighbridgeError) -> ValueID {
    guard let input else { throw .malformed("reads what no earlier layer makes") }
    return try builder.addNode(
      Transpose(axes: axes), inputs: [input],
      source: SourceScope(layer: name, className: "Transpose"))[0]
  }

  /// Adds a node in the axis order that suits it.
  package mutating func add(
    _ node: Node, _ needs: (any CatalogOperator) -> Bool
  ) throws(WeighbridgeError) {
    if try addTranspose(node) { return }
    let follows = node.inputs.contains { madeTransposed[$0.index] }
    if let operation = node.operation as? any CatalogOperator {
      let isNeeded = needs(operation) && isInOtherLayout(operation)
      if isNeeded || follows, try addTurned(node, operation) { return }
    }
    var inputs: [ValueID] = []
    for id in node.inputs { inputs.append(try plain(id)) }
    try add(node, node.operation, inputs, isTransposed: false)
  }

  /// Adds a node that works on data in the target order, if it can.
  private mutating func addTurned(
    _ node: Node, _ operation: any CatalogOperator
  ) throws(WeighbridgeError) -> Bool {
    let slots = node.inputs.indices.map { operation.slot($0) }
    let isWeight = slots.map { if case .weight = $0 { true } else { false } }
    let ranks = Set(zip(node.inputs, isWeight).filter { !$0.1 }.map { original[$0.0].type.rank })
    guard let rank = ranks.first, ranks.count == 1 else { return false }
    var new = turned(operation, rank: rank)
    var isTransposed = true
    if rank >= 3, let operation = operation as? any PositionWeightedOperator {
      return try addTurned(node, weight: type(of: operation).positionWeight, rank)
    }
    if new == nil, isInOtherLayout(operation),
      let pooling = operation as? any GlobalPoolingOperator, !pooling.keepDims
    {
      (new, isTransposed) = (pooling.turningLayout, false)
    }
    guard let new, !isTransposed || node.outputs.allSatisfy({ original[$0].type.rank == rank })
    else {
      return false
    }
    var inputs: [ValueID] = []
    for (id, isWeight) in zip(node.inputs, isWeight) {
      inputs.append(isWeight ? try plain(id) : try turned(id))
    }
    try add(node, new, inputs, isTransposed: isTransposed)
    return true
  }

  /// Adds a node one of whose weights has the axes of the data except the batch.
  private mutating func addTurned(
    _ node: Node, weight: Int, _ rank: Int
  ) throws(WeighbridgeError) -> Bool {
    let weight = node.inputs[weight]
    guard let tensor = original[weight].constant else { return false }
    if turned[weight.index] == nil {
      let axes = axes(rank: rank).dropFirst()
      turned[weight.index] = try builder.addWeight(
        "\(original[weight].name)/\(layout.rawValue)", tensor.permuted(axes.map { $0 - 1 }))
    }
    var inputs: [ValueID] = []
    for id in node.inputs { inputs.append(try turned(id)) }
    try add(node, node.operation, inputs, isTransposed: true)
    return true
  }

  private mutating func add(
    _ node: Node, _ operation: any Operator, _ inputs: [ValueID], isTransposed: Bool
  ) throws(WeighbridgeError) {
    let outputs = try builder.addNode(
      operation, named: node.name, inputs: inputs, source: node.source,
      outputNames: node.outputs.map { original[$0].name })
    for (id, new) in zip(node.outputs, outputs) { record(id, new, isTransposed: isTransposed) }
  }

  /// Replaces a transpose in the source that is itself a conversion between the layouts.
  private mutating func addTranspose(_ node: Node) throws(WeighbridgeError) -> Bool {
    guard let transpose = node.operation as? Transpose, transpose.axes.count >= 3 else {
      return false
    }
    let (input, rank) = (node.inputs[0], transpose.axes.count)
    let isTransposed = madeTransposed[input.index]
    if isTransposed, transpose.axes == axes(rank: rank) {
      record(node.outputs[0], try turned(input), isTransposed: false)
      return true
    }
    if !isTransposed, transpose.axes == axesBack(rank: rank) {
      record(node.outputs[0], try plain(input), isTransposed: true)
      return true
    }
    return false
  }
}

extension GlobalPoolingOperator {
  /// The same pooling for data of the other layout; without the spatial axes, the outputs are the
  /// same too.
  fileprivate var turningLayout: Self { Self(keepDims: keepDims, layout: layout.turned) }
}
