/// Resampling along an axis by methods that ``Resizing`` and ``Upsampling`` lack: those of ONNX's
/// operator Resize (opset 10 to 19) and of TensorFlow 1.
///
/// Coordinates are float32, as in onnxruntime, since their rounding can decide which element is the
/// nearest.
package struct Resampling {
  package enum Mode {
    case nearest
    case linear
    /// Cubic convolution with the coefficient a (Keys 1981). Elements outside of the axis are
    /// either excluded or replaced by the border elements.
    case cubic(a: Double, excludesOutside: Bool)
  }

  /// How the coordinate of an output element on the input's axis is computed.
  package enum Transformation: String {
    case halfPixel = "half_pixel"
    case halfPixelSymmetric = "half_pixel_symmetric"
    case pytorchHalfPixel = "pytorch_half_pixel"
    case alignCorners = "align_corners"
    case asymmetric
    case halfPixelForNearest = "tf_half_pixel_for_nn"
    /// The first and the last element of a region of the axis are at the same position.
    case region = "tf_crop_and_resize"
  }

  /// How a coordinate is rounded to the nearest element.
  package enum Rounding: String {
    case preferFloor = "round_prefer_floor"
    case preferCeiling = "round_prefer_ceil"
    case floor
    case ceiling = "ceil"
    /// Down, or up on axes that become shorter, as in onnxruntime for opsets that do not have this
    /// attribute.
    case legacy = "older"
  }

  /// The largest size of an axis for which taps are computed.
  package static let largestDimension = 1 << 18

  package let mode: Mode
  package let transformation: Transformation
  package let rounding: Rounding
  /// Whether filters are widened where an axis becomes shorter; not those of ``Mode/nearest``.
  package let antialiases: Bool

  /// Creates a resampling.
  package init(
    mode: Mode, transformation: Transformation, rounding: Rounding, antialiases: Bool = false
  ) {
    self.mode = mode
    self.transformation = transformation
    self.rounding = rounding
    self.antialiases = antialiases
  }

  /// An axis before and after resampling.
  package struct Axis {
    /// The input's size, at least 1.
    package let old: Int
    /// The output's size, at least 1.
    package let new: Int
    /// The scale factor; `nil` where it follows from the sizes.
    package let scale: Float?
    /// The start and the end of the region, as parts of the last index; for
    /// ``Transformation/region``.
    package let region: ClosedRange<Float>?

    /// Converts a distance from the output's start to one from the input's start.
    fileprivate func inputDistance(_ distance: Float) -> Float {
      scale.map { distance / $0 } ?? distance * Float(old) / Float(new)
    }

    fileprivate var becomesShorter: Bool { scale.map { $0 < 1 } ?? (new < old) }

    /// Creates an axis.
    package init(old: Int, new: Int, scale: Float?, region: ClosedRange<Float>? = nil) {
      self.old = old
      self.new = new
      self.scale = scale
      self.region = region
    }
  }

  /// The elements of the input's axis from which each element of the output's is computed, and
  /// their weights.
  package struct Taps {
    /// For each tap, an index for each element of the output's axis.
    package var indices: [[Int]]
    /// The same number of weights; all 1 for a single tap.
    package var weights: [[Double]]

    /// Creates the taps of an axis.
    package init(indices: [[Int]], weights: [[Double]]) {
      self.indices = indices
      self.weights = weights
    }
  }

  /// Returns the taps of an axis.
  package func taps(_ axis: Axis) -> Taps {
    let samples = (0..<axis.new).map { sample(at: coordinate($0, axis), axis) }
    let count = samples[0].count
    return Taps(
      indices: (0..<count).map { tap in samples.map { $0[tap].index } },
      weights: (0..<count).map { tap in samples.map { $0[tap].weight } })
  }

  /// The output elements whose coordinates lie outside of the input's axis.
  package func outside(_ axis: Axis) -> [Bool] {
    (0..<axis.new).map { !(0...Float(axis.old - 1)).contains(coordinate($0, axis)) }
  }

  private func coordinate(_ output: Int, _ axis: Axis) -> Float {
    let center = axis.inputDistance(Float(output) + 0.5)
    switch transformation {
    case .halfPixel: return center - 0.5
    case .pytorchHalfPixel: return axis.new > 1 ? center - 0.5 : 0
    case .halfPixelForNearest: return center
    case .asymmetric: return axis.inputDistance(Float(output))
    case .region:
      let (region, last) = (axis.region ?? 0...1, Float(axis.old - 1))
      let length = region.upperBound - region.lowerBound
      let way =
        axis.new > 1 ? Float(output) * length * last / Float(axis.new - 1) : length * last / 2
      return region.lowerBound * last + way
    case .alignCorners:
      return ResizingGrid.alignCorners.coordinate(output, from: axis.old, to: axis.new)
    case .halfPixelSymmetric:
      let adjustment = axis.scale.map { Float(axis.new) / ($0 * Float(axis.old)) } ?? 1
      return Float(axis.old) / 2 * (1 - adjustment) + center - 0.5
    }
  }

  private func sample(at coordinate: Float, _ axis: Axis) -> [(index: Int, weight: Double)] {
    let dimension = axis.old
    func clamp(_ index: Int) -> Int { min(max(index, 0), dimension - 1) }
    let clamped = min(max(coordinate, -4), Float(dimension) + 4)
    if antialiases, let width = filterWidth(axis) {
      return widened(at: Double(clamped), width: width, dimension)
    }
    switch mode {
    case .nearest: return [(clamp(Int(rounded(clamped, axis))), 1)]
    case .linear:
      let within = min(max(clamped, 0), Float(dimension - 1))
      let floor = Int(within)
      let fraction = Double(within - Float(floor))
      return [(floor, 1 - fraction), (clamp(floor + 1), fraction)]
    case .cubic(let a, let excludesOutside):
      let floor = Int(clamped.rounded(.down))
      let fraction = Double(clamped - Float(floor))
      let first = floor - 1
      var weights = [1 + fraction, fraction, 1 - fraction, 2 - fraction].map {
        ResizingFilter.cubic($0, a: a)
      }
      if excludesOutside {
        for tap in weights.indices where !(0..<dimension).contains(first + tap) { weights[tap] = 0 }
        let sum = weights.reduce(0, +)
        weights = weights.map { $0 / sum }
      }
      return weights.enumerated().map { (clamp(first + $0), $1) }
    }
  }

  /// By how much filters are wider than the distance of the input's elements; `nil` if they are not.
  private func filterWidth(_ axis: Axis) -> Double? {
    let width = 1 / (axis.scale.map(Double.init) ?? Double(axis.new) / Double(axis.old))
    if case .nearest = mode { return nil }
    return width > 1 ? width : nil
  }

  /// The elements under a widened filter, and their weights, of which the sum is 1.
  private func widened(
    at coordinate: Double, width: Double, _ dimension: Int
  ) -> [(index: Int, weight: Double)] {
    var (radius, coefficient, excludesOutside) = (width, 0.0, false)
    if case .cubic(let a, let excludes) = mode {
      (radius, coefficient, excludesOutside) = (2 * width, a, excludes)
    }
    // As many taps for every coordinate: those without a part of the filter weigh 0.
    let count = 2 * Int(radius.rounded(.up)) + 1
    let first = Int((coordinate - radius).rounded(.down))
    var weights = (0..<count).map { tap in
      let distance = abs(Double(first + tap) - coordinate) / width
      guard distance < radius / width else { return 0.0 }
      return radius == width ? 1 - distance : ResizingFilter.cubic(distance, a: coefficient)
    }
    if excludesOutside {
      for tap in weights.indices where !(0..<dimension).contains(first + tap) { weights[tap] = 0 }
    }
    let sum = weights.reduce(0, +)
    return weights.enumerated().map { tap, weight in
      (min(max(first + tap, 0), dimension - 1), weight / sum)
    }
  }

  private func rounded(_ coordinate: Float, _ axis: Axis) -> Float {
    switch rounding {
    case .floor: coordinate.rounded(.down)
    case .ceiling: coordinate.rounded(.up)
    case .legacy: coordinate.rounded(axis.becomesShorter ? .up : .down)
    case .preferFloor: (coordinate - 0.5).rounded(.up)
    case .preferCeiling: (coordinate + 0.5).rounded(.down)
    }
  }
}
