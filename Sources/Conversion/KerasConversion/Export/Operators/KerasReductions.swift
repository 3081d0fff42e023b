import Bytes
import ConversionCore
import GraphIR
import JSON
import KerasFormat
import LayerCatalog

/// Reductions, cumulative operations, and the indices of maxima and minima.
enum KerasReductions {
  static let rows: [KerasRow] = [
    KerasRow(native: Reduce.self) { (operation, builder) throws(WeighbridgeError) in
      guard KerasFunctionForm.reductions[operation.function] != nil else { return nil }
      return try builder.reduce(
        operation.function, builder[0], operation.axes, keepDims: operation.keepDims,
        type: builder.outputType)
    },
    KerasRow(MaskedAveragePooling.self) { (operation, builder) throws(WeighbridgeError) in
      let call = KerasWrittenCall(
        [try builder.argument(builder[0])],
        keywords: [(name: "mask", value: try builder.argument(builder[1]))])
      return try builder.layer(
        "GlobalAveragePooling1D",
        ["data_format": "channels_last", "keepdims": .bool(operation.keepDims)], call,
        types: [builder.outputType])[0]
    },
    KerasRow(CumSum.self) { (operation, builder) throws(WeighbridgeError) in
      try builder.cumulative("Cumsum", tf: "math.cumsum", operation, builder[0])
    },
    KerasRow(native: CumProd.self) { (operation, builder) throws(WeighbridgeError) in
      if operation.isExclusive, builder.format == .archive { return nil }
      return try builder.cumulative("Cumprod", tf: "math.cumprod", operation, builder[0])
    },
    KerasRow(ArgMax.self) { (operation, builder) throws(WeighbridgeError) in
      try builder.argumentReduction("Argmax", tf: "math.argmax", operation)
    },
    KerasRow(ArgMin.self) { (operation, builder) throws(WeighbridgeError) in
      try builder.argumentReduction("Argmin", tf: "math.argmin", operation)
    },
  ]
}

extension KerasModelBuilder {
  /// Reduces some axes.
  mutating func reduce(
    _ function: Reduce.Function, _ value: KerasValue, _ axes: [Int], keepDims: Bool = true,
    type: TensorType? = nil
  ) throws(WeighbridgeError) -> KerasValue {
    var shape = value.type.shape
    for axis in axes { shape[axis] = 1 }
    let type = type ?? value.type.with(shape: shape)
    var written = type
    let own = value.type.elementType
    // Keras 3 widens sums and products of narrow integers; cut, they are those of the type.
    if format == .archive, [.sum, .product].contains(function), own.isInteger, own.byteCount < 4 {
      written.elementType = own.isSignedInteger ? .int32 : .uint32
    }
    let result = try self.function(
      try KerasFunctionForm.reductions.form(of: function), [value],
      shared: ["axis": .axes(axes), "keepdims": .bool(keepDims)], type: written)
    return written == type ? result : try self.function(.cast, [result], to: type.elementType)
  }

  /// Adds the index of a maximum or minimum, which Keras returns as int32.
  fileprivate mutating func argumentReduction(
    _ name: String, tf tensorFlow: String, _ operation: some ArgumentReduction
  ) throws(WeighbridgeError) -> KerasValue {
    let axis = JSONValue.integer(operation.axis)
    guard !operation.keepDims || format == .archive else {
      throw .unsupported("TensorFlow's argmax keeps no axis")
    }
    let index = try function(
      KerasFunctionForm("numpy", name, tf: tensorFlow, ["input"]), [self[0]],
      settings: ["axis": axis, "keepdims": .bool(operation.keepDims)], tfArguments: ["axis": axis],
      type: TensorType(.int32, outputType.shape))
    return try function(.cast, [index], to: operation.elementType)
  }

  /// Adds the cumulative sum or product.
  mutating func cumulative(
    _ name: String, tf tensorFlow: String, _ operation: some CumulativeOperator, _ value: KerasValue
  ) throws(WeighbridgeError) -> KerasValue {
    let form = KerasFunctionForm("numpy", name, tf: tensorFlow)
    let axis = JSONValue.integer(operation.axis)
    guard self.format == .archive else {
      return try function(
        form, [value],
        tfArguments: [
          "axis": axis, "exclusive": .bool(operation.isExclusive),
          "reverse": .bool(operation.isReversed),
        ])
    }
    // Keras 3 has only forward, inclusive sums and products.
    guard !operation.isExclusive else {
      throw .unsupported("leaves each element itself out, which the functions of Keras 3 cannot")
    }
    let axes = operation.isReversed ? [operation.axis] : []
    let ordered = axes.isEmpty ? value : try reversed(value, axes)
    let result = try function(form, [ordered], settings: ["axis": axis])
    return axes.isEmpty ? result : try reversed(result, axes)
  }
}
