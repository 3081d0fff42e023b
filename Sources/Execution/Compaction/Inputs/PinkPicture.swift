import Bytes

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A picture of noise whose amplitude falls as 1/f, as that of photos does, with colors that differ less
/// than the brightness.
struct PinkPicture: Sendable {
  let height: Int
  let width: Int
  /// Components of 0...255, plane after plane.
  let planes: [[Float]]

  /// Makes a picture.
  ///
  /// - Parameters:
  ///   - components: 3 for a colored one, 1 for a gray one.
  ///   - seed: Another one gives another picture.
  init(height: Int, width: Int, components: Int, seed: UInt64) {
    (self.height, self.width) = (height, width)
    var generator = SplitMix64(seed: seed)
    let contrast = Float.random(in: 30...80, using: &generator)
    let brightness = Float.random(in: 70...170, using: &generator)
    let light = Self.noise(height, width, &generator)
    guard components == 3 else {
      planes = [light.map { Self.limited(brightness + contrast * $0) }]
      return
    }
    let warm = Self.noise(height, width, &generator)
    let green = Self.noise(height, width, &generator)
    let (tint, cast) = (
      Float.random(in: -12...12, using: &generator), Float.random(in: -6...6, using: &generator)
    )
    let (first, second) = (contrast * 0.25, contrast * 0.1)
    var planes = [[Float]](repeating: light, count: 3)
    for index in light.indices {
      let level = brightness + contrast * light[index]
      let (warmth, greenness) = (tint + first * warm[index], cast + second * green[index])
      planes[0][index] = Self.limited(level + warmth - greenness / 2)
      planes[1][index] = Self.limited(level + greenness)
      planes[2][index] = Self.limited(level - warmth - greenness / 2)
    }
    self.planes = planes
  }

  private static func limited(_ component: Float) -> Float {
    min(255, max(0, component)).rounded()
  }

  /// Noise of mean 0 and variance 1: as much in each octave.
  private static func noise(
    _ height: Int, _ width: Int, _ generator: inout SplitMix64
  ) -> [Float] {
    var sum = [Float](repeating: 0, count: height * width)
    var cell = max(height, width)
    while cell >= 1 {
      add(Float(cell), height, width, &sum, &generator)
      cell /= 2
    }
    let count = Float(max(1, sum.count))
    let mean = sum.reduce(0, +) / count
    let variance = sum.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / count
    let factor = variance > 0 ? 1 / variance.squareRoot() : 0
    return sum.map { ($0 - mean) * factor }
  }

  /// Adds independent numbers at the corners of cells, and what lies between them in between.
  private static func add(
    _ cell: Float, _ height: Int, _ width: Int, _ sum: inout [Float],
    _ generator: inout SplitMix64
  ) {
    let columns = Int(Float(width) / cell) + 2
    let rows = Int(Float(height) / cell) + 2
    let corners = (0..<rows * columns).map { _ in gaussian(&generator) }
    let places = (0..<width).map { x in
      (Int(Float(x) / cell), smooth(Float(x) / cell - (Float(x) / cell).rounded(.down)))
    }
    var target = sum.mutableSpan
    let source = corners.span
    for y in 0..<height {
      let top = Int(Float(y) / cell)
      let down = smooth(Float(y) / cell - Float(top))
      let (upper, lower) = (top * columns, (top + 1) * columns)
      for x in 0..<width {
        let (left, right) = places[x]
        let above = source[upper + left] + right * (source[upper + left + 1] - source[upper + left])
        let below = source[lower + left] + right * (source[lower + left + 1] - source[lower + left])
        target[y * width + x] += above + down * (below - above)
      }
    }
  }

  private static func smooth(_ place: Float) -> Float { place * place * (3 - 2 * place) }

  /// A number of the normal distribution (Box and Muller 1958).
  static func gaussian(_ generator: inout SplitMix64) -> Float {
    let radius = (-2 * log(Float.random(in: Float.ulpOfOne..<1, using: &generator))).squareRoot()
    return radius * cos(2 * Float.pi * Float.random(in: 0..<1, using: &generator))
  }
}
