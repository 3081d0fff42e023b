import CKernels

/// A filter whose weights depend on the distance from a pixel's center.
enum FilterKernel {
  /// Linear, over one pixel to each side.
  case triangle
  /// The cubic convolution of Keys (1981) with a = -1/2, over two pixels to each side.
  case cubic

  /// The filter's radius, in pixels.
  var radius: Double { self == .triangle ? 1 : 2 }

  /// Returns the weight at a distance.
  func weight(_ distance: Double) -> Double {
    let x = abs(distance)
    switch self {
    case .triangle: return max(0, 1 - x)
    case .cubic:
      if x < 1 { return (1.5 * x - 2.5) * x * x + 1 }
      return x < 2 ? ((-0.5 * x + 2.5) * x - 4) * x + 2 : 0
    }
  }
}

/// For each new pixel along an axis, the old pixels that contribute to it and their weights,
/// rounded like Pillow's to multiples of 2^-22.
struct FilterTaps {
  /// The old pixels that contribute to each new one.
  private(set) var windows: [pixels_window] = []
  private(set) var weights: [Int32] = []
  /// Whether the axis is not resized.
  let isIdentity: Bool
  /// The old pixels that contribute.
  let sources: Range<Int>

  private static let fractionBits = 22

  /// The number of new pixels.
  var count: Int { windows.count }

  /// Creates the taps that resize an axis from `old` to `new` pixels, for a range of the new ones.
  /// Where the axis shrinks, the filter is scaled to the width of a new pixel.
  init(_ kernel: FilterKernel, from old: Int, to new: Int, _ window: Range<Int>) {
    isIdentity = old == window.count && new == old
    let scale = Double(old) / Double(new)
    let width = max(scale, 1)
    let support = kernel.radius * width
    for index in window {
      let center = (Double(index) + 0.5) * scale
      let low = max(0, Int(center - support + 0.5))
      let high = min(old, Int(center + support + 0.5))
      let exact = (low..<high).map { kernel.weight((Double($0) - center + 0.5) / width) }
      let sum = exact.reduce(0, +)
      windows.append(
        pixels_window(first: low, first_weight: weights.count, count: high - low))
      weights += exact.map {
        Int32(($0 / sum * Double(1 << Self.fractionBits)).rounded(.toNearestOrAwayFromZero))
      }
    }
    sources = (windows.first?.first ?? 0)..<(windows.last.map { $0.first + $0.count } ?? 0)
  }
}
