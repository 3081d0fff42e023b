import Bytes
import CKernels
import GraphIR

/// Makes a model's input from an image: interpolates along both axes, and scales and shifts its
/// components.
struct InputFiller {
  private let layout: DataLayout
  private let size: PixelSize
  /// The image's component for each of the model's.
  private let order: [Int]
  /// The lookup tables from bytes to the model's values: 256 entries for each of its components.
  private let values: [Float]
  /// The value of each component in the bars of a letterbox.
  private let bar: [Float]

  init(_ input: ImageInput, _ size: PixelSize, barBrightness: Double) {
    layout = input.layout
    self.size = size
    switch input.colorOrder {
    case .rgb: order = [0, 1, 2]
    case .bgr: order = [2, 1, 0]
    case .gray: order = [0]
    }
    values = input.bias.flatMap { bias in
      (0..<256).map { Float(Double($0) * input.scale + bias) }
    }
    bar = input.bias.map { Float(barBrightness * input.scale + $0) }
  }

  /// Returns the tensor of one image, scaled if necessary: the part of it that is inside the input.
  func tensor(
    _ raster: Raster, _ geometry: InputGeometry, _ resampling: Resampling
  ) -> Tensor {
    let shape =
      layout == .channelsLast
      ? [1, size.height, size.width, order.count] : [1, order.count, size.height, size.width]
    let byteCount = 4 * size.width * size.height * order.count
    let bytes = unsafe [UInt8](unsafeUninitializedCapacity: byteCount) { buffer, filledCount in
      // Safe: the array's memory is aligned for single precision; bars and image fill all of it.
      let elements = unsafe UnsafeMutableRawBufferPointer(buffer).bindMemory(to: Float.self)
      if geometry.window.size != size { unsafe fillBars(elements) }
      unsafe fill(elements, raster, geometry, resampling)
      filledCount = byteCount
    }
    return Tensor(.float32, shape: shape, bytes: bytes)
  }

  private func fill(
    _ elements: UnsafeMutableBufferPointer<Float>, _ raster: Raster, _ geometry: InputGeometry,
    _ resampling: Resampling
  ) {
    let (scaled, window) = (geometry.scaled, geometry.window)
    let columns = resampling.rowTaps(from: raster.width, to: scaled.width, window.columns)
    let rows = resampling.columnTaps(from: raster.height, to: scaled.height, window.rows)
    // Two rows of the image, scaled horizontally; most are used for two new rows.
    var upper = ScaledRow(columns.count * order.count)
    var lower = upper
    for y in 0..<rows.count {
      let pair = rows.pairs[y]
      if lower.index == pair.first { swap(&upper, &lower) }
      scale(raster, pair.first, columns, into: &upper)
      if pair.second != pair.first { scale(raster, pair.second, columns, into: &lower) }
      unsafe write(
        upper, pair.second == pair.first ? upper : lower, pair, to: elements,
        x: geometry.origin.x, y: geometry.origin.y + y)
    }
  }

  private struct ScaledRow {
    var index = -1
    var elements: [Float]

    init(_ count: Int) { elements = [Float](repeating: 0, count: count) }
  }

  /// Scales one of the image's rows horizontally, unless that is already done.
  private func scale(
    _ raster: Raster, _ index: Int, _ taps: LinearTaps, into row: inout ScaledRow
  ) {
    if row.index == index { return }
    row.index = index
    let start = index * raster.width * order.count
    // Safe: the taps are inside of the raster's rows, and a row has an element for each tap.
    unsafe raster.bytes.withUnsafeBufferPointer { bytes in
      guard let bytes = bytes.baseAddress else { return }
      unsafe pixels_interpolate_row(
        bytes + start, Int32(order.count), taps.pairs, taps.count, order, values, &row.elements)
    }
  }

  /// Writes the weighted sum of two rows into the input.
  private func write(
    _ upper: ScaledRow, _ lower: ScaledRow, _ weights: pixels_pair,
    to elements: UnsafeMutableBufferPointer<Float>, x: Int, y: Int
  ) {
    guard let target = elements.baseAddress else { return }
    // Each component has a row of its own, or a single row holds all.
    let rowCount = layout == .channelsFirst ? order.count : 1
    let count = upper.elements.count / rowCount
    // Safe: the rows have `count` elements at this distance, and their place is in the input.
    unsafe upper.elements.withUnsafeBufferPointer { upper in
      unsafe lower.elements.withUnsafeBufferPointer { lower in
        guard let upper = upper.baseAddress, let lower = lower.baseAddress else { return }
        for row in 0..<rowCount {
          let pixel = (row * size.height + y) * size.width + x
          unsafe pixels_interpolate_column(
            upper + row, weights.first_weight, lower + row, weights.second_weight, rowCount, count,
            target + pixel * (order.count / rowCount))
        }
      }
    }
  }

  private func fillBars(_ elements: UnsafeMutableBufferPointer<Float>) {
    let count = order.count
    for index in elements.indices {
      unsafe elements[index] =
        bar[layout == .channelsLast ? index % count : index / (size.width * size.height)]
    }
  }
}

extension Resampling {
  /// Returns the taps along a row; the identity where the raster has already been resized.
  fileprivate func rowTaps(from old: Int, to new: Int, _ window: Range<Int>) -> LinearTaps {
    self == .darknet
      ? .darknetRow(from: old, to: new, window) : columnTaps(from: old, to: new, window)
  }

  /// Returns the taps along a column.
  fileprivate func columnTaps(from old: Int, to new: Int, _ window: Range<Int>) -> LinearTaps {
    switch self {
    case .darknet: .darknetColumn(from: old, to: new, window)
    case .halfPixel: .linear(from: old, to: new, window, halfPixel: true)
    case .topLeft: .linear(from: old, to: new, window, halfPixel: false)
    case .nearest, .pillowBilinear, .pillowBicubic: .identity(window.count)
    }
  }
}
