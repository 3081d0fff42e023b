import Bytes
import ConversionCore
import GraphIR
import LayerCatalog

/// Images of other sizes. What PyTorch does not have is written as products with matrices.
enum PyTorchResizing {
  static let rows: [PyTorchRow] = [
    PyTorchRow(value: Resizing.self) { (operation, builder) throws(WeighbridgeError) in
      guard operation.fit == .stretch, !operation.antialiases else { return nil }
      let mode: String? =
        switch (operation.interpolation, operation.grid) {
        case (.nearest, .halfPixel): "\"nearest-exact\""
        case (.bilinear, .halfPixel): linear[operation.dimensions.count].map { "\($0)" }
        case (.bilinear, .alignCorners):
          linear[operation.dimensions.count].map { "\($0), align_corners=True" }
        default: nil
        }
      guard let mode else { return nil }
      return try builder.add(
        "F.interpolate(\(builder[0]), [\(operation.dimensions)], mode=\(mode))", isLayer: true)
    },
    PyTorchRow(value: Upsampling.self) { (operation, builder) throws(WeighbridgeError) in
      let factors = operation.factors
      let scale = factors.map { Double($0).python }
      // PyTorch multiplies by the reciprocal in float32, which must not be too small.
      let isExact = factors.allSatisfy { Double(1 / Float($0)) >= 1 / Double($0) }
      let mode: String? =
        switch operation.interpolation {
        case .nearest: isExact && (1...3).contains(factors.count) ? "\"nearest\"" : nil
        case .linearHalfPixel: linear[factors.count]
        case .linearAsymmetric: nil
        }
      if let mode {
        let factor = Set(scale).count == 1 ? scale[0] : "[\(scale.joined(separator: ", "))]"
        return try builder.add(
          "F.interpolate(\(builder[0]), scale_factor=\(factor), mode=\(mode))", isLayer: true)
      }
      guard operation.interpolation == .nearest else { return nil }
      let repeats = factors.enumerated().map { ".repeat_interleave(\($1), \($0 + 2))" }
      return try builder.add("\(builder[0])\(repeats.joined())", isLayer: true)
    },
    PyTorchRow(composite: CenterCrop.self),
  ]

  /// The names of linear interpolation, by the number of axes.
  private static let linear = [1: "\"linear\"", 2: "\"bilinear\"", 3: "\"trilinear\""]
}
