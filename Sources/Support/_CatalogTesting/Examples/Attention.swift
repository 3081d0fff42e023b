import Bytes
import GraphIR
import LayerCatalog

extension OperatorExample {
  /// Attention, and products as in attention.
  static let attention: [OperatorExample] =
    singleHead + multiHead + products + [
      OperatorExample(
        Dot(firstAxis: 1, secondAxis: 1, normalizes: true), shapes: [[2, 5], [2, 5]]),
      OperatorExample(
        Dot(firstAxis: 2, secondAxis: 1, normalizes: false), shapes: [[2, 3, 4], [2, 4, 5]]),
      OperatorExample(
        Dot(firstAxis: 1, secondAxis: 2, normalizes: true), shapes: [[2, 3], [2, 4, 3]]),
      OperatorExample(
        Dot(firstAxis: 1, secondAxis: 1, normalizes: true, epsilon: 6), shapes: [[2, 5], [2, 5]]),
    ]

  private static let query = random([2, 3, 4], 1)
  private static let value = random([2, 5, 6], 2)
  private static let key = random([2, 5, 4], 3)
  private static let causal = AttentionMasking(
    isCausal: true, hasMask: false, fullyMaskedRows: .mean)

  private static let singleHead: [OperatorExample] = [
    OperatorExample(
      AdditiveAttention(hasScale: true, masking: .all, returnsAttentionWeights: false),
      inputs: [query, value, key, random([4], 4)]),
    OperatorExample(
      AdditiveAttention(hasScale: false, masking: masked(.unmasked), returnsAttentionWeights: true),
      inputs: [query, value, key, mask([2, 1, 5])]),
    OperatorExample(
      Attention(score: .dot, hasScale: true, masking: causal, returnsAttentionWeights: true),
      inputs: [query, value, key, random([], 4)]),
    OperatorExample(
      Attention(
        score: .dot, hasScale: false, masking: masked(.mean), returnsAttentionWeights: false),
      inputs: [query, value, key, mask([2, 3, 5])]),
    OperatorExample(
      Attention(score: .concat, hasScale: true, masking: .all, returnsAttentionWeights: false),
      inputs: [query, value, key, random([], 4), random([], 5)]),
  ]

  private static let multiHead: [OperatorExample] = [
    OperatorExample(
      DotProductAttention(axes: [1], scale: 0.5, masking: .all, returnsAttentionWeights: true),
      shapes: [[2, 3, 4, 5], [2, 6, 4, 5], [2, 6, 4, 7]]),
    OperatorExample(
      DotProductAttention(
        axes: [1], scale: 0.5, masking: masked(.zero), returnsAttentionWeights: false),
      inputs: [
        random([2, 3, 4, 5], 1), random([2, 6, 2, 5], 2), random([2, 6, 2, 3], 3),
        mask([2, 1, 3, 6]),
      ]),
    OperatorExample(
      DotProductAttention(
        axes: [2], scale: -1,
        masking: AttentionMasking(
          isCausal: true, window: 2, hasMask: false, fullyMaskedRows: .zero),
        returnsAttentionWeights: true),
      shapes: [[2, 3, 4, 1, 5], [2, 3, 2, 1, 5], [2, 3, 2, 1, 2]]),
    OperatorExample(
      DotProductAttention(axes: [1, 2], scale: 0.7, masking: .all, returnsAttentionWeights: true),
      shapes: [[2, 3, 4, 2, 5], [2, 2, 3, 2, 5], [2, 2, 3, 2, 4]]),
  ]

  private static let products: [OperatorExample] = [
    ("abc", "dc", "abd", "d", [[2, 3, 4], [5, 4], [5]]),
    ("abc", "dec", "abde", "de", [[2, 3, 4], [5, 2, 4], [5, 2]]),
    ("abcd", "ecd", "abe", "", [[2, 3, 4, 5], [6, 4, 5]]),
    ("abc", "dbc", "adb", "b", [[2, 3, 4], [5, 3, 4], [3]]),
    ("abc", "dc", "ad", "", [[2, 3, 4], [5, 4]]),
    ("abc", "db", "adc", "d", [[2, 3, 4], [5, 3], [5]]),
  ].compactMap { input, kernel, output, bias, shapes in
    guard let input = AxisLabels(rawValue: input), let kernel = AxisLabels(rawValue: kernel),
      let output = AxisLabels(rawValue: output), let bias = AxisLabels(rawValue: bias)
    else { return nil }
    let operation = try? EinsumDense(input: input, kernel: kernel, output: output, bias: bias)
    return operation.map { OperatorExample($0, shapes: shapes) }
  }

  private static func masked(_ fullyMaskedRows: AttentionMasking.FullyMaskedRows)
    -> AttentionMasking
  {
    AttentionMasking(
      isCausal: false, hasMask: true, fullyMaskedRows: fullyMaskedRows, dropout: 0.25)
  }

  private static func random(_ shape: [Int], _ seed: UInt64) -> Tensor {
    Tensor.random(.float32, shape: shape, in: -2...2, seed: seed)
  }

  /// Returns a mask that hides all keys from the first query of the first batch element.
  private static func mask(_ shape: [Int]) -> Tensor {
    let elements = random(shape, 9).doubles.enumerated().map { index, number in
      index >= shape[shape.count - 1] && number > 0 ? 1.0 : 0
    }
    return Tensor(.bool, shape: shape, elements)
  }
}
