extension Raster {
  /// Returns a window of the resized raster for the methods that compute integers; the raster
  /// itself for the others.
  func resampled(
    to size: PixelSize, _ window: PixelWindow, by resampling: Resampling
  ) -> Raster {
    let kernel: FilterKernel
    switch resampling {
    case .darknet, .halfPixel, .topLeft: return self
    case .nearest: return nearest(size, window)
    case .pillowBilinear: kernel = .triangle
    case .pillowBicubic: kernel = .cubic
    }
    let rows = FilterTaps(kernel, from: height, to: size.height, window.rows)
    return filteredRows(
      FilterTaps(kernel, from: width, to: size.width, window.columns), rows.sources
    )
    .filteredColumns(rows)
  }

  /// Returns the nearest pixels. Coordinates are accumulated as in Pillow, since their rounding
  /// matters.
  private func nearest(_ size: PixelSize, _ window: PixelWindow) -> Raster {
    func indices(_ old: Int, _ new: Int, _ window: Range<Int>) -> [Int] {
      let step = Double(old) / Double(new)
      var coordinate = step * 0.5
      for _ in 0..<window.lowerBound { coordinate += step }
      return window.map { _ in
        defer { coordinate += step }
        return min(Int(coordinate), old - 1)
      }
    }
    let columns = indices(width, size.width, window.columns)
    var result: [UInt8] = []
    result.reserveCapacity(columns.count * window.rows.count * componentCount)
    for row in indices(height, size.height, window.rows) {
      for column in columns {
        let start = (row * width + column) * componentCount
        for index in start..<start + componentCount { result.append(bytes[index]) }
      }
    }
    return with(window.size, result)
  }

  /// Filters a range of rows horizontally.
  private func filteredRows(_ taps: FilterTaps, _ rows: Range<Int>) -> Raster {
    if taps.isIdentity, rows == 0..<height { return self }
    let count = componentCount
    let source = bytes.span
    var result = [UInt8](repeating: 0, count: taps.count * rows.count * count)
    var target = result.mutableSpan
    for x in 0..<taps.count {
      let weights = taps.weights(x)
      for y in 0..<rows.count {
        let start = ((rows.lowerBound + y) * width + taps.first[x]) * count
        for component in 0..<count {
          var sum = FilterTaps.half
          var position = start + component
          for weight in weights {
            sum &+= Int32(source[position]) &* weight
            position += count
          }
          target[(y * taps.count + x) * count + component] = FilterTaps.rounded(sum)
        }
      }
    }
    return with(PixelSize(width: taps.count, height: rows.count), result)
  }

  /// Filters vertically; the raster begins with the first row that contributes.
  private func filteredColumns(_ taps: FilterTaps) -> Raster {
    if taps.isIdentity { return self }
    let stride = width * componentCount
    var result = [UInt8](repeating: 0, count: taps.count * stride)
    var target = result.mutableSpan
    var sums = [Int32](repeating: 0, count: stride)
    for y in 0..<taps.count {
      var sum = sums.mutableSpan
      for x in 0..<stride { sum[x] = FilterTaps.half }
      for (source, weight) in zip(taps.first[y]..., taps.weights(y)) {
        let start = (source - taps.sources.lowerBound) * stride
        let row = bytes.span.extracting(start..<start + stride)
        for x in 0..<stride { sum[x] &+= Int32(row[x]) &* weight }
      }
      for x in 0..<stride { target[y * stride + x] = FilterTaps.rounded(sum[x]) }
    }
    return with(PixelSize(width: width, height: taps.count), result)
  }

  private func with(_ size: PixelSize, _ bytes: [UInt8]) -> Raster {
    Raster(size, componentCount: componentCount, bytes: bytes)
  }
}
