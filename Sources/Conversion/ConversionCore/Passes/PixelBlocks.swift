package import Bytes
package import GraphIR
import LayerCatalog

/// A graph that moves channels to square blocks of pixels (pixel shuffle), or blocks to channels,
/// with a single operator, where the original reshapes four axes to six, transposes them and
/// reshapes them to four.
///
/// This is for targets that have such an operator; an imported graph keeps the original nodes.
package struct PixelBlocks: Sendable {
  /// The graph.
  package let graph: Graph

  /// Replaces what can be replaced.
  ///
  /// - Throws: ``WeighbridgeError/Code/malformed`` for a graph that could not be built anew.
  /// - Complexity: Linear in the number of values.
  package init(_ original: Graph) throws(WeighbridgeError) {
    let chains = Self.chains(original)
    let replaced = Set(chains.flatMap { [$0.key] + $0.value.inner })
    guard !chains.isEmpty else {
      graph = original
      return
    }
    var copy = try GraphCopy(withInputsOf: original)
    for (position, node) in original.nodes.enumerated() {
      if let chain = chains[position] {
        copy[node.outputs[0]] = try chain.shuffle.add(
          to: &copy.builder, copy.copy(of: chain.input), node,
          output: original[node.outputs[0]].name)
      } else if !replaced.contains(position) {
        try copy.add(node)
      }
    }
    graph = try copy.finish()
  }

  /// Three nodes that are equivalent to one operator.
  private struct Chain {
    let shuffle: PixelShuffle
    let input: ValueID
    /// The positions of the first two nodes.
    let inner: [Int]
  }

  /// The chains, by the positions of their last nodes.
  private static func chains(_ graph: Graph) -> [Int: Chain] {
    let (producers, uses) = (graph.producers, graph.useCounts)
    /// The node that produces a value which is used once.
    func soleUseProducer(_ id: ValueID) -> Int? { uses[id] == 1 ? producers[id] : nil }
    var chains: [Int: Chain] = [:]
    for (position, last) in graph.nodes.enumerated() {
      guard let merge = AxisGrouping(last, graph), let middle = soleUseProducer(last.inputs[0]),
        let transpose = graph.nodes[middle].operation as? Transpose, transpose.axes.count == 6,
        let start = soleUseProducer(graph.nodes[middle].inputs[0]),
        let split = AxisGrouping(graph.nodes[start], graph),
        let shuffle = PixelShuffle(split, transpose.axes, merge)
      else { continue }
      chains[position] = Chain(
        shuffle: shuffle, input: graph.nodes[start].inputs[0], inner: [start, middle])
    }
    return chains
  }
}

/// A reshape from four axes to six, or from six to four.
private struct AxisGrouping {
  /// The sizes on the side with six axes.
  let parts: [Dimension]
  /// The sizes on the side with four axes.
  let whole: [Dimension]
  /// For each axis of the output, the input axis whose size it takes, if the operator says so.
  private let sources: [Int?]
  /// Whether it is from four axes to six.
  private let isSplit: Bool

  init?(_ node: Node, _ graph: Graph) {
    switch node.operation {
    case let reshape as Reshape: sources = [0] + reshape.target.map { _ in nil }
    case let reshape as ReshapeAxes:
      sources = reshape.sizes.map { if case .axis(let axis) = $0 { axis } else { nil } }
    default: return nil
    }
    let shapes = [node.inputs[0], node.outputs[0]].map { graph[$0].type.shape }
    isSplit = shapes[0].count == 4
    (whole, parts) = isSplit ? (shapes[0], shapes[1]) : (shapes[1], shapes[0])
    guard whole.count == 4, parts.count == 6 else { return nil }
  }

  /// Whether each of the four axes consists of the given number of consecutive axes of the six.
  /// This must be certain for all but one; it then holds for that one too, since the number of
  /// elements stays the same.
  func isGrouped(into counts: [Int]) -> Bool {
    var (start, uncertainCount) = (0, 0)
    for (axis, count) in counts.enumerated() {
      let group = parts[start..<start + count]
      let sizes = group.compactMap(\.value)
      if let dimension = whole[axis].value, sizes.count == count {
        let product = try? Checked.product(sizes, of: "a size")
        guard product == dimension else { return false }
      } else if count > 1 || !isSame(axis, start) {
        uncertainCount += 1
      }
      start += count
    }
    return uncertainCount <= 1
  }

  private func isSame(_ axis: Int, _ part: Int) -> Bool {
    if isSplit ? sources[part] == axis : sources[axis] == part { return true }
    return whole[axis] == parts[part] && whole[axis] != .unknown
  }
}

