extension Raster {
  /// The raster in another size, for the ways that compute whole numbers; else itself.
  func resampled(to size: PixelSize, by resampling: Resampling) -> Raster {
    let kernel: FilterKernel
    switch resampling {
    case .darknet, .halfPixel, .topLeft: return self
    case .nearest: return nearest(size)
    case .pillowBilinear: kernel = .triangle
    case .pillowBicubic: kernel = .cubic
    }
    return filteredRows(FilterTaps(kernel, from: width, to: size.width))
      .filteredColumns(FilterTaps(kernel, from: height, to: size.height))
  }

  /// The nearest pixels. Coordinates are added up as Pillow does, whose rounding that decides.
  private func nearest(_ size: PixelSize) -> Raster {
    func indices(_ old: Int, _ new: Int) -> [Int] {
      let step = Double(old) / Double(new)
      var coordinate = step * 0.5
      return (0..<new).map { _ in
        defer { coordinate += step }
        return min(Int(coordinate), old - 1)
      }
    }
    let columns = indices(width, size.width)
    var result: [UInt8] = []
    result.reserveCapacity(size.width * size.height * componentCount)
    for row in indices(height, size.height) {
      for column in columns {
        let start = (row * width + column) * componentCount
        for index in start..<start + componentCount { result.append(bytes[index]) }
      }
    }
    return with(size, result)
  }

  private func filteredRows(_ taps: FilterTaps) -> Raster {
    if taps.isIdentity { return self }
    let count = componentCount
    let source = bytes.span
    var result = [UInt8](repeating: 0, count: taps.count * height * count)
    var target = result.mutableSpan
    for x in 0..<taps.count {
      let weights = taps.weights(x)
      for y in 0..<height {
        let start = (y * width + taps.first[x]) * count
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
    return with(PixelSize(width: taps.count, height: height), result)
  }

  private func filteredColumns(_ taps: FilterTaps) -> Raster {
    if taps.isIdentity { return self }
    let stride = width * componentCount
    var result = [UInt8](repeating: 0, count: taps.count * stride)
    var target = result.mutableSpan
    var sums = [Int32](repeating: 0, count: stride)
    for y in 0..<taps.count {
      var sum = sums.mutableSpan
      for x in 0..<stride { sum[x] = FilterTaps.half }
      for (row, weight) in zip(taps.first[y]..., taps.weights(y)) {
        let source = bytes.span.extracting(row * stride..<(row + 1) * stride)
        for x in 0..<stride { sum[x] &+= Int32(source[x]) &* weight }
      }
      for x in 0..<stride { target[y * stride + x] = FilterTaps.rounded(sum[x]) }
    }
    return with(PixelSize(width: width, height: taps.count), result)
  }

  private func with(_ size: PixelSize, _ bytes: [UInt8]) -> Raster {
    Raster(size, componentCount: componentCount, bytes: bytes)
  }
}
