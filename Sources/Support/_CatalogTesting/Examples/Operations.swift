import Bytes
import GraphIR
import LayerCatalog

extension OperatorExample {
  /// Functions that a model can call without a layer.
  static let operations: [OperatorExample] =
    mathematics + integers + slices + reshapes + paddings + indexed + [
      OperatorExample(FullLike(value: 0.5), shapes: [[2, 3, 4]]),
      OperatorExample(
        NonMaxSuppression(overlapThreshold: 0.3, confidenceThreshold: 0.5, scope: .sameBestClass),
        shapes: [[40, 3], [40, 4]], in: 0...1),
      OperatorExample(
        NonMaxSuppression(overlapThreshold: 0.2, confidenceThreshold: 0.1, scope: .all),
        shapes: [[20, 2], [20, 4]], in: 0...1),
      OperatorExample(
        NonMaxSuppression(overlapThreshold: 0.2, confidenceThreshold: 0.1, scope: .eachClass),
        shapes: [[20, 2], [20, 4]], in: 0...1),
      OperatorExample(
        BoxSelection(
          maximumCount: 3, overlapThreshold: 0.2, scoreThreshold: 0.3, isCentered: true),
        shapes: [[2, 9, 4], [2, 3, 9]], in: 0...1),
      OperatorExample(
        BoxSelection(
          maximumCount: 9, overlapThreshold: 0.5, scoreThreshold: nil, isCentered: false),
        shapes: [[2, 9, 4], [2, 3, 9]], in: 0...1),
      OperatorExample(
        Fill(value: 0.5, elementType: .float32), inputs: [Tensor(.int64, shape: [2], [3, 2])]),
      OperatorExample(
        ReshapeTo(),
        inputs: [
          .random(.float32, shape: [2, 3, 4], in: -2...2, seed: 1),
          Tensor(.int64, shape: [2], [-1, 6]),
        ]),
      OperatorExample(
        NonZero(),
        inputs: [Tensor(.float32, shape: [2, 3, 2], [0, 1, 0, -2, 0.5, 0, 3, 0, 0, 0, 1, 4])]),
      OperatorExample(
        MatMul(transposeA: false, transposeB: false),
        shapes: [[2, 3, 4], [2, 4, 5]]),
      OperatorExample(
        MatMul(transposeA: true, transposeB: true),
        shapes: [[2, 1, 4, 3], [2, 3, 5, 4]]),
      OperatorExample(
        CumSum(axis: 1, isExclusive: false, isReversed: false), shapes: [[2, 3, 4]]),
      OperatorExample(
        CumProd(axis: 2, isExclusive: true, isReversed: true), shapes: [[2, 3, 4]]),
      OperatorExample(
        ArgMax(axis: 1, keepDims: false, elementType: .int64),
        shapes: [[2, 3, 4]]),
      OperatorExample(
        ArgMin(axis: 2, keepDims: true, elementType: .int32),
        shapes: [[2, 3, 4]]),
    ]

  /// Mathematical functions, also with inputs outside of their domains.
  private static let mathematics: [OperatorExample] =
    UnaryMath.Function.allCases.map { OperatorExample(UnaryMath($0), shapes: [[2, 3, 4]]) }
    + BinaryMath.Function.allCases.map {
      OperatorExample(BinaryMath($0), shapes: [[2, 3, 1], [2, 1, 4]])
    } + [
      OperatorExample(UnaryMath(.square), inputs: [digits([2, 3])]),
      OperatorExample(Add(), inputs: [digits([2, 3]), digits([2, 1])]),
    ]

  /// Integers whose results are taken modulo 2^32.
  private static let integers: [OperatorExample] =
    [
      OperatorExample(Add(overflow: .wrap), inputs: [digits([2, 3]), digits([2, 1])]),
      OperatorExample(Subtract(overflow: .wrap), inputs: [digits([2, 3]), digits([2, 1])]),
      OperatorExample(Multiply(overflow: .wrap), inputs: [digits([2, 3]), digits([2, 1])]),
      OperatorExample(UnaryMath(.square, overflow: .wrap), inputs: [digits([2, 3])]),
      OperatorExample(
        BinaryMath(.squaredDifference, overflow: .wrap), inputs: [digits([2, 3]), digits([2, 1])]),
      OperatorExample(
        Reduce(.sum, axes: [1], keepDims: false, overflow: .wrap), inputs: [digits([2, 3, 4])]),
      OperatorExample(
        CumSum(axis: 1, isExclusive: false, isReversed: true, overflow: .wrap),
        inputs: [digits([2, 3])]),
      OperatorExample(
        CumProd(axis: 1, isExclusive: true, isReversed: false, overflow: .wrap),
        inputs: [digits([2, 3])]),
      OperatorExample(
        MatMul(transposeA: false, transposeB: false, overflow: .wrap),
        inputs: [digits([2, 3, 4]), digits([2, 4, 5])]),
      OperatorExample(Cast(to: .int32, overflow: .wrap), shapes: [[2, 3, 4]]),
    ]
    + [
      OperatorExample(BitCast(to: .int32), shapes: [[2, 3]]),
      OperatorExample(BitCast(to: .float32), inputs: [digits([2, 3])]),
    ]
    + BitwiseMath.Function.allCases.map {
      OperatorExample(BitwiseMath($0), inputs: [digits([2, 3]), digits([2, 1])])
    }
    + ScatterElements.Reduction.allCases.map {
      OperatorExample(
        ScatterElements(axis: 1, reduction: $0),
        inputs: [
          digits([2, 5]), Tensor(.int32, shape: [2, 3], [3, -5, 1, 0, 2, -1]), digits([2, 3]),
        ])
    }

