import Bytes
import GraphIR
import LayerCatalog

extension OperatorExample {
  /// Matrix products, Fourier transforms, scaling and batch normalization.
  static let arithmetic: [OperatorExample] = [
    OperatorExample(Dense(hasBias: true), shapes: [[3, 4], [5, 4], [5]]),
    OperatorExample(Dense(hasBias: false), shapes: [[2, 3, 4], [70, 4]]),
    OperatorExample(
      STFT(fftLength: 7, windowLength: 4, step: 2, window: .hann),
      shapes: [[2, 3, 16]]),
    OperatorExample(
      STFT(fftLength: 4, windowLength: 4, step: 5, window: .hamming),
      shapes: [[9]]),
    OperatorExample(
      STFT(fftLength: 1, windowLength: 1, step: 1, window: .rectangular),
      shapes: [[2, 3]]),
    OperatorExample(Rescaling(scale: [0.5], offset: [-1.25]), shapes: [[2, 3, 4]]),
    OperatorExample(Rescaling(scale: [0.5, 2, -1], offset: [3]), shapes: [[2, 4, 3]]),
    normalization(axis: 3, hasScale: true, hasCenter: true, [2, 3, 4, 5]),
    normalization(axis: 1, hasScale: false, hasCenter: true, [2, 3, 4, 5]),
    normalization(axis: 1, hasScale: true, hasCenter: false, [2, 6]),
    normalization(axis: 2, hasScale: false, hasCenter: false, [2, 3, 4]),
  ]

  /// Normalization with statistics of the input, and with stored ones.
  static let normalizations: [OperatorExample] = [
    OperatorExample(
      LayerNormalization(axes: [3], epsilon: 0.25, hasScale: true, hasCenter: true),
      shapes: [[2, 3, 4, 5], [5], [5]]),
    OperatorExample(
      LayerNormalization(axes: [1, 2], epsilon: 0.5, hasScale: false, hasCenter: true),
      shapes: [[2, 3, 4, 5], [3, 4]]),
    OperatorExample(
      LayerNormalization(axes: [1], epsilon: 0.5, hasScale: true, hasCenter: false),
      shapes: [[2, 3, 4], [3]]),
    OperatorExample(
      GroupNormalization(groups: 2, axis: 3, epsilon: 0.25, hasScale: true, hasCenter: true),
      shapes: [[2, 3, 5, 4], [4], [4]]),
    OperatorExample(
      GroupNormalization(groups: 3, axis: 1, epsilon: 0.5, hasScale: false, hasCenter: true),
      shapes: [[2, 3, 4, 5], [3]]),
    OperatorExample(
      GroupNormalization(groups: 1, axis: 2, epsilon: 0.5, hasScale: true, hasCenter: false),
      shapes: [[2, 3, 4], [4]]),
    OperatorExample(
      RMSNormalization(axes: [2], denominator: .meanSquare, epsilon: 0.25),
      shapes: [[2, 3, 4], [4]]),
    OperatorExample(
      RMSNormalization(axes: [1, 3], denominator: .variance, epsilon: 0.5),
      shapes: [[2, 3, 4, 5], [3, 5]]),
    OperatorExample(
      LocalResponseNormalization(
        axis: 1, before: 1, after: 2, alpha: 0.5, beta: 0.75, bias: 1, omitted: nil),
      shapes: [[2, 6, 3]]),
    OperatorExample(
      LocalResponseNormalization(
        axis: 3, before: 2, after: 2, alpha: 0.01, beta: 1.5, bias: 2, omitted: 2),
      shapes: [[2, 3, 4, 6]]),
    OperatorExample(
      SumNormalization(axes: [1], epsilon: 0.25), shapes: [[2, 3, 4, 5]], in: 0.5...2),
    OperatorExample(
      SumNormalization(axes: [0, 2], epsilon: 0.5), shapes: [[2, 3, 4]], in: 0.5...2),
    OperatorExample(UnitNormalization(axes: [3]), shapes: [[2, 3, 4, 5]]),
    OperatorExample(UnitNormalization(axes: [1, 2]), shapes: [[2, 3, 4]]),
    OperatorExample(UnitNormalization(axes: [1], epsilon: 20), shapes: [[4, 5]]),
    OperatorExample(
      Normalization(axes: [2], isInverse: false, minimumDeviation: 0.25),
      shapes: [[2, 3, 4], [4], [4]], in: 0...2),
    OperatorExample(
      Normalization(axes: [1, 3], isInverse: true, minimumDeviation: 0.5),
      shapes: [[2, 3, 4, 5], [3, 5], [3, 5]], in: 0...2),
    OperatorExample(
      Normalization(axes: [], isInverse: false, minimumDeviation: 0.25),
      shapes: [[2, 3], [], []], in: 0.5...2),
  ]

  /// Creates an example of batch normalization, with positive variances.
  private static func normalization(
    axis: Int, hasScale: Bool, hasCenter: Bool, _ shape: [Int]
  ) -> OperatorExample {
    let operation = BatchNormalization(
      axis: axis, epsilon: 0.25, hasScale: hasScale, hasCenter: hasCenter,
      momentum: hasScale ? 0.9 : nil)
    let inputs = operation.inputs.enumerated().map { position, slot in
      Tensor.random(
        .float32, shape: position == 0 ? shape : [shape[axis]],
        in: slot.name == "variance" ? 0.1...2 : -2...2, seed: UInt64(position + 1))
    }
    return OperatorExample(operation, inputs: inputs)
  }
}
