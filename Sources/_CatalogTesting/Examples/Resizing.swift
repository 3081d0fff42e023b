import GraphIR
import LayerCatalog

extension OperatorExample {
  /// Upsampling by every interpolation, in both layouts.
  static let resizing: [OperatorExample] = [
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
  ]
}