  private static let slices: [OperatorExample] = [
    OperatorExample(
      Slice([
        .init(axis: 1, start: 1, stop: nil, step: 1),
        .init(axis: 2, start: nil, stop: nil, step: -2),
      ]), shapes: [[2, 3, 6]]),
    OperatorExample(
      Slice([.init(axis: 1, start: -4, stop: -1, step: 2)]), shapes: [[2, 5, 3]]),
    OperatorExample(Slice([.init(axis: 2, start: 9, stop: -9, step: -3)]), shapes: [[2, 3, 7]]),
    OperatorExample(Split(axis: 2, sizes: [1, 0, 4]), shapes: [[2, 3, 5]]),
    OperatorExample(Squeeze(axes: [1, 3]), shapes: [[2, 1, 3, 1]]),
    OperatorExample(Tile(counts: [1, 2, 3]), shapes: [[2, 3, 4]]),
    OperatorExample(Repeat(axis: 1, count: 3), shapes: [[2, 3, 4]]),
    OperatorExample(BroadcastTo(target: [-1, 3, -1]), shapes: [[2, 1, 4]]),
  ]

  private static let reshapes: [OperatorExample] = [
    OperatorExample(ReshapeAxes([.rest, .fixed(4)]), shapes: [[2, 3, 4]]),
    OperatorExample(ReshapeAxes([.axis(0), .rest, .fixed(2)]), shapes: [[2, 3, 4]]),
    OperatorExample(ReshapeAxes([.axis(2), .fixed(2), .axis(1)]), shapes: [[2, 3, 4]]),
    OperatorExample(Shape(elementType: .int32), shapes: [[2, 3, 4]]),
    OperatorExample(SpaceToDepth(block: 2, layout: .channelsLast), shapes: [[2, 4, 6, 3]]),
    OperatorExample(SpaceToDepth(block: 3, layout: .channelsFirst), shapes: [[2, 4, 6, 3]]),
    OperatorExample(DepthToSpace(block: 2, layout: .channelsLast), shapes: [[2, 3, 2, 8]]),
    OperatorExample(DepthToSpace(block: 2, layout: .channelsFirst), shapes: [[2, 12, 3, 2]]),
  ]

  private static let paddings: [OperatorExample] = Pad.Mode.allCases.map {
    OperatorExample(
      Pad(before: [0, 1, 2], after: [0, 2, 0], mode: $0, value: 0.5), shapes: [[2, 3, 4]])
  }

  private static let indexed: [OperatorExample] = [
    OperatorExample(
      Where(),
      inputs: [
        Tensor(.bool, shape: [2, 3, 1], [1, 0, 1, 0, 0, 1]),
        .random(.float32, shape: [2, 3, 4], in: -2...2, seed: 1),
        .random(.float32, shape: [2, 1, 4], in: -2...2, seed: 2),
      ]),
    OperatorExample(
      Gather(axis: 1),
      inputs: [
        .random(.float32, shape: [2, 3, 4], in: -2...2, seed: 1),
        Tensor(.int32, shape: [2, 2], [0, -1, 2, 1]),
      ]),
    OperatorExample(
      Gather(axis: 2, batchAxes: 1),
      inputs: [
        .random(.float32, shape: [2, 3, 4], in: -2...2, seed: 1),
        Tensor(.int64, shape: [2, 3], [0, 3, 2, 1, 1, 0]),
      ]),
    OperatorExample(
      GatherElements(axis: 2),
      inputs: [
        .random(.float32, shape: [2, 3, 4], in: -2...2, seed: 1),
        Tensor(.int32, shape: [2, 3, 2], [0, 3, 2, 1, 1, 0, -1, 2, 0, 0, 3, 3]),
      ]),
    OperatorExample(
      OneHot(axis: 1, depth: 3, on: 2, off: -1, elementType: .float32),
      inputs: [Tensor(.int32, shape: [2, 4], [0, 1, 2, 3, -1, 2, 1, 0])]),
    OperatorExample(Sort(axis: 1, isDescending: false), shapes: [[2, 5, 3]]),
    OperatorExample(Sort(axis: 2, isDescending: true, count: 2), shapes: [[2, 3, 5]]),
  ]

  /// Returns small integers.
  private static func digits(_ shape: [Int]) -> Tensor {
    let random = Tensor.random(.float32, shape: shape, in: -9...9, seed: 3)
    return Tensor(.int32, shape: shape, random.doubles.map { $0.rounded() })
  }
}
