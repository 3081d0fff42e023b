import GraphIR
import LayerCatalog

extension OperatorExample {
  /// Upsampling and resizing with every interpolation, in both layouts.
  static let resizing: [OperatorExample] = [
    OperatorExample(
      CLAHE(rows: 2, columns: 3, clipLimit: 1.5), shapes: [[2, 5, 4, 3]], in: 0...255),
    OperatorExample(
      CLAHE(rows: 1, columns: 1, clipLimit: 0), shapes: [[1, 3, 2, 1]], in: 0...255),
    OperatorExample(
      Upsampling(factors: [3], interpolation: .nearest, layout: .channelsLast),
      shapes: [[2, 4, 3]]),
    OperatorExample(
      Upsampling(factors: [2, 3], interpolation: .linearAsymmetric, layout: .channelsLast),
      shapes: [[2, 3, 4, 5]]),
    OperatorExample(
      Upsampling(factors: [3, 2], interpolation: .linearHalfPixel, layout: .channelsFirst),
      shapes: [[2, 3, 4, 5]]),
    OperatorExample(
      Upsampling(factors: [2, 1, 3], interpolation: .nearest, layout: .channelsFirst),
      shapes: [[2, 3, 4, 2, 3]]),
    OperatorExample(
      Resizing(
        dimensions: [5, 3], interpolation: .nearest, antialiases: false, fit: .stretch,
        layout: .channelsLast),
      shapes: [[2, 3, 4, 5]]),
    OperatorExample(
      Resizing(
        dimensions: [4, 6], interpolation: .bilinear, antialiases: false, fit: .pad(0.5),
        layout: .channelsFirst),
      shapes: [[2, 3, 7, 5]]),
    OperatorExample(
      Resizing(
        dimensions: [6, 2], interpolation: .bicubic, antialiases: false, fit: .stretch,
        layout: .channelsLast),
      shapes: [[2, 4, 5, 3]]),
    OperatorExample(
      Resizing(
        dimensions: [3], interpolation: .area, antialiases: false, fit: .stretch,
        layout: .channelsLast
      ),
      shapes: [[2, 7, 3]]),
    OperatorExample(
      Resizing(
        dimensions: [5, 4], interpolation: .lanczos3, antialiases: false, fit: .crop,
        layout: .channelsLast),
      shapes: [[2, 4, 6, 3]]),
    OperatorExample(
      Resizing(
        dimensions: [2, 3, 5], interpolation: .lanczos5, antialiases: false, fit: .stretch,
        layout: .channelsFirst),
      shapes: [[1, 2, 3, 4, 2]]),
    OperatorExample(
      Resizing(
        dimensions: [3, 4], interpolation: .bicubic, antialiases: true, fit: .stretch,
        layout: .channelsLast),
      shapes: [[2, 7, 3, 2]]),
    OperatorExample(
      Resizing(
        dimensions: [3, 2], interpolation: .bilinear, antialiases: true, fit: .crop,
        layout: .channelsFirst),
      shapes: [[2, 3, 7, 6]]),
    OperatorExample(
      Resizing(
        dimensions: [5], interpolation: .gaussian, antialiases: false, fit: .stretch,
        layout: .channelsLast),
      shapes: [[2, 3, 4]]),
    OperatorExample(
      Resizing(
        dimensions: [3, 6], interpolation: .mitchellCubic, antialiases: false, fit: .stretch,
        layout: .channelsLast),
      shapes: [[2, 4, 5, 2]]),
    bilinear([5, 7], .asymmetric, .channelsFirst, from: [2, 3, 3, 4]),
    bilinear([3, 2], .alignCorners, .channelsLast, from: [2, 4, 5, 3]),
    bilinear([7, 1], .alignCornersOrCenter, .channelsFirst, from: [2, 3, 3, 4]),
    bilinear([4, 5], .centersBetweenCorners, .channelsFirst, from: [1, 2, 4, 1]),
    OperatorExample(AutoContrast(low: -1, high: 0.5), shapes: [[2, 3, 4, 2]]),
    OperatorExample(
      CenterCrop(dimensions: [3, 2], layout: .channelsLast), shapes: [[2, 4, 5, 3]]),
    OperatorExample(
      CenterCrop(dimensions: [3, 5], layout: .channelsFirst), shapes: [[2, 3, 4, 6]]),
    OperatorExample(
      CenterCrop(dimensions: [5, 3], layout: .channelsFirst), shapes: [[2, 3, 4, 6]]),
  ]

  private static func bilinear(
    _ dimensions: [Int], _ grid: ResizingGrid, _ layout: DataLayout, from shape: [Int]
  ) -> OperatorExample {
    OperatorExample(
      Resizing(
        dimensions: dimensions, interpolation: .bilinear, antialiases: false, fit: .stretch,
        layout: layout, grid: grid),
      shapes: [shape])
  }
}
