package import Bytes
package import GraphIR
import LayerCatalog

/// A graph that moves channels to square blocks of pixels, or blocks to channels, with a single
/// operator, where the original splits four axes into six, transposes them and merges them into
/// four (pixel shuffle).
///
/// The graph of a source keeps its own steps; this is for targets that have the operator.
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
    var copy = try GraphCopy(
      original, keeping: original.nodes.indices.filter { !replaced.contains($0) })
    for (position, node) in original.nodes.enumerated() {
      if let chain = chains[position] {
        copy[node.outputs[0]] = try chain.turn.add(
          to: &copy.builder, copy[chain.input], node, output: original[node.outputs[0]].name)
      } else if !replaced.contains(position) {
        try copy.add(node)
      }
    }
    graph = try copy.finish()
  }

  /// Three nodes that are equivalent to one operator.
  private struct Chain {
    let turn: PixelShuffle
    let input: ValueID
    /// The positions of the first two.
    let inner: [Int]
  }

  /// The chains by the positions of their last nodes.
  private static func chains(_ graph: Graph) -> [Int: Chain] {
    let (makers, uses) = (graph.makers, graph.useCounts)
    func only(_ id: ValueID) -> Int? { uses[id] == 1 ? makers[id] : nil }
    var chains: [Int: Chain] = [:]
    for (position, last) in graph.nodes.enumerated() {
      guard let merging = AxisGrouping(last, graph), let middle = only(last.inputs[0]),
        let transpose = graph.nodes[middle].operation as? Transpose, transpose.axes.count == 6,
        let start = only(graph.nodes[middle].inputs[0]),
        let cutting = AxisGrouping(graph.nodes[start], graph),
        let turn = PixelShuffle(cutting, transpose.axes, merging)
      else { continue }
      chains[position] = Chain(
        turn: turn, input: graph.nodes[start].inputs[0], inner: [start, middle])
    }
    return chains
  }
}

/// A reshaping between four axes and six.
private struct AxisGrouping {
  /// The sizes of the side of six axes.
  let parts: [Dimension]
  /// The sizes of the side of four.
  let whole: [Dimension]
  /// For each axis of the output, the input axis of the same size, where that is stated.
  private let sources: [Int?]
  private let cuts: Bool

  init?(_ node: Node, _ graph: Graph) {
    switch node.operation {
    case let reshape as Reshape: sources = [0] + reshape.target.map { _ in nil }
    case let reshape as ReshapeAxes:
      sources = reshape.sizes.map { if case .axis(let axis) = $0 { axis } else { nil } }
    default: return nil
    }
    let shapes = [node.inputs[0], node.outputs[0]].map { graph[$0].type.shape }
    cuts = shapes[0].count == 4
    (whole, parts) = cuts ? (shapes[0], shapes[1]) : (shapes[1], shapes[0])
    guard whole.count == 4, parts.count == 6 else { return nil }
  }

  /// Whether each of the four axes consists of the given number of consecutive axes of the six. All
  /// but one must be known to; the last then does too, since the number of elements is the same.
  func groups(_ counts: [Int]) -> Bool {
    var (start, open) = (0, 0)
    for (axis, count) in counts.enumerated() {
      let group = parts[start..<start + count]
      let numbers = group.compactMap(\.value)
      if let dimension = whole[axis].value, numbers.count == count {
        let product = try? Checked.product(numbers, of: "a size")
        guard product == dimension else { return false }
      } else if count > 1 || !isSame(axis, start) {
        open += 1
      }
      start += count
    }
    return open <= 1
  }

  private func isSame(_ axis: Int, _ part: Int) -> Bool {
    if cuts ? sources[part] == axis : sources[axis] == part { return true }
    return whole[axis] == parts[part] && whole[axis] != .unknown
  }
}

/// A move of channels to blocks of pixels or back, with the channels in a custom order.
private struct PixelShuffle {
  let layout: DataLayout
  let block: Int
  let toDepth: Bool
  /// For each channel in the operator's order, its position in the graph's order; `nil` where these
  /// are the same.
  let order: [Int]?

  /// A limit above that of any real network, so that the order does not use excessive memory.
  private static let mostChannels = 1 << 20

  /// - Parameters:
  ///   - cutting: How four axes become six.
  ///   - axes: The permutation of the six.
  ///   - merging: How they become four.
  init?(_ cutting: AxisGrouping, _ axes: [Int], _ merging: AxisGrouping) {
    for layout in DataLayout.allCases {
      for toDepth in [false, true] {
        let (depth, pixels) = toDepth ? (merging, cutting) : (cutting, merging)
        // For each axis on the pixel side, its position on the depth side.
        let places = toDepth ? axes.indices.map { axes.firstIndex(of: $0) ?? 0 } : axes
        if let turn = PixelShuffle(depth, places, pixels, layout, toDepth: toDepth) {
          self = turn
          return
        }
      }
    }
    return nil
  }

  private init?(
    _ depth: AxisGrouping, _ places: [Int], _ pixels: AxisGrouping, _ layout: DataLayout,
    toDepth: Bool
  ) {
    let isFirst = layout == .channelsFirst
    // On the pixel side, the six are batch, height, row, width, column and channel, with the
    // channel before the height in channels-first data.
    let spatial = (isFirst ? [0, 2, 4] : [0, 1, 3]).map { places[$0] }
    let parts = (isFirst ? [3, 5, 1] : [2, 4, 5]).map { places[$0] }
    guard spatial == (isFirst ? [0, 4, 5] : [0, 1, 2]),
      depth.groups(isFirst ? [1, 3, 1, 1] : [1, 1, 1, 3]),
      pixels.groups(isFirst ? [1, 1, 2, 2] : [1, 2, 2, 1]),
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
      count <= Self.mostChannels
    else { return nil }
    let strides = parts.map { part in
      zip(parts, dimensions).reduce(1) { $1.0 > part ? $0 * $1.1 : $0 }
    }
    order = (0..<count).map { channel in
      let (row, rest) = channel.quotientAndRemainder(dividingBy: dimensions[1] * dimensions[2])
      let (column, last) = rest.quotientAndRemainder(dividingBy: dimensions[2])
      return row * strides[0] + column * strides[1] + last * strides[2]
    }
  }

  /// Adds the operator, and before or after it the gathering that reorders the channels.
  ///
  /// - Parameters:
  ///   - node: The last of the nodes that it replaces.
  ///   - output: The name of that node's output.
  func add(
    to builder: inout GraphBuilder, _ input: ValueID?, _ node: Node, output: String
  ) throws(WeighbridgeError) -> ValueID? {
    guard var value = input else { return nil }
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
    let list = try builder.addWeight(
      "\(node.name)/channel_order",
      Tensor(.int64, shape: [order.count], indices.map(Double.init)))
    value = try add(
      Gather(axis: layout.channelAxis(rank: 4)), [value, list], "channels", isLast: toDepth)
    return toDepth ? value : try add(operation, [value], "", isLast: true)
  }
}