/// A move of channels to blocks of pixels or back, with the channels in a custom order.
private struct PixelShuffle {
  let layout: DataLayout
  let block: Int
  /// Whether it moves blocks to channels.
  let toDepth: Bool
  /// For each channel in the operator's order, its position in the graph's order; `nil` if both
  /// orders are the same.
  let order: [Int]?

  /// More channels than any real network has; bounds the memory for the order.
  private static let channelLimit = 1 << 20

  /// - Parameters:
  ///   - split: The reshape from four axes to six.
  ///   - axes: The permutation of the six axes.
  ///   - merge: The reshape from six axes to four.
  init?(_ split: AxisGrouping, _ axes: [Int], _ merge: AxisGrouping) {
    for layout in DataLayout.allCases {
      for toDepth in [false, true] {
        let (depth, pixels) = toDepth ? (merge, split) : (split, merge)
        // For each axis on the pixel side, its position on the depth side.
        let positions = toDepth ? axes.inversePermutation : axes
        if let shuffle = PixelShuffle(depth, positions, pixels, layout, toDepth: toDepth) {
          self = shuffle
          return
        }
      }
    }
    return nil
  }

  private init?(
    _ depth: AxisGrouping, _ positions: [Int], _ pixels: AxisGrouping, _ layout: DataLayout,
    toDepth: Bool
  ) {
    let isChannelsFirst = layout == .channelsFirst
    // On the pixel side, the six axes are batch, height, row in the block, width, column in the
    // block and channel; in channels-first data, the channel comes before the height.
    let spatial = (isChannelsFirst ? [0, 2, 4] : [0, 1, 3]).map { positions[$0] }
    let parts = (isChannelsFirst ? [3, 5, 1] : [2, 4, 5]).map { positions[$0] }
    guard spatial == (isChannelsFirst ? [0, 4, 5] : [0, 1, 2]),
      depth.isGrouped(into: isChannelsFirst ? [1, 3, 1, 1] : [1, 1, 1, 3]),
      pixels.isGrouped(into: isChannelsFirst ? [1, 1, 2, 2] : [1, 2, 2, 1]),
      let block = depth.parts[parts[0]].value, depth.parts[parts[1]].value == block,
      1...Int(Int32.max) ~= block
    else { return nil }
    (self.layout, self.block, self.toDepth) = (layout, block, toDepth)
    guard parts != parts.sorted() else {
      order = nil
      return
    }
    let dimensions = parts.compactMap { depth.parts[$0].value }
    guard dimensions.count == 3, let count = try? Checked.product(dimensions, of: "the channels"),
      count <= Self.channelLimit
    else { return nil }
    let strides = parts.map { part in
      zip(parts, dimensions).reduce(1) { $1.0 > part ? $0 * $1.1 : $0 }
    }
    order = (0..<count).map { channel in
      let (row, remainder) = channel.quotientAndRemainder(dividingBy: dimensions[1] * dimensions[2])
      let (column, last) = remainder.quotientAndRemainder(dividingBy: dimensions[2])
      return row * strides[0] + column * strides[1] + last * strides[2]
    }
  }

  /// Adds the operator, and before or after it a gather that reorders the channels.
  ///
  /// - Parameters:
  ///   - node: The last of the nodes that it replaces.
  ///   - output: The name of that node's output.
  func add(
    to builder: inout GraphBuilder, _ input: ValueID, _ node: Node, output: String
  ) throws(WeighbridgeError) -> ValueID {
    var value = input
    let operation: any Operator =
      toDepth
      ? SpaceToDepth(block: block, layout: layout) : DepthToSpace(block: block, layout: layout)
    func add(
      _ operation: any Operator, _ inputs: [ValueID], _ role: String, isLast: Bool
    ) throws(WeighbridgeError) -> ValueID {
      var source = node.source
      source.role = isLast ? source.role : role
      return try builder.addNode(
        operation, named: isLast ? node.name : "\(node.name)/\(role)", inputs: inputs,
        source: source, outputNames: isLast ? [output] : nil)[0]
    }
    guard let order else { return try add(operation, [value], "", isLast: true) }
    if toDepth { value = try add(operation, [value], "blocks", isLast: false) }
    var indices = order
    if toDepth { for (new, old) in order.enumerated() { indices[old] = new } }
    let indexWeight = try builder.addConstant(
      Tensor(.int64, shape: [order.count], indices.map(Double.init)),
      named: "\(node.name)/channel_order")
    value = try add(
      Gather(axis: layout.channelAxis(rank: 4)), [value, indexWeight], "channels", isLast: toDepth)
    return toDepth ? value : try add(operation, [value], "", isLast: true)
  }
}
