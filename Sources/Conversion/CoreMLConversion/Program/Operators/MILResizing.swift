import Bytes
import ConversionCore
import GraphIR
import LayerCatalog

/// Images of other sizes. What MIL does not have is written as products with matrices.
enum MILResizing {
  static let rows: [MILRow] = [
    MILRow(composite: CenterCrop.self),
    MILRow(value: Resizing.self) { (operation, builder) throws(WeighbridgeError) in
      guard operation.dimensions.count == 2, operation.fit == .stretch, !operation.antialiases,
        operation.interpolation == .bilinear
      else { return nil }
      return try builder.stretched(operation.dimensions, operation.grid)
    },
    MILRow(value: Upsampling.self) { (operation, builder) throws(WeighbridgeError) in
      guard operation.factors.count == 2 else { return nil }
      let sizes = builder.outputType.shape[2...3].compactMap(\.value)
      switch operation.interpolation {
      case .nearest:
        return try builder.add(
          "upsample_nearest_neighbor",
          [
            "x": .value(builder[0]), "scale_factor_height": .integer(operation.factors[0]),
            "scale_factor_width": .integer(operation.factors[1]),
          ], as: builder.outputType)
      case .linearAsymmetric:
        return sizes.count == 2 ? try builder.stretched(sizes, .asymmetric) : nil
      case .linearHalfPixel:
        return sizes.count == 2 ? try builder.stretched(sizes, .halfPixel) : nil
      }
    },
  ]

  static let modes: [ResizingGrid: String] = [
    .asymmetric: "DEFAULT", .halfPixel: "UNALIGN_CORNERS", .alignCorners: "STRICT_ALIGN_CORNERS",
    .alignCornersOrCenter: "ALIGN_CORNERS", .centersBetweenCorners: "OFFSET_CORNERS",
  ]
}

extension MILBuilder {
  fileprivate mutating func stretched(
    _ sizes: [Int], _ grid: ResizingGrid
  ) throws(WeighbridgeError) -> ExportOperand? {
    guard let mode = MILResizing.modes[grid] else { return nil }
    return try add(
      "resize_bilinear",
      [
        "x": .value(self[0]), "target_size_height": .integer(sizes[0]),
        "target_size_width": .integer(sizes[1]), "sampling_mode": .text(mode),
      ], as: outputType)
  }
}
