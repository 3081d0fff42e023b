/// How an axis of an image is covered by tiles of one length that overlap.
package struct TileAxis: Hashable, Sendable {
  /// The number of pixels of a tile.
  package let tile: Int
  /// Where the tiles begin, rising; the last one ends at the axis' end.
  package let origins: [Int]
  private let overlap: Int

  /// Covers an axis.
  ///
  /// - Parameters:
  ///   - length: The number of pixels, a multiple of `step`.
  ///   - tile: The most pixels of a tile; a multiple of `step`.
  ///   - overlap: The fewest pixels that two neighbours share, less than a tile.
  ///   - step: Where tiles may begin: at its multiples.
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

  /// How much each pixel of a tile counts: 0 in the outer quarter of what it shares with a neighbour,
  /// where the missing surroundings show, then rising to 1 over the middle half.
  ///
  /// - Parameters:
  ///   - index: The tile's position among the axis' tiles.
  ///   - scale: How many pixels of the result a pixel of the axis makes; its inverse when negative.
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

/// How many pixels a model makes of one along each axis.
package struct TileScale: Hashable, Sendable {
  private let factor, divisor: Int

  /// The scale between two sizes, when it is the same along both axes and either it or its inverse is
  /// a whole number.
  package init?(from old: (width: Int, height: Int), to new: (width: Int, height: Int)) {
    let isLarger = new.width >= old.width
    let (small, large) = isLarger ? (old, new) : (new, old)
    guard small.width > 0, small.height > 0, large.width % small.width == 0 else { return nil }
    let ratio = large.width / small.width
    guard small.height * ratio == large.height else { return nil }
    (factor, divisor) = isLarger ? (ratio, 1) : (1, ratio)
  }

  /// How many pixels the model makes of a number of pixels.
  package func scaled(_ count: Int) -> Int { count * factor / divisor }

  /// A number of pixels, rounded up to one that the scale makes whole.
  package var divisorOfInput: Int { divisor }
}
