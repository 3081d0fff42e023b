import Bytes
import GraphIR

/// Writes an image into a model's input: interpolates along both axes, and scales and shifts its
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
  private var elements: [Float]

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
    elements = [Float](repeating: 0, count: size.width * size.height * order.count)
  }

  /// The tensor of one image.
  var tensor: Tensor {
    let bytes = elements.withUnsafeBytes { Array($0) }  // copied before the closure ends
    let shape =
      layout == .channelsLast
      ? [1, size.height, size.width, order.count] : [1, order.count, size.height, size.width]
    return Tensor(.float32, shape: shape, bytes: bytes)
  }

  /// Fills the input with the part of the image that is inside it, scaling it if necessary.
  mutating func fill(_ raster: Raster, _ geometry: InputGeometry, _ resampling: Resampling) {
    let (scaled, window) = (geometry.scaled, geometry.window)
    if window.size != size { fillBars() }
    let columns = resampling.rowTaps(from: raster.width, to: scaled.width, window.columns)
    let rows = resampling.columnTaps(from: raster.height, to: scaled.height, window.rows)
    // Two rows of the image, scaled horizontally; most are used for two new rows.
    var upper = ScaledRow(columns.count * order.count)
    var lower = upper
    for y in 0..<rows.count {
      if lower.index == rows.first[y] { swap(&upper, &lower) }
      scale(raster, rows.first[y], columns, into: &upper)
      scale(raster, rows.second[y], columns, into: &lower)
      write(
        upper.elements, rows.firstWeight[y], lower.elements, rows.secondWeight[y],
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
    let count = raster.componentCount
    let start = index * raster.width * count
    let (bytes, values) = (raster.bytes.span, values.span)
    let (first, second) = (taps.first.span, taps.second.span)
    let (firstWeight, secondWeight) = (taps.firstWeight.span, taps.secondWeight.span)
    var target = row.elements.mutableSpan
    for component in order.indices {
      let source = start + order[component]
      let table = component * 256
      for x in first.indices {
        let left = values[table + Int(bytes[source + first[x] * count])]
        let right = values[table + Int(bytes[source + second[x] * count])]
        target[x * count + component] = firstWeight[x] * left + secondWeight[x] * right
      }
    }
  }

  /// Writes the weighted sum of two rows into the input.
  private mutating func write(
    _ upper: [Float], _ upperWeight: Float, _ lower: [Float], _ lowerWeight: Float, x: Int, y: Int
  ) {
    let count = order.count
    let (upper, lower) = (upper.span, lower.span)
    let isChannelsLast = layout == .channelsLast
    let (height, width) = (size.height, size.width)
    var target = elements.mutableSpan
    for component in 0..<count {
      let step = isChannelsLast ? count : 1
      var position =
        isChannelsLast ? (y * width + x) * count + component : (component * height + y) * width + x
      for source in stride(from: component, to: upper.count, by: count) {
        target[position] = upperWeight * upper[source] + lowerWeight * lower[source]
        position += step
      }
    }
  }

  private mutating func fillBars() {
    let count = order.count
    for index in elements.indices {
      elements[index] =
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
