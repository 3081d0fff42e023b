/// A result that is assembled from tiles, which are blended gradually where they overlap.
package struct TileBlend {
  private let width, channelCount: Int
  private var sums, weights: [Float]

  /// Creates an empty result in axes `[height, width, channel]`.
  package init(width: Int, height: Int, channelCount: Int) {
    self.width = width
    self.channelCount = channelCount
    sums = [Float](repeating: 0, count: width * height * channelCount)
    weights = [Float](repeating: 0, count: width * height)
  }

  /// Adds a tile.
  ///
  /// - Parameters:
  ///   - tile: Its elements in axes `[height, width, channel]`.
  ///   - columns: The weight of each of its columns.
  ///   - rows: The weight of each of its rows.
  ///   - x: The column of the result at which it begins.
  ///   - y: The row of the result at which it begins.
  package mutating func add(
    _ tile: [Float], columns: [Float], rows: [Float], x: Int, y: Int
  ) {
    for row in rows.indices {
      for column in columns.indices {
        let weight = rows[row] * columns[column]
        guard weight > 0 else { continue }
        let pixel = (y + row) * width + x + column
        weights[pixel] += weight
        let source = (row * columns.count + column) * channelCount
        for channel in 0..<channelCount {
          sums[pixel * channelCount + channel] += weight * tile[source + channel]
        }
      }
    }
  }

  /// The elements of the result, in axes `[height, width, channel]`.
  package var numbers: [Float] {
    var result = sums
    for index in result.indices { result[index] /= weights[index / channelCount] }
    return result
  }
}
