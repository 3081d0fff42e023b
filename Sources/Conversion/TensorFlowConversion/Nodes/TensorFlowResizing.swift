import Bytes
import ConversionCore
import GraphIR
import LayerCatalog

/// Images of another size.
enum TensorFlowResizing {
  static let nodes: TensorFlowOperators.Table = [
    "ResizeBicubic": { (layer) throws(WeighbridgeError) in
      let grid = try layer.grid()
      guard grid == .halfPixel else {
        throw layer.unsupported(
          "interpolates by cubic convolution without half-pixel centers, as TensorFlow 1 did, and "
            + "can be read with half_pixel_centers only")
      }
      return [try layer.resized(.bicubic, grid)]
    },
    "ResizeBilinear": { (layer) throws(WeighbridgeError) in
      let grid = try layer.grid()
      if let factors = try layer.factors(), grid != .alignCorners {
        let method: Upsampling.Interpolation =
          grid == .halfPixel ? .linearHalfPixel : .linearAsymmetric
        return [try layer.enlarged(factors, method)]
      }
      return [try layer.resized(.bilinear, grid)]
    },
    "ResizeNearestNeighbor": { (layer) throws(WeighbridgeError) in
      let grid = try layer.grid()
      // TensorFlow rounds coordinates without half-pixel centers, some of them down.
      if let factors = try layer.factors(),
        grid == .halfPixel || grid == .asymmetric && factors.allSatisfy({ $0 & ($0 - 1) == 0 })
      {
        return [try layer.enlarged(factors, .nearest)]
      }
      return [try layer.nearest(try layer.input(0), try layer.newSizes(), grid)]
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

  /// By how much height and width grow, where only the model's input says what they are.
  fileprivate func factors() throws(WeighbridgeError) -> [Int]? {
    guard case .computed(let image) = try input(0), let sizes = try input(1).dimensions,
      sizes.count == 2, sizes.contains(where: { $0.number == nil })
    else { return nil }
    let shape = type(try input(0)).shape
    let factors = sizes.enumerated().compactMap { (index, size) -> Int? in
      switch size {
      case .axis(image, index + 1, let times): return times
      case .known(let size):
        guard shape.count == 4, let old = shape[index + 1].value, old > 0, size > 0 else {
          return nil
        }
        return size % old == 0 ? size / old : nil
      default: return nil
      }
    }
    return factors.count == 2 ? factors : nil
  }

  fileprivate mutating func enlarged(
    _ factors: [Int], _ method: Upsampling.Interpolation
  ) throws(WeighbridgeError) -> SourceValue {
    let operation = Upsampling(factors: factors, interpolation: method, layout: .channelsLast)
    return try apply(operation, to: try floats(unless: method == .nearest))
  }

  /// The image resized to a known height and width, in single precision.
  fileprivate mutating func resized(
    _ method: ResizingInterpolation, _ grid: ResizingGrid
  ) throws(WeighbridgeError) -> SourceValue {
    let operation = Resizing(
      dimensions: try newSizes(), interpolation: method, antialiases: false, fit: .stretch,
      layout: .channelsLast, grid: grid)
    return try apply(operation, to: try floats())
  }

  /// The image, in single precision unless its type is kept.
  private mutating func floats(
    unless keepsType: Bool = false
  ) throws(WeighbridgeError) -> SourceValue {
    let image = try input(0)
    if keepsType || type(image).elementType == .float32 { return image }
    return try apply(Cast(to: .float32), to: image, role: "float")
  }

  /// The new height and width.
  fileprivate func newSizes() throws(WeighbridgeError) -> [Int] {
    let image = try input(0)
    guard let sizes = try input(1).dimensions?.compactMap(\.number), sizes.count == 2,
      type(image).rank == 4, sizes.allSatisfy({ (1...1 << 24).contains($0) })
    else {
      throw unsupported(
        "resizes \(type(image)) to sizes that are known only when the model runs, and images can "
          + "be resized to a known height and width, or by whole factors")
    }
    return sizes
  }
}
