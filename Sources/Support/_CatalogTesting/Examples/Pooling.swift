import Bytes
import GraphIR
import LayerCatalog

extension OperatorExample {
  /// Pooling over one to three axes, in both layouts.
  static let pooling: [OperatorExample] =
    windows.flatMap { window, layout, shape in
      [
        OperatorExample(MaxPooling(window: window, layout: layout), shapes: [shape]),
        OperatorExample(
          AveragePooling(window: window, countIncludePad: false, layout: layout), shapes: [shape]),
        OperatorExample(
          AveragePooling(window: window, countIncludePad: true, layout: layout), shapes: [shape]),
      ]
    }
    + masked
    + adaptivePooling
    + globalPooling.flatMap { operation in
      [
        OperatorExample(operation, shapes: [[2, 3, 4, 5]]),
        OperatorExample(operation, shapes: [[2, 6, 3]]),
      ]
    }

  private static let windows: [(Window, DataLayout, shape: [Int])] = [
    (
      Window(size: [3, 2], strides: [2, 1], dilation: [1, 1], padding: .same),
      .channelsLast, [2, 6, 5, 3]
    ),
    (
      Window(size: [2, 3], strides: [1, 3], dilation: [2, 1], padding: .valid),
      .channelsFirst, [2, 3, 5, 7]
    ),
    (
      Window(
        size: [3], strides: [2], dilation: [1], padding: .explicit(before: [1], after: [2])),
      .channelsLast, [2, 7, 4]
    ),
    (
      Window(size: [2, 1, 3], strides: [2, 1, 2], dilation: [1, 1, 1], padding: .same),
      .channelsLast, [2, 3, 4, 5, 2]
    ),
  ]

  private static let masked: [OperatorExample] = [DataLayout.channelsLast, .channelsFirst].map {
    OperatorExample(
      MaskedAveragePooling(keepDims: $0 == .channelsFirst, layout: $0),
      inputs: [
        Tensor.random(.float32, shape: [2, 3, 3], in: -1...1, seed: 1),
        Tensor(.bool, shape: [2, 3], [0, 1, 1, 1, 0, 0]),
      ])
  }

  private static let adaptivePooling: [OperatorExample] = [
    OperatorExample(
      AdaptiveAveragePooling(dimensions: [3], layout: .channelsLast), shapes: [[2, 7, 4]]),
    OperatorExample(
      AdaptiveAveragePooling(dimensions: [2, 5], layout: .channelsFirst), shapes: [[2, 3, 6, 4]]),
    OperatorExample(
      AdaptiveMaxPooling(dimensions: [4, 3], layout: .channelsLast), shapes: [[2, 6, 5, 3]]),
    OperatorExample(
      AdaptiveMaxPooling(dimensions: [2, 1, 3], layout: .channelsFirst), shapes: [[2, 3, 3, 4, 2]]),
  ]

  private static let globalPooling: [any CatalogOperator] = [
    GlobalAveragePooling(keepDims: false, layout: .channelsLast),
    GlobalAveragePooling(keepDims: true, layout: .channelsFirst),
    GlobalMaxPooling(keepDims: false, layout: .channelsFirst),
    GlobalMaxPooling(keepDims: true, layout: .channelsLast),
  ]
}
