/// The overlapping tiles of equal length that cover an axis of an image.
package struct TileAxis: Hashable, Sendable {
  /// The number of pixels in a tile.
  package let tile: Int
  /// The starts of the tiles, ascending; the last tile ends at the end of the axis.
  package let origins: [Int]
  private let overlap: Int

  /// Covers an axis.
  ///
  /// - Parameters:
  ///   - length: The number of pixels, a multiple of `step`.
  ///   - tile: The most pixels of a tile; a multiple of `step`.
  ///   - overlap: The fewest pixels that two neighbors share; fewer than in a tile.
  ///   - step: Tiles start at multiples of this.
  package init(length: Int, tile: Int, overlap: Int, step: Int) {
    guard length > tile else {
      (self.tile, origins, self.overlap) = (length, [0], 0)
      return
    }
    let stride = max(step, (tile - overlap) / step * step)
    var starts = Array(Swift.stride(from: 0, to: length - tile, by: stride))
    starts.append(length - tile)
    (self.tile, origins, self.overlap) = (tile, starts, tile - stride)
  }

  /// Returns the blending weight of each pixel of a tile: 0 in the outer quarter of the overlap
  /// with a neighbor, where the missing context is visible, then rising to 1 over the middle half.
  ///
  /// - Parameters:
  ///   - index: The tile's index along the axis.
  ///   - scale: The scale from the axis to the result.
  package func weights(_ index: Int, _ scale: TileScale) -> [Float] {
    let (count, shared) = (scale.scaled(tile), Float(scale.scaled(overlap)))
    return (0..<count).map { position in
      let left = index == 0 ? 1 : Self.ramp(Float(position) + 0.5, shared)
      let right =
        index == origins.count - 1 ? 1 : Self.ramp(Float(count - position) - 0.5, shared)
      return min(left, right)
    }
  }

  private static func ramp(_ distance: Float, _ shared: Float) -> Float {
    shared == 0 ? 1 : min(max((distance - shared / 4) / (shared / 2), 0), 1)
  }
}

/// The ratio of a model's output size to its input size, the same along both axes.
package struct TileScale: Hashable, Sendable {
  private let factor, divisor: Int

  /// Creates the scale between two sizes. Fails unless it is the same along both axes and it or its
  /// inverse is an integer.
  package init?(from old: (width: Int, height: Int), to new: (width: Int, height: Int)) {
    let isLarger = new.width >= old.width
    let (small, large) = isLarger ? (old, new) : (new, old)
    guard small.width > 0, small.height > 0, large.width % small.width == 0 else { return nil }
    let ratio = large.width / small.width
    guard small.height * ratio == large.height else { return nil }
    (factor, divisor) = isLarger ? (ratio, 1) : (1, ratio)
  }

  /// Returns the number of output pixels for a number of input pixels.
  package func scaled(_ count: Int) -> Int { count * factor / divisor }

  /// The number that input sizes must be a multiple of.
  package var inputMultiple: Int { divisor }
}
