import Bytes
import ConversionCore
import GraphIR
import LayerCatalog
import TFLiteFormat

extension TFLiteReductions {
  static let nodes = [String: TFLiteReading](families: [
    [
      "MEAN": Reduce.Function.mean, "REDUCE_ALL": .all, "REDUCE_ANY": .any,
      "REDUCE_MAX": .maximum, "REDUCE_MIN": .minimum, "REDUCE_PROD": .product, "SUM": .sum,
    ].mapValues { function in
      TFLiteReading(options: 27) { (layer) throws(WeighbridgeError) in
        [try layer.reduced(function)]
      }
    },
    [
      "ARG_MAX": TFLiteReading(options: 40) { (layer) throws(WeighbridgeError) in
        let (input, axis, type) = try layer.argument()
        return [
          try layer.apply(ArgMax(axis: axis, keepDims: false, elementType: type), to: input)
        ]
      },
      "ARG_MIN": TFLiteReading(options: 57) { (layer) throws(WeighbridgeError) in
        let (input, axis, type) = try layer.argument()
        return [
          try layer.apply(ArgMin(axis: axis, keepDims: false, elementType: type), to: input)
        ]
      },
      "CUMSUM": TFLiteReading(options: 102) { (layer) throws(WeighbridgeError) in
        let input = try layer.real()
        let operation = CumSum(
          axis: try layer.axis(ofInput: 1, rank: layer.type(input).rank),
          isExclusive: try layer.flag(0), isReversed: try layer.flag(1))
        return [try layer.apply(operation, to: input)]
      },
    ],
  ])
}

extension TFLiteLayer {
  fileprivate mutating func reduced(
    _ function: Reduce.Function
  ) throws(WeighbridgeError) -> SourceValue {
    let (value, keepsAxes) = (try input(), try flag(0))
    let axes = try axes(
      Array(Set(try constantIntegers(1))), rank: type(value).rank)
    if function == .product, !keepsAxes, let product = productOfSizes(value) { return product }
    rounding = function == .mean ? .awayFromZero : .toEven
    let selects = [.maximum, .minimum, .any, .all].contains(function)
    return try apply(
      Reduce(function, axes: axes, keepDims: keepsAxes), to: selects ? try carried() : try real())
  }

  /// The input of an operator that finds the largest or smallest element, the axis along which it
  /// does, and the type of the index.
  fileprivate mutating func argument() throws(WeighbridgeError) -> (SourceValue, Int, ElementType) {
    ignore(0)  // the type, which the output's tensor has too
    let value = try real()
    computesReals = false
    return (value, try axis(ofInput: 1, rank: type(value).rank), try outputElementType())
  }
}
