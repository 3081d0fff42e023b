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
          repeats(from: size / factor, to: size, .asymmetric)
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

  /// The element that TFLite's kernel takes for one of the output, in single precision.
  static func nearest(
    _ index: Int, from old: Int, to new: Int, _ grid: ResizingGrid
  ) -> Int {
    let scale =
      grid == .alignCorners && new > 1
      ? Float(old - 1) / Float(new - 1) : Float(old) / Float(new)
    let offset: Float = grid == .halfPixel ? 0.5 : 0
    let place = (Float(index) + offset) * scale
    let rounded =
      grid == .alignCorners ? place.rounded(.toNearestOrAwayFromZero) : place.rounded(.down)
    return max(0, min(Int(rounded), old - 1))
  }

  /// Whether the kernel repeats each element as often as the others. Without half-pixel centers, the
  /// first of 41 repetitions is one of the element before.
  static func repeats(from old: Int, to new: Int, _ grid: ResizingGrid) -> Bool {
    old > 0 && new % old == 0
      && (0..<new).allSatisfy { nearest($0, from: old, to: new, grid) == $0 / (new / old) }
  }

  private static let grids: [ResizingGrid: (alignCorners: Bool, halfPixel: Bool)] = [
    .halfPixel: (false, true), .asymmetric: (false, false), .alignCorners: (true, false),
  ]
}
