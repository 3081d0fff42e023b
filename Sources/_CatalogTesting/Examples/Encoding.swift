import Bytes
import GraphIR
import LayerCatalog

extension OperatorExample {
  /// Operators between indices and features.
  static let encoding: [OperatorExample] = [
    OperatorExample(
      CategoryEncoding(categories: 4, isCounting: false), shapes: [[2, 5]], in: 0...3),
    OperatorExample(
      CategoryEncoding(categories: 3, isCounting: true), shapes: [[3, 5]], in: 0...2),
    OperatorExample(
      Discretization(boundaries: [-1, 0, 0.5], outputType: .int64), shapes: [[2, 3, 4]]),
    OperatorExample(Discretization(boundaries: [], outputType: .int32), shapes: [[2, 3]]),
    OperatorExample(Embedding(), shapes: [[2, 3], [5, 4]], in: 0...4),
    OperatorExample(Embedding(), shapes: [[2, 3, 4], [3, 1]], in: 0...2),
  ]

  /// Attention, and the product it is made of.
  static let attention: [OperatorExample] = [
    OperatorExample(
      AdditiveAttention(hasScale: true), shapes: [[2, 3, 4], [2, 5, 6], [2, 5, 4], [4]]),
    OperatorExample(
      AdditiveAttention(hasScale: false), shapes: [[2, 3, 4], [2, 5, 6], [2, 5, 4]]),
    OperatorExample(
      Attention(score: .dot, hasScale: true), shapes: [[2, 3, 4], [2, 5, 6], [2, 5, 4], []]),
    OperatorExample(
      Attention(score: .dot, hasScale: false), shapes: [[2, 3, 4], [2, 5, 6], [2, 5, 4]]),
    OperatorExample(
      Attention(score: .concat, hasScale: true),
      shapes: [[2, 3, 4], [2, 5, 6], [2, 5, 4], [], []]),
    OperatorExample(
      Dot(firstAxis: 1, secondAxis: 1, normalizes: true), shapes: [[2, 5], [2, 5]]),
    OperatorExample(
      Dot(firstAxis: 2, secondAxis: 1, normalizes: false), shapes: [[2, 3, 4], [2, 4, 5]]),
    OperatorExample(
      Dot(firstAxis: 1, secondAxis: 2, normalizes: true), shapes: [[2, 3], [2, 4, 3]]),
  ]
}
