import Bytes
import GraphIR
import LayerCatalog

extension OperatorExample {
  /// Comparisons, boolean operators, and casts.
  static let logic: [OperatorExample] =
    Comparison.Relation.allCases.map {
      OperatorExample(Comparison($0), inputs: [digits([2, 3, 1]), digits([2, 1, 4])])
    } + [
      OperatorExample(LogicalAnd(), inputs: [booleans([2, 3, 4]), booleans([2, 1, 4], seed: 2)]),
      OperatorExample(
        LogicalOr(),
        inputs: [booleans([2, 3]), booleans([2, 3], seed: 2), booleans([2, 1], seed: 3)]),
      OperatorExample(LogicalNot(), inputs: [booleans([2, 3, 4])]),
      OperatorExample(Cast(to: .int32), shapes: [[2, 3, 4]]),
      OperatorExample(Cast(to: .float16), shapes: [[2, 3]]),
      OperatorExample(Cast(to: .float64), inputs: [booleans([2, 3])]),
    ]

  /// Reductions.
  static let reductions: [OperatorExample] =
    Reduce.Function.allCases.filter { $0 != .any && $0 != .all }.flatMap {
      [
        OperatorExample(Reduce($0, axes: [1, 3], keepDims: true), shapes: [[2, 3, 4, 5]]),
        OperatorExample(Reduce($0, axes: [2], keepDims: false), shapes: [[2, 3, 4]]),
      ]
    } + [
      OperatorExample(Reduce(.any, axes: [2], keepDims: false), inputs: [booleans([2, 3, 4])]),
      OperatorExample(Reduce(.all, axes: [1], keepDims: true), inputs: [booleans([2, 3, 4])]),
      OperatorExample(Reduce(.sum, axes: [], keepDims: false), shapes: [[2, 3]]),
    ]

  /// Returns integers, several of which are equal.
  private static func digits(_ shape: [Int]) -> Tensor {
    let random = Tensor.random(.float32, shape: shape, in: -2...2, seed: 5)
    return Tensor(.float32, shape: shape, random.doubles.map { $0.rounded() })
  }

  private static func booleans(_ shape: [Int], seed: UInt64 = 1) -> Tensor {
    let random = Tensor.random(.float32, shape: shape, in: -1...1, seed: seed)
    return Tensor(.bool, shape: shape, random.doubles.map { $0 > 0 ? 1 : 0 })
  }
}
