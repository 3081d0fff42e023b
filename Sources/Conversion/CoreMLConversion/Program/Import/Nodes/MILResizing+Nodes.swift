import Bytes
import ConversionCore
import GraphIR
import LayerCatalog

extension MILResizing {
  static let nodes: [String: MILLayer.Build] = [
    "upsample_nearest_neighbor": { (layer) throws(WeighbridgeError) in
      let input = try layer.image()
      let factors = [
        try layer.number("scale_factor_height", default: 1),
        try layer.number("scale_factor_width", default: 1),
      ]
      let whole = factors.compactMap { Int(exactly: $0) }
      if whole.count == 2, whole.allSatisfy({ (1...1 << 20).contains($0) }) {
        return [
          try layer.apply(
            Upsampling(factors: whole, interpolation: .nearest, layout: .channelsFirst), to: input)
        ]
      }
      let old = layer.type(input).shape[2...].compactMap(\.value)
      guard old.count == 2, factors.allSatisfy({ $0 > 0 && $0 < 1_048_576 }) else {
        throw layer.unsupported(
          "enlarges \(layer.type(input)) by \(factors), and images of known sizes can be read")
      }
      return [try layer.repeated(input, sizes: scaled(old, by: factors))]
    },
    "resize_nearest_neighbor": { (layer) throws(WeighbridgeError) in
      let input = try layer.image()
      let sizes = [
        try layer.integer("target_size_height"), try layer.integer("target_size_width"),
      ]
      let old = layer.type(input).shape[2...].compactMap(\.value)
      guard old.count == 2, old.allSatisfy({ $0 > 0 }),
        zip(sizes, old).allSatisfy({ $0 > 0 && $0 % $1 == 0 })
      else {
        throw layer.unsupported(
          "resizes \(layer.type(input)) to \(sizes), and whole factors can be read")
      }
      let factors = zip(sizes, old).map { $0 / $1 }
      return [
        try layer.apply(
          Upsampling(factors: factors, interpolation: .nearest, layout: .channelsFirst), to: input)
      ]
    },
    "resize_bilinear": { (layer) throws(WeighbridgeError) in
      let (input, mode) = (try layer.image(), try layer.text("sampling_mode", default: "DEFAULT"))
      let sizes = [
        try layer.integer("target_size_height", default: 1),
        try layer.integer("target_size_width", default: 1),
      ]
      guard let grid = modes.first(where: { $0.value == mode })?.key else {
        throw layer.malformed("has the sampling_mode \(mode), which is not known")
      }
      return [try layer.stretched(input, sizes, grid)]
    },
    "upsample_bilinear": { (layer) throws(WeighbridgeError) in
      let input = try layer.image()
      let factors: [Double] = [
        try layer.number("scale_factor_height", default: 1),
        try layer.number("scale_factor_width", default: 1),
      ]
      let alignsCorners = try layer.flag("align_corners", default: true)
      let hasCenters = try layer.flag("half_pixel_centers", default: !alignsCorners)
      let old = layer.type(input).shape[2...].compactMap(\.value)
      guard old.count == 2, factors.allSatisfy({ $0 > 0 && $0 < 1_048_576 }),
        !(alignsCorners && hasCenters)
      else {
        throw layer.unsupported(
          "enlarges \(layer.type(input)) by \(factors), and images of known sizes can be read")
      }
      let sizes = scaled(old, by: factors)
      let grid: ResizingGrid = alignsCorners ? .alignCorners : hasCenters ? .halfPixel : .asymmetric
      return [try layer.stretched(input, sizes, grid)]
    },
  ]

  /// Sizes times factors, rounded down.
  private static func scaled(_ sizes: [Int], by factors: [Double]) -> [Int] {
    zip(sizes, factors).map { size, factor in
      Int(min((Double(size) * factor).rounded(.down), 1e9))
    }
  }
}

extension MILLayer {
  /// Takes the rows and columns of an image at the places that the ratio of the sizes gives, rounded down.
  /// That is what coremltools' own test of a fractional `upsample_nearest_neighbor` expects of Core ML
  /// (`ops/tests/iOS15/test_image_resizing.py`).
  fileprivate mutating func repeated(
    _ image: SourceValue, sizes: [Int]
  ) throws(WeighbridgeError) -> SourceValue {
    if let problem = Resizing.problem(sizes) { throw malformed(problem) }
    return try nearest(image, sizes, .asymmetric, layout: .channelsFirst)
  }

  fileprivate mutating func image() throws(WeighbridgeError) -> SourceValue {
    let input = try input()
    guard type(input).rank == 4 else {
      throw unsupported("resizes \(type(input)), and images of four axes can be read")
    }
    return input
  }

  fileprivate mutating func stretched(
    _ input: SourceValue, _ sizes: [Int], _ grid: ResizingGrid
  ) throws(WeighbridgeError) -> SourceValue {
    if let problem = Resizing.problem(sizes) { throw malformed(problem) }
    return try apply(
      Resizing(
        dimensions: sizes, interpolation: .bilinear, antialiases: false, fit: .stretch,
        layout: .channelsFirst, grid: grid), to: input)
  }
}
