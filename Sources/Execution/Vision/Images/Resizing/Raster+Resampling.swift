import CKernels

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
    let (oldStride, newStride) = (width * componentCount, taps.count * componentCount)
    return unsafe resized(to: PixelSize(width: taps.count, height: rows.count)) { source, target in
      for (y, row) in rows.enumerated() {
        unsafe pixels_filter_row(
          source + row * oldStride, width, Int32(componentCount), taps.windows, taps.count,
          taps.weights, target + y * newStride)
      }
    }
  }

  /// Filters vertically; the raster begins with the first row that contributes.
  private func filteredColumns(_ taps: FilterTaps) -> Raster {
    if taps.isIdentity { return self }
    let stride = width * componentCount
    return unsafe resized(to: PixelSize(width: width, height: taps.count)) { source, target in
      for (y, window) in taps.windows.enumerated() {
        let first = window.first - taps.sources.lowerBound
        unsafe taps.weights.withUnsafeBufferPointer { weights in
          guard let weights = weights.baseAddress else { return }
          unsafe pixels_filter_column(
            source + first * stride, window.count, stride, weights + window.first_weight,
            target + y * stride)
        }
      }
    }
  }

  /// Makes a raster of the same components whose bytes `body` writes.
  private func resized(
    to size: PixelSize,
    _ body: (_ source: UnsafePointer<UInt8>, _ target: UnsafeMutablePointer<UInt8>) -> Void
  ) -> Raster {
    let count = size.width * size.height * componentCount
    // Safe: the windows of the filters are inside of the old raster, and each new pixel has one.
    let result = unsafe bytes.withUnsafeBufferPointer { source in
      unsafe [UInt8](unsafeUninitializedCapacity: count) { target, filledCount in
        if let source = source.baseAddress, let target = target.baseAddress {
          unsafe body(source, target)
        }
        filledCount = count
      }
    }
    return with(size, result)
  }

  private func with(_ size: PixelSize, _ bytes: [UInt8]) -> Raster {
    Raster(size, componentCount: componentCount, bytes: bytes)
  }
}
