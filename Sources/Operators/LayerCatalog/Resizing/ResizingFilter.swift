/// A function of the distance from a coordinate with which ``Resizing`` weights the elements around
/// it.
enum ResizingFilter {
  case triangle
  /// The cubic convolution of Keys (1981) with a = -1/2.
  case keysCubic
  /// The cubic filter of Mitchell and Netravali (1988), with both parameters 1/3.
  case mitchellCubic
  case gaussian
  /// Lanczos' windowed sinc over this many elements to each side.
  case lanczos(Int)

  /// The radius of the filter.
  private var radius: Double {
    switch self {
    case .triangle: 1
    case .keysCubic, .mitchellCubic: 2
    case .gaussian: 1.5
    case .lanczos(let radius): Double(radius)
    }
  }

  /// Returns the input elements and weights for element `output`, on an axis resized from `old` to
  /// `new` elements.
  func sample(
    _ output: Int, from old: Int, to new: Int, antialiases: Bool
  ) -> ResizingInterpolation.Sample {
    // TensorFlow inverts the scale here, which rounds once more.
    let step = 1 / (Float(new) / Float(old))
    let width = antialiases ? max(step, 1) : 1
    let center = (Float(output) + 0.5) * step
    let scaledRadius = Float(radius) * width
    let first = max(0, min(old - 1, Int((center - scaledRadius - 0.5).rounded(.up))))
    let last = max(0, min(old - 1, Int((center + scaledRadius - 0.5).rounded(.down))))
    let weights = (first...max(first, last)).map { index in
      weight(Double(abs((Float(index) + 0.5 - center) * (1 / width))))
    }
    return ResizingInterpolation.Sample(first: first, weights: weights, within: old)
  }

  private func weight(_ distance: Double) -> Double {
    switch self {
    case .triangle: return max(0, 1 - distance)
    case .keysCubic: return distance < 2 ? Self.cubic(distance) : 0
    case .mitchellCubic: return Self.mitchell(distance)
    case .gaussian: return distance < radius ? (-2 * distance * distance).exponential : 0
    case .lanczos:
      if distance > radius { return 0 }
      // The limit at 0, as in TensorFlow.
      if distance <= 1e-3 { return 1 }
      let angle = Double.pi * distance
      return radius * angle.sine * (angle / radius).sine / (angle * angle)
    }
  }

  /// The cubic convolution kernel at a distance of 0 to 2 (Keys 1981, equation 4, with a in place
  /// of -1/2).
  static func cubic(_ distance: Double, a: Double = -0.5) -> Double {
    let x = distance
    return x <= 1
      ? ((a + 2) * x - (a + 3)) * x * x + 1
      : ((a * x - 5 * a) * x + 8 * a) * x - 4 * a
  }

  private static func mitchell(_ distance: Double) -> Double {
    if distance >= 2 { return 0 }
    return distance < 1
      ? (7 / 6 * distance - 2) * distance * distance + 8 / 9
      : ((-7 / 18 * distance + 2) * distance - 10 / 3) * distance + 16 / 9
  }
}
