package import Bytes
package import GraphIR

/// Contrast limited adaptive histogram equalization (Zuiderveld 1994) of each channel of images.
///
/// - input: `[batch, height, width, channels]`, floating-point numbers from 0 to 255
/// - output: the input's type; 0 to 255
package struct CLAHE: ArithmeticOperator, PrimitiveOperator {
  /// The number of tiles along the height, 1 to 2^12.
  package let rows: Int
  /// The number of tiles along the width, 1 to 2^12.
  package let columns: Int
  /// The limit of the counts in the histogram, as a multiple of the mean; 0 for no limit.
  package let clipLimit: Double

  package static let kind = "clahe"
  package static let version = 1

  package static let declaration = OperatorDeclaration<Self>(
    """
    For each channel of each image, of height H and width W:
    v = x truncated to an integer and clamped to 0...255; 0 for NaN
    h = ceil(H / tile_rows), w = ceil(W / tile_columns): the sizes of the tiles
    rows and columns beyond the image are mirrored: index p >= H is 2 * H - 1 - p; columns \
    likewise
    for each tile of n = h * w elements:
      hist[l] = the number of elements of level l, for l from 0 to 255
      if clip_limit > 0: t = clip_limit * n / 256; e = (sum over l of max(0, hist[l] - t)) / 256
        hist[l] = min(hist[l], t) + e
      s[l] = hist[0] + ... + hist[l]; d = n - s[0], or 1 if that is 0
      curve[l] = min(max((s[l] - s[0]) * 255 / d, 0), 255)
    for the element of row i and column j: a = (i - h / 2) / h, b = (j - w / 2) / w
    y = the curves of tiles (floor(a), floor(b)), (floor(a), floor(b) + 1), (floor(a) + 1, \
    floor(b)),
      (floor(a) + 1, floor(b) + 1) at v, weighted by (1 - da) * (1 - db), (1 - da) * db, da * (1 \
    - db),
      da * db, with da = a - floor(a), db = b - floor(b);
      where a tile does not exist, the nearest one is used
    """,
    of: .float,
    attributes: AttributeSchema(
      Self.init(rows:columns:clipLimit:),
      .integer(
        "tile_rows", \.rows, "The number of tiles along the height.", .atLeast(1), .atMost(4096)),
      .integer(
        "tile_columns", \.columns, "The number of tiles along the width.", .atLeast(1),
        .atMost(4096)),
      .real(
        "clip_limit", \.clipLimit,
        """
        The largest count of a level, as a multiple of the mean count; 0 for no limit.
        """, .atLeast(0), .finite)))

  /// Creates the operator.
  package init(rows: Int, columns: Int, clipLimit: Double) {
    self.rows = rows
    self.columns = columns
    self.clipLimit = clipLimit
  }
}

extension CLAHE {
  package func outputTypes(of inputs: [TensorType]) throws(ShapeError) -> [TensorType] {
    let input = inputs[0]
    guard input.rank == 4, input.elementType.isFloat else {
      throw ShapeError("takes images of floating-point numbers, not \(input)")
    }
    for (dimension, count) in [(input.shape[1], rows), (input.shape[2], columns)] {
      guard let dimension = dimension.value else { continue }
      // Mirroring cannot add more elements than there are. With the upper limit, nothing below can
      // overflow.
      guard (1...1 << 48).contains(dimension),
        EqualizationTiles(dimension: dimension, count: count).padding <= dimension
      else {
        throw ShapeError("\(input) is too small or too large for \(rows) x \(columns) tiles")
      }
    }
    return inputs
  }

  package func evaluate(
    _ inputs: [Tensor], workers: Workers
  ) throws(WeighbridgeError) -> [Tensor] {
    let shape = try outputShape(of: inputs)
    let planes = inputs[0].permuted([0, 3, 1, 2])
    let size = shape[1] * shape[2]
    let elements = planes.doubles
    let results = workers.map(size == 0 ? 0 : elements.count / size) { plane in
      equalized(elements[plane * size..<(plane + 1) * size], height: shape[1], width: shape[2])
    }
    let output = Tensor(inputs[0].elementType, shape: planes.shape, results.flatMap { $0 })
    return [output.permuted([0, 2, 3, 1])]
  }

  /// Equalizes one channel of an image.
  private func equalized(
    _ plane: ArraySlice<Double>, height: Int, width: Int
  ) -> [Double] {
    let levels = plane.map { $0.isNaN ? 0 : Int(min(max($0, 0), 255)) }
    let vertical = EqualizationTiles(dimension: height, count: rows)
    let horizontal = EqualizationTiles(dimension: width, count: columns)
    let curves = (0..<rows).flatMap { row in
      (0..<columns).map { column in
        let pixels = vertical.indices(of: row).flatMap { y in
          horizontal.indices(of: column).map { x in levels[y * width + x] }
        }
        return curve(of: pixels)
      }
    }
    return (0..<height).flatMap { y in
      let (top, bottom, verticalFraction) = vertical.neighbors(of: y)
      return (0..<width).map { x in
        let (left, right, horizontalFraction) = horizontal.neighbors(of: x)
        let level = levels[y * width + x]
        func value(_ row: Int, _ column: Int) -> Double { curves[row * columns + column][level] }
        func interpolated(_ row: Int) -> Double {
          value(row, left) * (1 - horizontalFraction) + value(row, right) * horizontalFraction
        }
        return interpolated(top) * (1 - verticalFraction) + interpolated(bottom) * verticalFraction
      }
    }
  }

  /// Returns the output of a tile for each level.
  private func curve(of pixels: [Int]) -> [Double] {
    var histogram = [Double](repeating: 0, count: 256)
    for level in pixels { histogram[level] += 1 }
    let count = Double(pixels.count)
    if clipLimit > 0 {
      let limit = clipLimit * count / 256
      let excess = histogram.reduce(0) { $0 + max(0, $1 - limit) }
      histogram = histogram.map { min($0, limit) + excess / 256 }
    }
    var sum = 0.0
    let sums = histogram.map { count in
      sum += count
      return sum
    }
    let range = count - sums[0]
    return sums.map { min(max(($0 - sums[0]) * 255 / (range == 0 ? 1 : range), 0), 255) }
  }

  /// Each axis of the input has a different meaning.
  package func permutingAxes(_ axes: [Int]) -> CLAHE? { nil }
}

/// The tiles along one axis of an image, which is mirrored beyond its end.
private struct EqualizationTiles {
  let dimension: Int
  let count: Int
  /// The number of elements in a tile.
  let size: Int

  init(dimension: Int, count: Int) {
    (self.dimension, self.count) = (dimension, count)
    size = (dimension + count - 1) / count
  }

  /// The number of elements that mirroring adds.
  var padding: Int { size * count - dimension }

  /// The indices of a tile's elements in the image.
  func indices(of tile: Int) -> [Int] {
    (tile * size..<(tile + 1) * size).map { $0 < dimension ? $0 : 2 * dimension - 1 - $0 }
  }

  /// The tiles whose centers are on both sides of an element, and the element's distance from the
  /// first center as a fraction of a tile.
  func neighbors(of index: Int) -> (first: Int, second: Int, fraction: Double) {
    let coordinate = (Double(index) - Double(size) / 2) / Double(size)
    let first = coordinate.rounded(.down)
    let clamped = { (tile: Int) in min(max(tile, 0), count - 1) }
    return (clamped(Int(first)), clamped(Int(first) + 1), coordinate - first)
  }
}
