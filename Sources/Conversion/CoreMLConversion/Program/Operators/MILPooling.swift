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
      throw .unsupported("dilates the window of a pooling, and Core ML cannot")
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
}
