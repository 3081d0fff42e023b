package import Bytes
package import GraphIR
package import LayerCatalog

/// A graph whose image operators are channels-first.
package struct ChannelsFirst: Sendable {
  /// The turned graph.
  package let graph: Graph
  /// The positions of the inputs that are channels-first now and were not.
  package let turnedInputs: Set<Int>
  /// The positions of the outputs that are channels-first now and were not.
  package let turnedOutputs: Set<Int>

  /// Turns a graph.
  ///
  /// Operators that need it become channels-first, and those that follow, whose layout rule allows
  /// it, work on what they made. Everything else gets its inputs as the source has them. A value is
  /// transposed once at most; constants are turned without a node; a transpose of the source's own
  /// that does the same is left out.
  ///
  /// - Parameters:
  ///   - original: Any graph.
  ///   - turnsPorts: Whether pictures that the model takes and gives are turned too; otherwise they
  ///     keep their axes.
  ///   - needs: Whether the target has an operator for channels-first data only.
  /// - Throws: ``WeighbridgeError/Code/malformed`` for a graph that could not be built anew.
  /// - Complexity: Linear in the number of values and inputs.
  package init(
    _ original: Graph, turnsPorts: Bool, needs: (any CatalogOperator) -> Bool
  ) throws(WeighbridgeError) {
    var turning = LayoutTurning(original)
    let pictures = turnsPorts ? Self.pictures(original, needs) : []
    var inputs: Set<Int> = []
    for (position, port) in original.inputs.enumerated() {
      let isTurned = pictures.contains(port.value)
      try turning.addInput(port, isTurned: isTurned)
      if isTurned { inputs.insert(position) }
    }
    for (position, node) in original.nodes.enumerated() {
      do throws(WeighbridgeError) {
        try turning.add(node, needs)
      } catch { throw error.at(layer: node.source.place(position)) }
    }
    var (ports, outputs) = ([Port](), Set<Int>())
    for (position, port) in original.outputs.enumerated() {
      let isTurned =
        turnsPorts && turning.isTurned(port.value) && original[port.value].type.rank >= 4
      ports.append(
        Port(
          name: port.name,
          value: isTurned ? try turning.turned(port.value) : try turning.plain(port.value)))
      if isTurned { outputs.insert(position) }
    }
    graph = try turning.builder.finish(outputs: ports)
    (turnedInputs, turnedOutputs) = (inputs, outputs)
  }

  /// The values of four or more axes that reach an operator which needs them channels-first through
  /// nothing but operators that can follow.
  private static func pictures(
    _ graph: Graph, _ needs: (any CatalogOperator) -> Bool
  ) -> Set<ValueID> {
    var pictures: Set<ValueID> = []
    for node in graph.nodes.reversed() {
      guard let operation = node.operation as? any CatalogOperator else { continue }
      for (slot, id) in node.inputs.enumerated() where graph[id].type.rank >= 4 {
        if case .weight = operation.slot(slot) { continue }
        let leads =
          needs(operation)
          ? LayoutTurning.isChannelsLast(operation)
          : node.outputs.contains(where: pictures.contains)
            && LayoutTurning.turned(operation, rank: graph[id].type.rank) != nil
        if leads { pictures.insert(id) }
      }
    }
    return pictures
  }
}

/// A graph on its way to channels-first.
private struct LayoutTurning {
  private let original: Graph
  private(set) var builder = GraphBuilder()
  /// The values in the source's order of axes, as far as there are any.
  private var plain: [ValueID?]
  /// The values in the order channels-first, as far as there are any.
  private var turned: [ValueID?]
  /// Whether a value was made channels-first.
  private var madeTurned: [Bool]

  init(_ graph: Graph) {
    original = graph
    plain = .init(repeating: nil, count: graph.values.count)
    turned = plain
    madeTurned = .init(repeating: false, count: graph.values.count)
  }

  /// Whether a value was made channels-first.
  func isTurned(_ id: ValueID) -> Bool { madeTurned[id.index] }

  /// Whether an operator works on channels-last data.
  static func isChannelsLast(_ operation: any CatalogOperator) -> Bool {
    operation.attributes.entries.contains {
      $0.name == "layout" && $0.value == .text(DataLayout.channelsLast.rawValue)
    }
  }

  /// The operator for data of `rank` axes that are channels-first, if there is one.
  static func turned(_ operation: any CatalogOperator, rank: Int) -> (any CatalogOperator)? {
    guard rank >= 3 else { return nil }
    let axes = DataLayout.channelsLast.axesToChannelsFirst(rank: rank)
    return operation.permutingAxes(axes)
  }

  mutating func addInput(_ port: Port, isTurned: Bool) throws(WeighbridgeError) {
    var type = original[port.value].type
    if isTurned {
      let axes = DataLayout.channelsLast.axesToChannelsFirst(rank: type.rank)
      type.shape = axes.map { type.shape[$0] }
    }
    let id = try builder.addInput(port.name, type)
    record(port.value, id, isTurned: isTurned)
  }

  private mutating func record(_ original: ValueID, _ new: ValueID, isTurned: Bool) {
    if isTurned { turned[original.index] = new } else { plain[original.index] = new }
    madeTurned[original.index] = isTurned
  }

