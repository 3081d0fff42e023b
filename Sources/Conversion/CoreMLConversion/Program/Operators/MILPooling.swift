import Bytes
import ConversionCore
import GraphIR
import LayerCatalog

/// Pooling over one, two or three axes.
enum MILPooling {
  static let rows: [MILRow] = [
    MILRow(value: MaxPooling.self) { (operation, builder) throws(WeighbridgeError) in
      try builder.pooled("max_pool", operation.window, excludesPadding: nil)
    },
    MILRow(value: AveragePooling.self) { (operation, builder) throws(WeighbridgeError) in
      try builder.pooled(
        "avg_pool", operation.window, excludesPadding: !operation.countIncludePad)
    },
  ]
}

extension MILBuilder {
  fileprivate mutating func pooled(
    _ operation: String, _ window: Window, excludesPadding: Bool?
  ) throws(WeighbridgeError) -> ExportOperand {
    guard !window.dilation.contains(where: { $0 > 1 }) else {
      return try dilated(window, isMean: excludesPadding != nil, excludesPadding ?? false)
    }
    let padding = try MILPadding(window, of: type())
    return try add(
      operation,
      [
        "x": .value(self[0]), "kernel_sizes": .integers(window.size),
        "strides": .integers(window.strides), "pad_type": .text(padding.type),
        "pad": .integers(padding.borders),
        "exclude_padding_from_average": excludesPadding.map { .boolean($0) }, "ceil_mode": false,
      ], as: outputType)
  }

  /// Combines the elements of dilated windows: those at each position in the windows are a slice.
  private mutating func dilated(
    _ window: Window, isMean: Bool, _ excludesPadding: Bool
  ) throws(WeighbridgeError) -> ExportOperand {
    let spatial = Array(type().shape.dropFirst(2))
    let sizes = outputType.shape.dropFirst(2).compactMap(\.value)
    guard let borders = window.borders(of: spatial), sizes.count == spatial.count else {
      throw .unsupported("pools with dilated windows, which Core ML can only where sizes are known")
    }
    guard !excludesPadding || !(borders.before + borders.after).contains(where: { $0 > 0 }) else {
      throw .unsupported("takes means of dilated windows without their padding, and Core ML cannot")
    }
    let x = try padded(
      self[0], [0, 0] + borders.before, [0, 0] + borders.after, value: isMean ? 0 : -.infinity)
    var places: [[Int]] = [[]]
    for size in window.size { places = places.flatMap { place in (0..<size).map { place + [$0] } } }
    var result: ExportOperand?
    for place in places {
      let ranges = place.indices.map { axis in
        let start = place[axis] * window.dilation[axis]
        return Slice.Range(
          axis: axis + 2, start: start, stop: start + (sizes[axis] - 1) * window.strides[axis] + 1,
          step: window.strides[axis])
      }
      let part = try sliced(x, ranges, as: outputType)
      result =
        try result.map { (total) throws(WeighbridgeError) in
          try binary(isMean ? "add" : "maximum", total, part)
        } ?? part
    }
    guard let result else { throw .unsupported("pools without a window, and Core ML cannot") }
    return isMean
      ? try binary("mul", result, number(1 / Double(places.count), like: result)) : result
  }
}
