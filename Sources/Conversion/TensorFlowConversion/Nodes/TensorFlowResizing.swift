import Bytes
import ConversionCore
import GraphIR
import LayerCatalog

/// Images of another size.
enum TensorFlowResizing {
  static let nodes: TensorFlowOperators.Table = [
    "ResizeBilinear": { (layer) throws(WeighbridgeError) in
      let grid = try layer.grid()
      var (image, sizes) = try layer.resized()
      if layer.type(image).elementType != .float32 {
        image = try layer.apply(Cast(to: .float32), to: image, role: "float")
      }
      let operation = Resizing(
        dimensions: sizes, interpolation: .bilinear, antialiases: false, fit: .stretch,
        layout: .channelsLast, grid: grid)
      return [try layer.apply(operation, to: image)]
    },
    "ResizeNearestNeighbor": { (layer) throws(WeighbridgeError) in
      let grid = try layer.grid()
      let (image, sizes) = try layer.resized()
      return [try layer.nearest(image, sizes, grid)]
    },
  ]
}

extension TensorFlowLayer {
  /// Where the input is read.
  fileprivate mutating func grid() throws(WeighbridgeError) -> ResizingGrid {
    let (alignsCorners, hasCenters) = (try flag("align_corners"), try flag("half_pixel_centers"))
    guard !alignsCorners || !hasCenters else {
      throw malformed("aligns corners and has half-pixel centers, and only one of both is possible")
    }
    return alignsCorners ? .alignCorners : hasCenters ? .halfPixel : .asymmetric
  }

  /// The image and its new height and width.
  fileprivate func resized() throws(WeighbridgeError) -> (image: SourceValue, sizes: [Int]) {
    let image = try input(0)
    guard let sizes = try input(1).dimensions?.compactMap(\.number), sizes.count == 2,
      type(image).rank == 4, sizes.allSatisfy({ (1...1 << 24).contains($0) })
    else {
      throw unsupported(
        "resizes \(type(image)) to sizes that are known only when the model runs, and images can "
          + "be resized to a known height and width only")
    }
    return (image, sizes)
  }
}
