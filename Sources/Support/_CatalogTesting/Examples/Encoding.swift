import Bytes
import GraphIR
import LayerCatalog

extension OperatorExample {
  /// Operators between indices and features.
  static let encoding: [OperatorExample] = [
    OperatorExample(
      CategoryEncoding(
        categories: 4, countsTokens: false, isWeighted: false, dropsOutOfRange: false),
      shapes: [[2, 5]], in: 0...3),
    OperatorExample(
      CategoryEncoding(
        categories: 3, countsTokens: true, isWeighted: false, dropsOutOfRange: true),
      shapes: [[3, 5]], in: -2...6),
    OperatorExample(
      CategoryEncoding(categories: 3, countsTokens: true, isWeighted: true, dropsOutOfRange: false),
      shapes: [[2, 4, 5], [2, 4, 5]], in: 0...2),
    OperatorExample(
      IndexLookup(vocabulary: [3, -1, 7], firstIndex: 3, oovCount: 2, exceptions: [4: 0]),
      shapes: [[2, 3, 4]], in: -8...8),
    OperatorExample(
      IndexLookup(vocabulary: [0, 1, 2], firstIndex: 0, oovCount: 0, exceptions: [:]),
      shapes: [[2, 3]], in: 0...2),
    OperatorExample(
      Hashing(buckets: 5, masked: []), shapes: [[2, 3, 4]], in: -2000...2000),
    OperatorExample(Hashing(buckets: 1 << 40, masked: [0]), shapes: [[2, 9]], in: -3...3),
    OperatorExample(
      Hashing(buckets: 7, masked: [], salt: [5, -6]), shapes: [[2, 3, 4]], in: -2000...2000),
    OperatorExample(
      HashedCrossing(buckets: 1000), shapes: [[2, 3], [2, 3], [2, 3]], in: -2000...2000),
    OperatorExample(
      Discretization(boundaries: [-1, 0, 0.5], outputType: .int64), shapes: [[2, 3, 4]]),
    OperatorExample(Discretization(boundaries: [], outputType: .int32), shapes: [[2, 3]]),
    OperatorExample(Embedding(), shapes: [[2, 3], [5, 4]], in: 0...4),
    OperatorExample(Embedding(), shapes: [[2, 3, 4], [3, 1]], in: 0...2),
    OperatorExample(
      Embedding(negativeIndices: .fromEnd), shapes: [[2, 3], [5, 4]], in: 0...4),
  ]
}
