import Bytes

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// An image with the statistics of photos: overlapping shapes of all sizes, each with its own
/// color, shading and texture ("dead leaves", Lee, Mumford and Huang 2001). Shapes and textures
/// have an amplitude spectrum of 1/f. Colors vary less than brightness.
struct GeneratedImage: Sendable {
  let height: Int
  let width: Int
  /// The planes red, green and blue, or the brightness, with values of 0...255.
  let planes: [[Float]]

  /// Creates an image.
  ///
  /// - Parameters:
  ///   - components: 3 for a color image, 1 for a grayscale one.
  ///   - seed: Different seeds give different images.
  init(
    height: Int, width: Int, components: Int, kind: GeneratedImageKind = .photo, seed: UInt64
  ) {
    (self.height, self.width) = (height, width)
    let look = kind.look
    var generator = SplitMix64(seed: seed)
    let contrast = Float.random(in: look.contrast, using: &generator)
    let brightness = Float.random(in: look.brightness, using: &generator)
    let texture = Self.noise(height, width, &generator)
    let background = look.isTextured ? contrast : 0
    var planes = (0..<components).map { _ in texture.map { brightness + background * $0 } }
    let count = look.shapeCounts[Int.random(in: look.shapeCounts.indices, using: &generator)]
    for _ in 0..<count {
      Leaf(height: height, width: width, look, brightness, contrast, &generator)
        .paint(on: &planes, texture, width: width)
    }
    self.planes = planes.map { $0.map(Self.clamped) }
  }

  private static func clamped(_ component: Float) -> Float {
    min(255, max(0, component)).rounded()
  }

  /// Noise of mean 0 and variance 1, with equal power in each octave.
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

  /// Adds value noise: independent numbers at the corners of cells, interpolated smoothly.
  private static func add(
    _ cell: Float, _ height: Int, _ width: Int, _ sum: inout [Float],
    _ generator: inout SplitMix64
  ) {
    let columns = Int(Float(width) / cell) + 2
    let rows = Int(Float(height) / cell) + 2
    let corners = (0..<rows * columns).map { _ in gaussian(&generator) }
    let samples = (0..<width).map { x in
      (Int(Float(x) / cell), smooth(Float(x) / cell - (Float(x) / cell).rounded(.down)))
    }
    var target = sum.mutableSpan
    let source = corners.span
    for y in 0..<height {
      let top = Int(Float(y) / cell)
      let down = smooth(Float(y) / cell - Float(top))
      let (upper, lower) = (top * columns, (top + 1) * columns)
      for x in 0..<width {
        let (left, weight) = samples[x]
        let above =
          source[upper + left] + weight * (source[upper + left + 1] - source[upper + left])
        let below =
          source[lower + left] + weight * (source[lower + left + 1] - source[lower + left])
        target[y * width + x] += above + down * (below - above)
      }
    }
  }

  private static func smooth(_ fraction: Float) -> Float {
    fraction * fraction * (3 - 2 * fraction)
  }

  /// A sample of the standard normal distribution (Box and Muller 1958).
  static func gaussian(_ generator: inout SplitMix64) -> Float {
    let radius = (-2 * log(Float.random(in: Float.ulpOfOne..<1, using: &generator))).squareRoot()
    return radius * cos(2 * Float.pi * Float.random(in: 0..<1, using: &generator))
  }
}

/// One of the shapes in an image: a rotated ellipse or rectangle.
private struct Leaf {
  private let rows: Range<Int>
  private let columns: Range<Int>
  private let center: (x: Float, y: Float)
  private let direction: (x: Float, y: Float)
  private let semiaxes: (along: Float, across: Float)
  private let isRound: Bool
  private let colors: [Float]
  private let shading: (x: Float, y: Float)
  private let roughness: Float

  init(
    height: Int, width: Int, _ look: GeneratedImage.Look, _ brightness: Float, _ contrast: Float,
    _ generator: inout SplitMix64
  ) {
    let largest = Float(max(height, width)) / 2
    let smallest = max(1, largest * look.smallestShape)
    // A size density of 1 / size^3, so that shapes of all sizes cover equal areas.
    let fraction = Float.random(in: 0..<1, using: &generator)
    let (low, high) = (1 / (smallest * smallest), 1 / (largest * largest))
    let size = 1 / (low + fraction * (high - low)).squareRoot()
    let aspect = Float.random(in: look.aspect, using: &generator)
    let angle = Float.random(in: 0..<2 * Float.pi, using: &generator)
    center = (
      Float.random(in: 0..<Float(width), using: &generator),
      Float.random(in: 0..<Float(height), using: &generator)
    )
    direction = (cos(angle), sin(angle))
    semiaxes = (size, size * aspect)
    isRound = Bool.random(using: &generator)
    let radius = size * 1.42 + 1
    rows = max(0, Int(center.y - radius))..<max(0, min(height, Int(center.y + radius) + 1))
    columns = max(0, Int(center.x - radius))..<max(0, min(width, Int(center.x + radius) + 1))
    let light = brightness + contrast * GeneratedImage.gaussian(&generator)
    let color = contrast * look.colorfulness
    let (warm, green) = (
      color * 0.3 * GeneratedImage.gaussian(&generator),
      color * 0.1 * GeneratedImage.gaussian(&generator)
    )
    colors = [light + warm - green / 2, light + green, light - warm - green / 2]
    shading = (
      contrast * look.shading * GeneratedImage.gaussian(&generator) / size,
      contrast * look.shading * GeneratedImage.gaussian(&generator) / size
    )
    roughness = contrast * Float.random(in: 0...look.roughness, using: &generator)
  }

  /// Paints the shape over what is behind it.
  func paint(on planes: inout [[Float]], _ texture: [Float], width: Int) {
    let isGray = planes.count == 1
    for y in rows {
      for x in columns {
        let (dx, dy) = (Float(x) - center.x, Float(y) - center.y)
        let along = (dx * direction.x + dy * direction.y) / semiaxes.along
        let across = (dy * direction.x - dx * direction.y) / semiaxes.across
        let isInside =
          isRound ? along * along + across * across < 1 : max(abs(along), abs(across)) < 1
        guard isInside else { continue }
        let light = dx * shading.x + dy * shading.y + roughness * texture[y * width + x]
        for plane in planes.indices {
          planes[plane][y * width + x] = colors[isGray ? 1 : plane] + light
        }
      }
    }
  }
}
