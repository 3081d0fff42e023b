import Bytes
import ConversionCore
import GraphIR
import LayerCatalog
import TFLiteFormat

extension TFLiteResizing {
  static let nodes: [String: TFLiteReading] = [
    "RESIZE_BILINEAR": TFLiteReading(options: 15) { (layer) throws(WeighbridgeError) in
      layer.ignore(0, 1)  // sizes of a former schema
      let grid = try layer.grid(corners: 2, centers: 3)
      let image = try layer.real()
      let (input, sizes) = try layer.resized(image)
      layer.rounding = .awayFromZero
      let operation = Resizing(
        dimensions: sizes, interpolation: .bilinear, antialiases: false, fit: .stretch,
        layout: .channelsLast, grid: grid)
      return [try layer.apply(operation, to: input)]
    },
    "RESIZE_NEAREST_NEIGHBOR": TFLiteReading(options: 74) { (layer) throws(WeighbridgeError) in
      let grid = try layer.grid(corners: 0, centers: 1)
      let image = try layer.carried()
      let (input, sizes) = try layer.resized(image)
      return [try layer.nearest(input, sizes, grid)]
    },
  ]
}

extension TFLiteLayer {
  /// Reads where the input is read, from the options with these numbers.
  fileprivate mutating func grid(
    corners: Int, centers: Int
  ) throws(WeighbridgeError) -> ResizingGrid {
    let (alignsCorners, hasCenters) = (try flag(corners), try flag(centers))
    guard !alignsCorners || !hasCenters else {
      throw malformed("aligns corners and has half-pixel centers, and only one of both is possible")
    }
    return alignsCorners ? .alignCorners : hasCenters ? .halfPixel : .asymmetric
  }

  /// The image and its new height and width.
  fileprivate func resized(
    _ image: SourceValue
  ) throws(WeighbridgeError) -> (SourceValue, [Int]) {
    guard let sizes = (try input(1)).dimensions?.compactMap(\.number), sizes.count == 2,
      type(image).rank == 4
    else {
      throw unsupported(
        "resizes \(type(image)) to sizes that are known only when the model runs, and images can "
          + "be resized to a known height and width only")
    }
    guard sizes.allSatisfy((1...1 << 20).contains) else {
      throw malformed("resizes to the height and width \(sizes), expected from 1 to 1048576")
    }
    return (image, sizes)
  }
}
