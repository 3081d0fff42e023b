import Bytes
import ConversionCore
import GraphIR
import LayerCatalog

/// Reductions, cumulative sums, and the indices of maxima and minima.
enum MILReductions {
  static let rows: [MILRow] = [
    MILRow(value: Reduce.self) { (operation, builder) throws(WeighbridgeError) in
      guard !operation.axes.isEmpty else { return builder[0] }
      switch operation.function {
      case .any, .all:
        let function = operation.function == .any ? "reduce_max" : "reduce_min"
        return try builder.converting(builder[0], to: .int32) {
          (builder, x) throws(WeighbridgeError) in try builder.reduced(x, function, operation)
        }
      default:
        guard let function = functions[operation.function] else { return nil }
        return try builder.reduced(builder[0], function, operation)
      }
    },
    MILRow(value: CumSum.self) { (operation, builder) throws(WeighbridgeError) in
      try builder.add(
        "cumsum",
        [
          "x": .value(builder[0]), "axis": .integer(operation.axis),
          "exclusive": .boolean(operation.isExclusive),
          "reverse": .boolean(operation.isReversed),
        ], as: builder.outputType)
    },
    MILRow(value: ArgMax.self) { (operation, builder) throws(WeighbridgeError) in
      try builder.argument("reduce_argmax", operation)
    },
    MILRow(value: ArgMin.self) { (operation, builder) throws(WeighbridgeError) in
      try builder.argument("reduce_argmin", operation)
    },
  ]

  private static let functions: [Reduce.Function: String] = [
    .sum: "reduce_sum", .mean: "reduce_mean", .product: "reduce_prod", .maximum: "reduce_max",
    .minimum: "reduce_min", .l2Norm: "reduce_l2_norm", .logSumExp: "reduce_log_sum_exp",
  ]
}

extension MILBuilder {
  fileprivate mutating func reduced(
    _ x: ExportOperand, _ function: String, _ operation: Reduce
  ) throws(WeighbridgeError) -> ExportOperand {
    try add(
      function,
      [
        "x": .value(x), "axes": .integers(operation.axes),
        "keep_dims": .boolean(operation.keepDims),
      ], as: TensorType(x.type.elementType, outputType.shape))
  }

  /// Adds the index of a maximum or minimum.
  fileprivate mutating func argument(
    _ function: String, _ operation: some ArgumentReduction
  ) throws(WeighbridgeError) -> ExportOperand {
    let index = try add(
      function,
      [
        "x": .value(self[0]), "axis": .integer(operation.axis),
        "keep_dims": .boolean(operation.keepDims), "output_dtype": version >= 8 ? "int32" : nil,
      ], as: TensorType(.int32, outputType.shape))
    return operation.elementType == .int32 ? index : try cast(index, to: operation.elementType)
  }
}
