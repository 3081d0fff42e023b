import Bytes
import ConversionCore
import GraphIR
import JSON
import KerasFormat
import LayerCatalog

/// Elementwise arithmetic, comparisons and logic, and matrix products.
enum KerasArithmetic {
  static let rows: [KerasRow] =
    logic + [
      KerasRow(native: Cast.self) { (operation, builder) throws(WeighbridgeError) in
        operation.overflow == .saturate
          ? nil : try builder.function(.cast, [builder[0]], to: operation.elementType)
      },
      KerasRow(Clip.self) { (operation, builder) throws(WeighbridgeError) in
        var value = builder[0]
        if operation.minimum.isFinite {
          value = try builder.function(.maximum, [value, builder.number(operation.minimum)])
        }
        guard operation.maximum.isFinite else { return value }
        return try builder.function(.minimum, [value, builder.number(operation.maximum)])
      },
      KerasRow(FullLike.self) { (operation, builder) throws(WeighbridgeError) in
        let zeros = try builder.function(.multiply, [builder[0], builder.number(0)])
        return try builder.function(.add, [zeros, builder.number(operation.value)])
      },
      KerasRow(MatMul.self) { (operation, builder) throws(WeighbridgeError) in
        let lhs = operation.transposeA ? try builder.matrixTranspose(builder[0]) : builder[0]
        let rhs = operation.transposeB ? try builder.matrixTranspose(builder[1]) : builder[1]
        return try builder.function(.matrixProduct, [lhs, rhs], type: builder.outputType)
      },
      KerasRow(Where.self) { (_, builder) throws(WeighbridgeError) in
        try builder.function(
          .select, [builder[0], builder[1], builder[2]], type: builder.outputType)
      },
      KerasRow(native: BinaryMath.self) { (operation, builder) throws(WeighbridgeError) in
        let hasForm = KerasFunctionForm.binary[operation.function] != nil
        return hasForm || operation.isPrimitive
          ? try builder.binary(
            operation.function, builder[0], builder[1], type: builder.outputType) : nil
      },
      KerasRow(native: UnaryMath.self) { (operation, builder) throws(WeighbridgeError) in
        let hasForm = KerasFunctionForm.unary[operation.function] != nil
        return hasForm || operation.isPrimitive
          ? try builder.unary(operation.function, builder[0], type: builder.outputType) : nil
      },
    ]

  private static let logic: [KerasRow] = [
    KerasRow(Comparison.self) { (operation, builder) throws(WeighbridgeError) in
      if builder.fusion.masksIndices(builder.position) {
        return try builder.passedMask(of: builder[0], builder.outputType)
      }
      return try builder.compare(
        operation.relation, builder[0], builder[1], type: builder.outputType)
    },
    KerasRow(LogicalNot.self) { (_, builder) throws(WeighbridgeError) in
      try builder.function(.logicalNot, [builder[0]])
    },
    KerasRow(LogicalAnd.self) { (_, builder) throws(WeighbridgeError) in
      try builder.chain(.logicalAnd)
    },
    KerasRow(LogicalOr.self) { (_, builder) throws(WeighbridgeError) in
      try builder.chain(.logicalOr)
    },
  ]
}

extension KerasModelBuilder {
  /// Combines all operands from left to right.
  mutating func chain(_ function: KerasFunctionForm) throws(WeighbridgeError) -> KerasValue {
    var result = operands[0]
    for next in operands.dropFirst() {
      result = try self.function(function, [result, next], type: outputType)
    }
    return result
  }

  /// Transposes matrices, the last two axes.
  mutating func matrixTranspose(_ value: KerasValue) throws(WeighbridgeError) -> KerasValue {
    var axes = Array(0..<value.type.rank)
    axes.swapAt(axes.count - 1, axes.count - 2)
    return try transposed(value, axes)
  }

  /// Compares two values; the result has the shape of the first operand unless another type is
  /// given.
  mutating func compare(
    _ relation: Comparison.Relation, _ lhs: KerasValue, _ rhs: KerasValue,
    type: TensorType? = nil
  ) throws(WeighbridgeError) -> KerasValue {
    try function(
      try KerasFunctionForm.comparisons.form(of: relation), [lhs, rhs],
      type: type ?? TensorType(.bool, lhs.type.shape))
  }

  /// Casts to another element type.
  mutating func function(
    _ cast: KerasFunctionForm, _ inputs: [KerasValue], to type: ElementType
  ) throws(WeighbridgeError) -> KerasValue {
    let name = JSONValue.string(type.rawValue)
    return try function(
      cast, inputs, shared: ["dtype": name],
      type: TensorType(type, inputs[0].type.shape))
  }

  /// Adds a function of one tensor.
  mutating func unary(
    _ function: UnaryMath.Function, _ value: KerasValue, type: TensorType? = nil
  ) throws(WeighbridgeError) -> KerasValue {
    try self.function(try KerasFunctionForm.unary.form(of: function), [value], type: type)
  }

  /// Adds a function of two tensors.
  mutating func binary(
    _ function: BinaryMath.Function, _ lhs: KerasValue, _ rhs: KerasValue,
    type: TensorType? = nil
  ) throws(WeighbridgeError) -> KerasValue {
    try self.function(try KerasFunctionForm.binary.form(of: function), [lhs, rhs], type: type)
  }
}

extension Dictionary where Key: RawRepresentable<String>, Value == KerasFunctionForm {
  /// The form of a function.
  ///
  /// - Throws: ``WeighbridgeError/Code/unsupported`` for one that Keras does not have.
  func form(of function: Key) throws(WeighbridgeError) -> KerasFunctionForm {
    guard let form = self[function] else {
      throw .unsupported("the function \(function.rawValue) is not one of Keras")
    }
    return form
  }
}
