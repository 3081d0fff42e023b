import Bytes
import ConversionCore
import GraphIR
import LayerCatalog
import TFLiteFormat

/// Pooling over one, two or three axes.
enum TFLitePooling {
  static let rows: [TFLiteRow] = [
    TFLiteRow(value: MaxPooling.self) { (operation, builder) throws(WeighbridgeError) in
      try builder.withPlanes(operation.window) { (builder, x, window) throws(WeighbridgeError) in
        let (input, padding) = try builder.placed(
          x, window, value: -.infinity, takesSame: !window.isDilated)
        return try builder.pooled(.maxPool2D, input, window, padding)
      }
    },
    TFLiteRow(value: AveragePooling.self) { (operation, builder) throws(WeighbridgeError) in
      try builder.withPlanes(operation.window) { (builder, x, window) throws(WeighbridgeError) in
        let includesPadding = operation.countIncludePad
        let (input, padding) = try builder.placed(
          x, window, takesSame: !includesPadding && !window.isDilated)
        let means = try builder.pooled(.averagePool2D, input, window, padding)
        guard !includesPadding, padding == .valid, window.padding != .valid else { return means }
        return try builder.excludingPadding(means, x, window)
      }
    },
  ]
}

extension TFLiteBuilder {
  /// Adds a pooling; one over three axes becomes one over two and one over the third.
  fileprivate mutating func pooled(
    _ builtin: TFLiteBuiltin, _ x: ExportOperand, _ window: Window, _ padding: TFLitePadding
  ) throws(WeighbridgeError) -> ExportOperand {
    let placed = Window(
      size: window.size, strides: window.strides, dilation: window.dilation,
      padding: padding == .same ? .same : .valid)
    let type = try windowType(x, placed, channels: x.type.shape[x.type.rank - 1])
    if window.isDilated { return try dilated(builtin, x, window, as: type) }
    if window.size.count == 2 {
      return try add(
        builtin, x, options: .pool(padding, strides: window.strides, size: window.size), as: type)
    }
    guard window.size.count == 3, let old = x.type.fixedSizes, let new = type.fixedSizes else {
      throw .unsupported("TFLite pools only along two axes, or along three of known sizes")
    }
    let batch = x.type.shape[0].value
    let frames = try reshaped(
      x,
      as: x.type.with(
        shape: [batch.map { .fixed($0 * old[0]) } ?? .unknown] + old[1...].map { .fixed($0) }))
    let planes = try add(
      builtin, frames,
      options: .pool(
        padding, strides: Array(window.strides[1...]), size: Array(window.size[1...])),
      as: frames.type.with(shape: [frames.type.shape[0]] + new[1...].map { .fixed($0) }))
    let columns = try reshaped(
      planes,
      as: x.type.with(
        shape: [x.type.shape[0], .fixed(old[0]), .fixed(new[1] * new[2]), .fixed(new[3])]))
    let result = try add(
      builtin, columns,
      options: .pool(padding, strides: [window.strides[0], 1], size: [window.size[0], 1]),
      as: columns.type.with(
        shape: [x.type.shape[0], .fixed(new[0]), .fixed(new[1] * new[2]), .fixed(new[3])]))
    return try reshaped(result, as: type)
  }

  /// Combines the elements of dilated windows: those at each position in the windows are a slice.
  private mutating func dilated(
    _ builtin: TFLiteBuiltin, _ x: ExportOperand, _ window: Window, as type: TensorType
  ) throws(WeighbridgeError) -> ExportOperand {
    guard let sizes = type.fixedSizes else {
      throw .unsupported("TFLite pools with dilated windows only where sizes are known")
    }
    var places: [[Int]] = [[]]
    for size in window.size { places = places.flatMap { place in (0..<size).map { place + [$0] } } }
    var parts: [ExportOperand] = []
    for place in places {
      let ranges = place.indices.map { axis in
        let start = place[axis] * window.dilation[axis]
        return Slice.Range(
          axis: axis + 1, start: start, stop: start + (sizes[axis] - 1) * window.strides[axis] + 1,
          step: window.strides[axis])
      }
      parts.append(try sliced(x, ranges, as: type))
    }
    var result = parts[0]
    for part in parts.dropFirst() {
      result = try binary(builtin == .maxPool2D ? .maximum : .add, result, part)
    }
    guard builtin == .averagePool2D else { return result }
    return try binary(.multiply, result, number(1 / Double(parts.count), like: result))
  }

  /// Scales means over padded windows to means over the elements that are not padding.
  fileprivate mutating func excludingPadding(
    _ means: ExportOperand, _ x: ExportOperand, _ window: Window
  ) throws(WeighbridgeError) -> ExportOperand {
    let sizes = x.type.shape.dropFirst().dropLast().compactMap(\.value)
    guard sizes.count == window.size.count else {
      throw .unsupported("pads by borders that its means leave out, and the sizes are not known")
    }
    let ones = Tensor(
      .float32, shape: [1] + sizes + [1], floats: .init(repeating: 1, count: sizes.reduce(1, *)))
    let shares = try AveragePooling(window: window, countIncludePad: true, layout: .channelsLast)
      .evaluate([ones], workers: Workers(count: 1))[0]
    return try binary(.divide, means, .constant(shares))
  }
}

extension Window {
  fileprivate var isDilated: Bool { dilation.contains { $0 != 1 } }
}

extension TensorType {
  /// The sizes after the batch; `nil` if one is dynamic.
  fileprivate var fixedSizes: [Int]? {
    let sizes = shape.dropFirst().compactMap(\.value)
    return sizes.count == rank - 1 ? sizes : nil
  }
}
