import Bytes
import ConversionCore
import GraphIR
import LayerCatalog
import TFLiteFormat

/// Reductions, cumulative sums, and the indices of maxima and minima.
enum TFLiteReductions {
  static let rows: [TFLiteRow] = [
    TFLiteRow(value: Reduce.self) { (operation, builder) throws(WeighbridgeError) in
      guard let builtin = functions[operation.function] else { return nil }
      if operation.axes.isEmpty { return builder[0] }
      return try builder.add(
        builtin, builder[0], builder.integers(operation.axes),
        options: .reduction(keepDims: operation.keepDims), as: builder.outputType)
    },
    TFLiteRow(value: CumSum.self) { (operation, builder) throws(WeighbridgeError) in
      try builder.add(
        .cumulativeSum, builder[0], builder.scalar(Double(operation.axis)),
        options: .cumulativeSum(
          isExclusive: operation.isExclusive, isReversed: operation.isReversed))
    },
    TFLiteRow(value: ArgMax.self) { (operation, builder) throws(WeighbridgeError) in
      try builder.argument(.argMax, operation)
    },
    TFLiteRow(value: ArgMin.self) { (operation, builder) throws(WeighbridgeError) in
      try builder.argument(.argMin, operation)
    },
  ]

  private static let functions: [Reduce.Function: TFLiteBuiltin] = [
    .sum: .sum, .mean: .mean, .product: .reduceProduct, .maximum: .reduceMaximum,
    .minimum: .reduceMinimum, .any: .reduceAny, .all: .reduceAll,
  ]
}

extension TFLiteBuilder {
  /// Adds the index of a maximum or minimum.
  fileprivate mutating func argument(
    _ builtin: TFLiteBuiltin, _ operation: some ArgumentReduction
  ) throws(WeighbridgeError) -> ExportOperand {
    let isDirect = [.int32, .int64].contains(operation.elementType)
    let indexType: ElementType = isDirect ? operation.elementType : .int32
    var shape = type().shape
    shape.remove(at: operation.axis)
    var index = try add(
      builtin, self[0], scalar(Double(operation.axis)),
      options: .argument(builtin, indexType), as: TensorType(indexType, shape))
    if operation.keepDims { index = try expanded(index, operation.axis) }
    return isDirect ? index : try cast(index, to: operation.elementType)
  }
}
