import Bytes
import ConversionCore
import GraphIR
import LayerCatalog
import TFLiteFormat

/// Images of other sizes. What TFLite does not have is written as products with matrices.
enum TFLiteResizing {
  static let rows: [TFLiteRow] = [
    TFLiteRow(value: Resizing.self) { (operation, builder) throws(WeighbridgeError) in
      guard operation.dimensions.count == 2, operation.fit == .stretch, !operation.antialiases,
        let grid = grids[operation.grid]
      else { return nil }
      let size = builder.integers(operation.dimensions)
      switch operation.interpolation {
      case .bilinear:
        return try builder.add(
          .resizeBilinear, builder[0], size,
          options: .bilinear(alignCorners: grid.alignCorners, halfPixel: grid.halfPixel),
          version: grid.halfPixel ? 3 : 1, as: builder.outputType)
      default: return nil
      }
    },
    TFLiteRow(value: Upsampling.self) { (operation, builder) throws(WeighbridgeError) in
      guard operation.factors.count == 2 else { return nil }
      let sizes = builder.outputType.shape[1...2].compactMap(\.value)
      guard sizes.count == 2 else {
        throw .unsupported("TFLite enlarges images of known sizes, and this is \(builder.type())")
      }
      let size = builder.integers(sizes)
      switch operation.interpolation {
      case .nearest:
        let isExact = zip(sizes, operation.factors).allSatisfy { size, factor in
          ResizingGrid.asymmetric.repeats(from: size / factor, to: size)
        }
        return try builder.add(
          .resizeNearest, builder[0], size,
          options: .nearest(alignCorners: false, halfPixel: !isExact), version: isExact ? 1 : 3,
          as: builder.outputType)
      case .linearAsymmetric, .linearHalfPixel:
        let isHalf = operation.interpolation == .linearHalfPixel
        return try builder.add(
          .resizeBilinear, builder[0], size,
          options: .bilinear(alignCorners: false, halfPixel: isHalf), version: isHalf ? 3 : 1,
          as: builder.outputType)
      }
    },
  ]

  private static let grids: [ResizingGrid: (alignCorners: Bool, halfPixel: Bool)] = [
    .halfPixel: (false, true), .asymmetric: (false, false), .alignCorners: (true, false),
  ]
}
