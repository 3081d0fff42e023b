/// How ``Resizing`` finds elements between those of an axis.
package enum ResizingInterpolation: String, CaseIterable, Hashable, Sendable {
  /// The nearest element; of two the one behind.
  case nearest
  /// Linear between the neighbours along each axis.
  case bilinear
  /// The cubic convolution of Keys (1981) with a = -1/2, which TensorFlow tabulates in 1024 steps.
  case bicubic
  /// The mean of the part of the input that the element covers.
  case area
  /// Lanczos' windowed sinc over three elements to each side.
  case lanczos3
  /// Lanczos' windowed sinc over five elements to each side.
  case lanczos5
  /// A Gauss curve over one and a half elements to each side, of which half an element is the
  /// standard deviation.
  case gaussian
  /// The cubic filter of Mitchell and Netravali (1988).
  case mitchellCubic = "mitchellcubic"

  /// Neighbouring elements and their weights.
  package struct Sample {
    /// The index of the first.
    package let first: Int
    /// The weights, at least one.
    package let weights: [Double]

    /// A sample of weights as they are.
    init(first: Int, weights: [Double]) {
      self.first = first
      self.weights = weights
    }

    /// A sample without what lies outside of an axis, with weights that add up to 1.
    init(first: Int, weights: [Double], within dimension: Int) {
      let inside = weights.indices.filter { (0..<dimension).contains(first + $0) }
      let sum = inside.reduce(0) { $0 + weights[$1] }
      self.init(first: max(0, first), weights: inside.map { weights[$0] / sum })
    }
  }

  /// What element `output` of `new` is made of, on an axis of `old`.
  package func sample(
    _ output: Int, from old: Int, to new: Int, antialiases: Bool
  ) -> Sample {
    if let filter = filter(antialiases) {
      return filter.sample(output, from: old, to: new, antialiases: antialiases)
    }
    let scale = Float(old) / Float(new)
    let centre = (Float(output) + 0.5) * scale
    switch self {
    case .nearest:
      return Sample(first: min(Int(centre), old - 1), weights: [1])
    case .bilinear:
      let (floor, fraction) = Self.split(min(max(centre - 0.5, 0), Float(old - 1)))
      return Sample(
        first: floor, weights: fraction > 0 ? [1 - fraction, fraction] : [1])
    case .bicubic:
      let (floor, fraction) = Self.split(centre - 0.5)
      let step = (fraction * 1024).rounded(.toNearestOrEven) / 1024
      let weights = [1 + step, step, 1 - step, 2 - step].map(ResizingFilter.cubic)
      return Sample(first: floor - 1, weights: weights, within: old)
    default: return Self.area(output, from: old, to: new)
    }
  }

  /// The filter that weighs the elements, where TensorFlow has no way of its own.
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

  /// The whole number below a coordinate, and how far the coordinate lies above it.
  private static func split(_ coordinate: Float) -> (floor: Int, fraction: Double) {
    let floor = coordinate.rounded(.down)
    return (Int(floor), Double(coordinate - floor))
  }

  /// What each element has in common with the part from `output * old / new` to the same of the
  /// next output, by that part's length.
  private static func area(_ output: Int, from old: Int, to new: Int) -> Sample {
    let scale = Float(old) / Float(new)
    let (start, end) = (Float(output) * scale, Float(output + 1) * scale)
    let first = min(Int(start), old - 1)
    // By rounding, the end may lie behind the last element.
    let last = max(first, min(Int(end.rounded(.up)), old) - 1)
    let weights = (first...last).map { index in
      let (front, back) = (Float(index), Float(index + 1))
      // A part within one element is as long as each, whatever its ends were rounded to.
      let common = front < start && back > end ? scale : min(end, back) - max(start, front)
      return Double(common) / Double(scale)
    }
    return Sample(first: first, weights: weights)
  }
}
