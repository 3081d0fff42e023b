/// How ``Resizing`` interpolates between the elements of an axis.
package enum ResizingInterpolation: String, CaseIterable, Hashable, Sendable {
  /// The nearest element; in a tie, the later one.
  case nearest
  /// Linear between the adjacent elements along each axis.
  case bilinear
  /// The cubic convolution of Keys (1981) with a = -1/2, which TensorFlow tabulates in 1024 steps.
  case bicubic
  /// The mean of the part of the input that the output element covers.
  case area
  /// The Lanczos-windowed sinc over three elements to each side.
  case lanczos3
  /// The Lanczos-windowed sinc over five elements to each side.
  case lanczos5
  /// A Gaussian over one and a half elements to each side, with a standard deviation of half an
  /// element.
  case gaussian
  /// The cubic filter of Mitchell and Netravali (1988).
  case mitchellCubic = "mitchellcubic"

  /// Consecutive elements and their weights.
  package struct Sample {
    /// The index of the first element.
    package let first: Int
    /// The weights, at least one.
    package let weights: [Double]

    /// Creates a sample with unchanged weights.
    init(first: Int, weights: [Double]) {
      self.first = first
      self.weights = weights
    }

    /// Creates a sample without the elements outside of an axis, with weights that add up to 1.
    init(first: Int, weights: [Double], within dimension: Int) {
      let inside = weights.indices.filter { (0..<dimension).contains(first + $0) }
      let sum = inside.reduce(0) { $0 + weights[$1] }
      self.init(first: max(0, first), weights: inside.map { weights[$0] / sum })
    }
  }

  /// Returns the input elements and weights for element `output`, on an axis resized from `old` to
  /// `new` elements.
  ///
  /// - Parameter grid: Where the axis is read; only ``bilinear`` has others than half-pixel centers.
  package func sample(
    _ output: Int, from old: Int, to new: Int, antialiases: Bool, grid: ResizingGrid = .halfPixel
  ) -> Sample {
    if let filter = filter(antialiases) {
      return filter.sample(output, from: old, to: new, antialiases: antialiases)
    }
    let scale = Float(old) / Float(new)
    let center = (Float(output) + 0.5) * scale
    switch self {
    case .nearest:
      return Sample(first: min(Int(center), old - 1), weights: [1])
    case .bilinear:
      let coordinate = grid.coordinate(output, from: old, to: new)
      let (floor, fraction) = Self.split(min(max(coordinate, 0), Float(old - 1)))
      return Sample(
        first: floor, weights: fraction > 0 ? [1 - fraction, fraction] : [1])
    case .bicubic:
      let (floor, fraction) = Self.split(center - 0.5)
      let step = (fraction * 1024).rounded(.toNearestOrEven) / 1024
      let weights = [1 + step, step, 1 - step, 2 - step].map { ResizingFilter.cubic($0) }
      return Sample(first: floor - 1, weights: weights, within: old)
    default: return Self.area(output, from: old, to: new)
    }
  }

  /// The filter for the weights; `nil` where TensorFlow computes them without one.
  private func filter(_ antialiases: Bool) -> ResizingFilter? {
    switch self {
    case .nearest, .area: nil
    case .bilinear: antialiases ? .triangle : nil
    case .bicubic: antialiases ? .keysCubic : nil
    case .lanczos3: .lanczos(3)
    case .lanczos5: .lanczos(5)
    case .gaussian: .gaussian
    case .mitchellCubic: .mitchellCubic
    }
  }

  /// Splits a coordinate into the integer below it and the fraction.
  private static func split(_ coordinate: Float) -> (floor: Int, fraction: Double) {
    let floor = coordinate.rounded(.down)
    return (Int(floor), Double(coordinate - floor))
  }

  /// The overlap of each element with the output element's range, from `output * old / new` to
  /// `(output + 1) * old / new`, as a fraction of the range's length.
  private static func area(_ output: Int, from old: Int, to new: Int) -> Sample {
    let scale = Float(old) / Float(new)
    let (start, end) = (Float(output) * scale, Float(output + 1) * scale)
    let first = min(Int(start), old - 1)
    // The end is rounded, so it may be beyond the last element.
    let last = max(first, min(Int(end.rounded(.up)), old) - 1)
    let weights = (first...last).map { index in
      let (lower, upper) = (Float(index), Float(index + 1))
      // A range within one element has the nominal length, however its ends were rounded.
      let overlap = lower < start && upper > end ? scale : min(end, upper) - max(start, lower)
      return Double(overlap) / Double(scale)
    }
    return Sample(first: first, weights: weights)
  }
}
