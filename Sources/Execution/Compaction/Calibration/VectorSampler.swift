import Bytes
import GraphIR
import LayerCatalog

/// Samples the vectors of a tensor that a weight is multiplied with.
struct VectorSampler {
  /// The maximum number of vectors to sample.
  let limit: Int
  /// Chooses among more vectors than the limit.
  var generator: SplitMix64

  /// Concatenated vectors for each group.
  typealias Vectors = [[Float]]

  /// Samples vectors of a tensor.
  mutating func sample(_ tensor: Tensor, _ vectors: WeightProduct.Vectors) -> Vectors {
    switch vectors {
    case .axes(_, let axes): return [rows(tensor, axes)]
    case .windows(_, let window, let layout, let groups):
      return windows(tensor, window, layout, groups)
    case .hidden: return []
    }
  }

  private mutating func rows(_ tensor: Tensor, _ axes: [Int]) -> [Float] {
    let others = tensor.shape.indices.filter { !axes.contains($0) }
    let width = axes.reduce(1) { $0 * tensor.shape[$1] }
    guard width > 0 else { return [] }
    let elements = tensor.permuted(others + axes).floats
    let chosen = choose(elements.count / width)
    guard chosen.count < elements.count / width else { return elements }
    return chosen.flatMap { elements[$0 * width..<($0 + 1) * width] }
  }

  private mutating func windows(
    _ tensor: Tensor, _ window: Window, _ layout: DataLayout, _ groups: Int
  ) -> Vectors {
    let rank = tensor.shape.count
    let planes = tensor.permuted(layout.axesToChannelsFirst(rank: rank))
    let grid = WindowGrid(window, dimensions: Array(planes.shape[2...]))
    let (batch, channels) = (planes.shape[0], planes.shape[1])
    guard let grid, channels % groups == 0 else { return [] }
    let elements = planes.floats
    let positions = choose(batch * grid.count)
    let width = channels / groups
    return (0..<groups).map { group in
      var result = [Float](repeating: 0, count: positions.count * width * grid.taps)
      var target = result.mutableSpan
      let source = elements.span
      for (number, position) in positions.enumerated() {
        let image = position / grid.count
        let offsets = grid.offsets(of: position % grid.count)
        let row = number * width * grid.taps
        let first = (image * channels + group * width) * grid.planeSize
        for (tap, offset) in offsets.enumerated() {
          guard let offset else { continue }
          for channel in 0..<width {
            target[row + channel * grid.taps + tap] =
              source[first + channel * grid.planeSize + offset]
          }
        }
      }
      return result
    }
  }

  /// Up to `limit` of `count` positions, ascending, chosen uniformly.
  private mutating func choose(_ count: Int) -> [Int] {
    guard count > limit else { return Array(0..<count) }
    var chosen: [Int] = []
    for position in 0..<count {
      let remainder = count - position
      if Int(generator.next() % UInt64(remainder)) < limit - chosen.count {
        chosen.append(position)
      }
    }
    return chosen
  }
}

/// The positions of a sliding window on a plane with any number of spatial axes.
private struct WindowGrid {
  private let window: Window
  private let dimensions: [Int]
  private let placements: [Window.Placement]
  /// The number of positions of the window.
  let count: Int
  /// The number of elements of the window.
  let taps: Int
  /// The number of elements of a plane.
  let planeSize: Int

  init?(_ window: Window, dimensions: [Int]) {
    let placements = dimensions.enumerated().compactMap {
      try? window.placement($0.offset, dimension: $0.element)
    }
    guard placements.count == dimensions.count, dimensions.count == window.size.count else {
      return nil
    }
    (self.window, self.dimensions, self.placements) = (window, dimensions, placements)
    count = placements.reduce(1) { $0 * $1.count }
    taps = window.size.reduce(1, *)
    planeSize = dimensions.reduce(1, *)
  }

  /// The offset in the plane of each element of the window at a position; `nil` in the padding.
  func offsets(of position: Int) -> [Int?] {
    var offsets: [Int?] = [0]
    var (remainder, index) = (position, [Int](repeating: 0, count: placements.count))
    for axis in placements.indices.reversed() {
      index[axis] = remainder % placements[axis].count
      remainder /= placements[axis].count
    }
    for axis in placements.indices {
      let start = index[axis] * window.strides[axis] - placements[axis].before
      let coordinates = (0..<window.size[axis]).map { start + $0 * window.dilation[axis] }
      offsets = offsets.flatMap { offset in
        coordinates.map { coordinate in
          guard let offset, (0..<dimensions[axis]).contains(coordinate) else { return nil }
          return offset * dimensions[axis] + coordinate
        }
      }
    }
    return offsets
  }
}
