import Bytes
import GraphIR
import LayerCatalog

/// Takes vectors that a weight is multiplied with out of a tensor.
struct VectorSampler {
  /// How many vectors are taken at most.
  let limit: Int
  /// Which are taken where there are more.
  var generator: SplitMix64

  /// Vectors, one after the other, for each group.
  typealias Vectors = [[Float]]

  /// Some vectors of a tensor.
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

  /// Some of `count` positions, rising; each as likely as the others.
  private mutating func choose(_ count: Int) -> [Int] {
    guard count > limit else { return Array(0..<count) }
    var chosen: [Int] = []
    for position in 0..<count {
      let rest = count - position
      if Int(generator.next() % UInt64(rest)) < limit - chosen.count { chosen.append(position) }
    }
    return chosen
  }
}

/// Where a window sees elements of a plane, along any number of spatial axes.
private struct WindowGrid {
  private let window: Window
  private let dimensions: [Int]
  private let places: [Window.Placement]
  /// The number of positions of the window.
  let count: Int
  /// The number of elements of the window.
  let taps: Int
  /// The number of elements of a plane.
  let planeSize: Int

  init?(_ window: Window, dimensions: [Int]) {
    let places = dimensions.enumerated().compactMap {
      try? window.placement($0.offset, dimension: $0.element)
    }
    guard places.count == dimensions.count, dimensions.count == window.size.count else {
      return nil
    }
    (self.window, self.dimensions, self.places) = (window, dimensions, places)
    count = places.reduce(1) { $0 * $1.count }
    taps = window.size.reduce(1, *)
    planeSize = dimensions.reduce(1, *)
  }

  /// For each element of the window at a position, where in a plane it lies; `nil` in the padding.
  func offsets(of position: Int) -> [Int?] {
    var offsets: [Int?] = [0]
    var (rest, index) = (position, [Int](repeating: 0, count: places.count))
    for axis in places.indices.reversed() {
      index[axis] = rest % places[axis].count
      rest /= places[axis].count
    }
    for axis in places.indices {
      let start = index[axis] * window.strides[axis] - places[axis].before
      let seen = (0..<window.size[axis]).map { start + $0 * window.dilation[axis] }
      offsets = offsets.flatMap { offset in
        seen.map { place in
          guard let offset, (0..<dimensions[axis]).contains(place) else { return nil }
          return offset * dimensions[axis] + place
        }
      }
    }
    return offsets
  }
}
