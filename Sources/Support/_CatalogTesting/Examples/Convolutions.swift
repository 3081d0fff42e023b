import GraphIR
import LayerCatalog

extension OperatorExample {
  /// Convolutions over one to three axes, in both layouts.
  static let convolutions: [OperatorExample] =
    transposedConvolutions + locallyConnected + [
      OperatorExample(
        Convolution(
          window: Window(size: [3, 2], strides: [2, 1], dilation: [1, 2], padding: .same),
          groups: 1, hasBias: true, layout: .channelsLast),
        shapes: [[2, 7, 6, 4], [5, 4, 3, 2], [5]]),
      OperatorExample(
        Convolution(
          window: Window(
            size: [3, 3], strides: [1, 1], dilation: [1, 1],
            padding: .explicit(before: [1, 0], after: [2, 1])),
          groups: 2, hasBias: false, layout: .channelsFirst),
        shapes: [[2, 4, 5, 6], [6, 2, 3, 3]]),
      OperatorExample(
        Convolution(
          window: Window(size: [3], strides: [1], dilation: [2], padding: .valid),
          groups: 1, hasBias: true, layout: .channelsLast),
        shapes: [[2, 8, 3], [4, 3, 3], [4]]),
      OperatorExample(
        Convolution(
          window: Window(
            size: [2, 2, 2], strides: [1, 1, 2], dilation: [1, 1, 1], padding: .same),
          groups: 1, hasBias: false, layout: .channelsLast),
        shapes: [[1, 3, 4, 5, 2], [3, 2, 2, 2, 2]]),
    ]

  private static let locallyConnected: [OperatorExample] = [
    OperatorExample(
      LocallyConnected(
        dimensions: [5, 4], strides: [2, 1], before: [1, 0], hasBias: true, layout: .channelsLast),
      shapes: [[2, 5, 4, 3], [3, 3, 2, 3, 3, 2], [3, 3, 2]]),
    OperatorExample(
      LocallyConnected(
        dimensions: [6], strides: [2], before: [0], hasBias: false, layout: .channelsFirst),
      shapes: [[2, 3, 6], [2, 4, 3, 3]]),
  ]

  private static let transposedConvolutions: [OperatorExample] = [
    OperatorExample(
      TransposedConvolution(
        window: Window(
          size: [3, 2], strides: [2, 3], dilation: [1, 1],
          padding: .explicit(before: [0, 0], after: [1, 0])),
        outputPadding: [0, 1], groups: 1, hasBias: true, layout: .channelsLast),
      shapes: [[2, 4, 3, 5], [5, 4, 3, 2], [4]]),
    OperatorExample(
      TransposedConvolution(
        window: Window(
          size: [3, 3], strides: [1, 1], dilation: [2, 1],
          padding: .explicit(before: [1, 0], after: [2, 1])),
        outputPadding: [0, 0], groups: 2, hasBias: false, layout: .channelsFirst),
      shapes: [[2, 4, 3, 5], [4, 3, 3, 3]]),
    OperatorExample(
      TransposedConvolution(
        window: Window(
          size: [4], strides: [2], dilation: [1], padding: .explicit(before: [1], after: [1])),
        outputPadding: [0], groups: 1, hasBias: true, layout: .channelsLast),
      shapes: [[2, 5, 3], [3, 4, 4], [4]]),
  ]
}
