import Bytes
import ConversionCore
import GraphIR
import JSON
import LayerCatalog

/// Keras 1 and 2: `LocallyConnected1D`, `LocallyConnected2D`. Their setting `implementation`
/// determines the layout of the kernel.
extension LocallyConnected: KerasMapped {
  static let keras = KerasMapping(
    KerasLayerClass.spatial("LocallyConnected", 1...2, shape: { _ in .unknown }, add))
  static let kerasRow = refusal("Keras 3 has no locally connected layers any more")

  private static func add(
    _ layer: inout KerasLayer, _ inputs: [ValueID], axes: Int
  ) throws(WeighbridgeError) -> [ValueID] {
    try layer.requireSpatialAxes(axes, of: inputs)
    let layout = try layer.dataLayout()
    let type = try layer.typedInput(inputs).type
    let grid = LocalGrid(
      dimensions: try layer.dimensions(Array(layout.spatialAxes(rank: axes + 2)), of: type),
      window: try layer.integers("kernel_size", count: axes),
      strides: try layer.integers(
        "strides", count: axes, default: [Int](repeating: 1, count: axes)),
      isPadded: try layer.choice("padding", default: KerasPadding.valid) == .same,
      channels: try layer.channels(of: inputs, layout: layout),
      filters: try layer.integer("filters"), isChannelsFirst: layout == .channelsFirst)
    if let problem = grid.problem { throw .malformed(problem) }
    let hasBias = try layer.flag("use_bias", default: true)
    let kernel = try self.kernel(&layer, grid)
    let bias = hasBias ? [try self.bias(&layer, grid)] : []
    let operation = LocallyConnected(
      dimensions: grid.dimensions, strides: grid.strides, before: grid.before, hasBias: hasBias,
      layout: layout)
    let output = try layer.add(operation, inputs + [kernel] + bias)
    return try layer.addActivation(to: output[0])
  }

  /// Keras' bias is `[position..., out]`. It is added to channels-first tensors as if it were
  /// `[out, position...]`: reshaped, not transposed.
  private static func bias(
    _ layer: inout KerasLayer, _ grid: LocalGrid
  ) throws(WeighbridgeError) -> ValueID {
    try layer.weight("bias", shape: grid.positions + [grid.filters]) { bias in
      guard grid.isChannelsFirst else { return bias }
      return bias.reshaped([grid.filters] + grid.positions)
        .permuted(Array(1...grid.positions.count) + [0])
    }
  }

  private static func kernel(
    _ layer: inout KerasLayer, _ grid: LocalGrid
  ) throws(WeighbridgeError) -> ValueID {
    let axes = grid.dimensions.count
    switch try layer.integer("implementation", default: 1) {
    case 1:
      guard !grid.isPadded else {
        throw .malformed("padding=same, which implementation=1 does not have")
      }
      let patch = try Checked.product(grid.window + [grid.channels], of: "the size of a window")
      let shape = [try grid.positionCount(), patch, grid.filters]
      return try layer.weight("kernel", shape: shape) { kernel in
        let patchShape =
          grid.isChannelsFirst ? [grid.channels] + grid.window : grid.window + [grid.channels]
        // The positions are one axis, the patch another, and the filters the last.
        let split = kernel.splitting(1, into: patchShape).splitting(0, into: grid.positions)
        let channel = grid.isChannelsFirst ? axes : 2 * axes
        let window = Array(axes..<2 * axes + 1).filter { $0 != channel }
        return split.permuted(Array(0..<axes) + [2 * axes + 1, channel] + window)
      }
    case 2:
      let (input, output) = (
        grid.ordered(grid.dimensions, grid.channels), grid.ordered(grid.positions, grid.filters)
      )
      return try layer.weight("kernel", shape: input + output) { kernel in
        let elements = kernel.doubles
        let size = output.reduce(1, *)
        return grid.kernel(kernel.elementType) { elements[$0.input * size + $0.output] }
      }
    case 3:
      let pairs = try grid.sortedPairs()
      return try layer.weight("kernel", shape: [pairs.count]) { kernel in
        let elements = kernel.doubles
        let elementIndices = Dictionary(uniqueKeysWithValues: pairs.enumerated().map { ($1, $0) })
        return grid.kernel(kernel.elementType) { elementIndices[$0].map { elements[$0] } ?? 0 }
      }
    case let other:
      throw .malformed("implementation=\(other), and 1, 2 or 3 is expected")
    }
  }
}