  /// A value in the source's order of axes.
  mutating func plain(_ id: ValueID) throws(WeighbridgeError) -> ValueID {
    if let known = plain[id.index] { return known }
    let value = original[id]
    let new: ValueID
    if let tensor = value.constant {
      new = try builder.addWeight(value.name, tensor)
    } else {
      let axes = DataLayout.channelsLast.axesFromChannelsFirst(rank: value.type.rank)
      new = try transpose(turned[id.index], axes, "\(value.name)/channels_last")
    }
    plain[id.index] = new
    return new
  }

  /// A value in the order channels-first.
  mutating func turned(_ id: ValueID) throws(WeighbridgeError) -> ValueID {
    if let known = turned[id.index] { return known }
    let value = original[id]
    let axes = DataLayout.channelsLast.axesToChannelsFirst(rank: value.type.rank)
    let name = "\(value.name)/channels_first"
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
    guard let input else {
      throw WeighbridgeError(.malformed, "reads what no earlier layer makes")
    }
    return try builder.addNode(
      Transpose(axes: axes), named: name, inputs: [input],
      source: SourceScope(layer: name, className: "Transpose"))[0]
  }

  /// Adds a node in the order that suits it.
  mutating func add(
    _ node: Node, _ needs: (any CatalogOperator) -> Bool
  ) throws(WeighbridgeError) {
    if try addTranspose(node) { return }
    let follows = node.inputs.contains { madeTurned[$0.index] }
    if let operation = node.operation as? any CatalogOperator {
      let isNeeded = needs(operation) && Self.isChannelsLast(operation)
      if isNeeded || follows, try addTurned(node, operation) { return }
    }
    var inputs: [ValueID] = []
    for id in node.inputs { inputs.append(try plain(id)) }
    try add(node, node.operation, inputs, isTurned: false)
  }

  /// Adds a node that works on channels-first data, if it can.
  private mutating func addTurned(
    _ node: Node, _ operation: any CatalogOperator
  ) throws(WeighbridgeError) -> Bool {
    let slots = node.inputs.indices.map { operation.slot($0) }
    let isWeight = slots.map { if case .weight = $0 { true } else { false } }
    let ranks = Set(zip(node.inputs, isWeight).filter { !$0.1 }.map { original[$0.0].type.rank })
    guard let rank = ranks.first, ranks.count == 1 else { return false }
    var new = Self.turned(operation, rank: rank)
    var isTurned = true
    if operation is PReLU, rank >= 3 { return try addTurnedRectifier(node, rank) }
    if new == nil, Self.isChannelsLast(operation),
      let pooling = operation as? any GlobalPoolingOperator, !pooling.keepsAxes
    {
      (new, isTurned) = (pooling.turningLayout, false)
    }
    guard let new, !isTurned || node.outputs.allSatisfy({ original[$0].type.rank == rank }) else {
      return false
    }
    var inputs: [ValueID] = []
    for (id, isWeight) in zip(node.inputs, isWeight) {
      inputs.append(isWeight ? try plain(id) : try turned(id))
    }
    try add(node, new, inputs, isTurned: isTurned)
    return true
  }

  /// Adds a rectifier whose weight has the axes of its input, but for the batch.
  private mutating func addTurnedRectifier(
    _ node: Node, _ rank: Int
  ) throws(WeighbridgeError) -> Bool {
    let (input, alpha) = (node.inputs[0], node.inputs[1])
    guard let tensor = original[alpha].constant else { return false }
    if turned[alpha.index] == nil {
      let axes = DataLayout.channelsLast.axesToChannelsFirst(rank: rank).dropFirst()
      turned[alpha.index] = try builder.addWeight(
        "\(original[alpha].name)/channels_first", tensor.permuted(axes.map { $0 - 1 }))
    }
    try add(
      node, node.operation, [try turned(input), try turned(alpha)], isTurned: true)
    return true
  }

  private mutating func add(
    _ node: Node, _ operation: any Operator, _ inputs: [ValueID], isTurned: Bool
  ) throws(WeighbridgeError) {
    let outputs = try builder.addNode(
      operation, named: node.name, inputs: inputs, source: node.source,
      outputNames: node.outputs.map { original[$0].name })
    for (id, new) in zip(node.outputs, outputs) { record(id, new, isTurned: isTurned) }
  }

  /// Takes a transpose of the source's own for the turning that it is, if it is one.
  private mutating func addTranspose(_ node: Node) throws(WeighbridgeError) -> Bool {
    guard let transpose = node.operation as? Transpose, transpose.axes.count >= 3 else {
      return false
    }
    let (input, rank) = (node.inputs[0], transpose.axes.count)
    let isTurned = madeTurned[input.index]
    if isTurned, transpose.axes == DataLayout.channelsLast.axesToChannelsFirst(rank: rank) {
      record(node.outputs[0], try turned(input), isTurned: false)
      return true
    }
    if !isTurned, transpose.axes == DataLayout.channelsLast.axesFromChannelsFirst(rank: rank) {
      record(node.outputs[0], try plain(input), isTurned: true)
      return true
    }
    return false
  }
}

extension GlobalPoolingOperator {
  /// The same for data of the other layout; where the spatial axes are left out, the outputs are
  /// the same too.
  fileprivate var turningLayout: Self { Self(keepsAxes: keepsAxes, layout: layout.turned) }
}