/// The elements that a locally connected layer connects: its windows on an input.
struct LocalGrid {
  /// An element of the input and one of the output, as flat indices in Keras' axis order.
  struct Pair: Hashable {
    let input: Int
    let output: Int
  }

  let dimensions: [Int]
  let window: [Int]
  let strides: [Int]
  let isPadded: Bool
  let channels: Int
  let filters: Int
  let isChannelsFirst: Bool

  /// The reason why there is no such layer; `nil` when there is one.
  var problem: String? {
    let all = dimensions + window + strides + [channels, filters]
    guard all.allSatisfy({ (1...1 << 24).contains($0) }),
      // A window that is mostly outside the input would make the kernel disproportionately large.
      zip(window, dimensions).allSatisfy({ $0 <= (isPadded ? 2 * $1 + 1 : $1) })
    else { return "a window of \(window) in steps of \(strides) on \(dimensions)" }
    return nil
  }

  /// The number of windows along each axis.
  var positions: [Int] {
    dimensions.indices.map { axis in
      let count = isPadded ? dimensions[axis] : dimensions[axis] - window[axis] + 1
      return (count + strides[axis] - 1) / strides[axis]
    }
  }

  /// The distance by which the first window starts before the input. (It differs from a
  /// convolution's.)
  var before: [Int] { window.map { isPadded ? $0 / 2 : 0 } }

  func positionCount() throws(WeighbridgeError) -> Int {
    try Checked.product(positions, of: "the number of positions")
  }

  /// Spatial sizes and channels in Keras' order.
  func ordered(_ spatial: [Int], _ channels: Int) -> [Int] {
    isChannelsFirst ? [channels] + spatial : spatial + [channels]
  }

  /// The kernel `[position..., out, in, window...]`; 0 where a window is outside the input.
  func kernel(_ elementType: ElementType, _ element: (Pair) -> Double) -> Tensor {
    var elements: [Double] = []
    for position in Self.indices(positions) {
      for filter in 0..<filters {
        for channel in 0..<channels {
          for tap in Self.indices(window) {
            elements.append(pair(position, filter, channel, tap).map(element) ?? 0)
          }
        }
      }
    }
    return Tensor(elementType, shape: positions + [filters, channels] + window, elements)
  }

  /// All connected pairs, sorted by output, then by input.
  func sortedPairs() throws(WeighbridgeError) -> [Pair] {
    let count = try Checked.product(
      positions + [filters, channels] + window, of: "the size of the kernel")
    guard count <= 1 << 22 else { throw .limitExceeded("\(count) connections, which is too many") }
    var pairs: [Pair] = []
    for position in Self.indices(positions) {
      for tap in Self.indices(window) {
        for channel in 0..<channels {
          for filter in 0..<filters {
            if let pair = pair(position, filter, channel, tap) { pairs.append(pair) }
          }
        }
      }
    }
    return pairs.sorted { ($0.output, $0.input) < ($1.output, $1.input) }
  }

  private func pair(_ position: [Int], _ filter: Int, _ channel: Int, _ tap: [Int]) -> Pair? {
    let coordinate = dimensions.indices.map { position[$0] * strides[$0] - before[$0] + tap[$0] }
    guard zip(coordinate, dimensions).allSatisfy({ (0..<$1).contains($0) }) else { return nil }
    return Pair(
      input: Self.flatIndex(ordered(coordinate, channel), ordered(dimensions, channels)),
      output: Self.flatIndex(ordered(position, filter), ordered(positions, filters)))
  }

  private static func flatIndex(_ indices: [Int], _ dimensions: [Int]) -> Int {
    zip(indices, dimensions).reduce(0) { $0 * $1.1 + $1.0 }
  }

  /// All indices of an array, in row-major order.
  private static func indices(_ dimensions: [Int]) -> [[Int]] {
    dimensions.reduce([[]]) { all, dimension in
      all.flatMap { indices in (0..<dimension).map { indices + [$0] } }
    }
  }
}
