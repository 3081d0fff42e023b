import Bytes
import ConversionCore
import GraphIR
import LayerCatalog
import TFLiteFormat

/// Elementwise arithmetic, comparisons and logic.
enum TFLiteArithmetic {
  static let rows: [TFLiteRow] = [
    TFLiteRow(chain: Add.self, .add), TFLiteRow(chain: Multiply.self, .multiply),
    TFLiteRow(chain: Subtract.self, .subtract), TFLiteRow(chain: Maximum.self, .maximum),
    TFLiteRow(chain: Minimum.self, .minimum), TFLiteRow(chain: LogicalAnd.self, .logicalAnd),
    TFLiteRow(chain: LogicalOr.self, .logicalOr), TFLiteRow(LogicalNot.self, is: .logicalNot),
    TFLiteRow(value: UnaryMath.self) { (operation, builder) throws(WeighbridgeError) in
      try builder.unary(operation.function)
    },
    TFLiteRow(value: BinaryMath.self) { (operation, builder) throws(WeighbridgeError) in
      let function = operation.function
      if function == .truncatedModulo { return try builder.truncatedModulo() }
      // LiteRT ends where the divisor of its rounded quotient is 0, of floating-point numbers, too.
      if function == .floorDivide, builder[0].type.elementType == .float32 {
        let quotient = try builder.binary(.divide, builder[0], builder[1])
        return try builder.add(.floor, quotient)
      }
      // Unlike the others, the angle of points is not broadcast.
      guard let builtin = binaries[function],
        function != .arcTangent2 || builder[0].type.shape == builder[1].type.shape
      else { return nil }
      return try builder.binary(builtin, builder[0], builder[1])
    },
    TFLiteRow(value: Comparison.self) { (operation, builder) throws(WeighbridgeError) in
      guard let builtin = comparisons[operation.relation] else { return nil }
      return try builder.binary(builtin, builder[0], builder[1], as: .bool)
    },
    TFLiteRow(value: Where.self) { (_, builder) throws(WeighbridgeError) in
      try builder.elementwise(
        .select, [builder[0], builder[1], builder[2]], as: builder.outputType)
    },
    TFLiteRow(value: Rescaling.self) { (operation, builder) throws(WeighbridgeError) in
      guard operation.isPrimitive else { return nil }
      let (scale, offset) = (operation.scale[0], operation.offset[0])
      let scaled = try builder.binary(
        .multiply, builder[0], builder.number(scale, like: builder[0]))
      return offset == 0
        ? scaled : try builder.binary(.add, scaled, builder.number(offset, like: scaled))
    },
    TFLiteRow(value: Clip.self) { (operation, builder) throws(WeighbridgeError) in
      var value = builder[0]
      if operation.minimum > -.infinity {
        value = try builder.binary(
          .maximum, value, builder.number(operation.minimum, like: value))
      }
      guard operation.maximum < .infinity else { return value }
      return try builder.binary(.minimum, value, builder.number(operation.maximum, like: value))
    },
    TFLiteRow(value: Cast.self) { (operation, builder) throws(WeighbridgeError) in
      operation.overflow == .saturate
        ? nil : try builder.cast(builder[0], to: operation.elementType)
    },
    TFLiteRow(value: BitCast.self) { (_, builder) throws(WeighbridgeError) in
      try builder.add(.bitCast, builder[0], as: builder.outputType)
    },
    TFLiteRow(value: FullLike.self) { (operation, builder) throws(WeighbridgeError) in
      try builder.filled(operation.value, like: builder[0], as: builder.outputType)
    },
  ]

  private static let binaries: [BinaryMath.Function: TFLiteBuiltin] = [
    .divide: .divide, .floorDivide: .floorDivide, .floorModulo: .floorModulo, .power: .power,
    .squaredDifference: .squaredDifference, .arcTangent2: .arcTangent2,
  ]

  private static let comparisons: [Comparison.Relation: TFLiteBuiltin] = [
    .equal: .equal, .notEqual: .notEqual, .less: .less, .lessOrEqual: .lessOrEqual,
    .greater: .greater, .greaterOrEqual: .greaterOrEqual,
  ]
}

extension TFLiteBuilder {
  /// Converts elements to another type.
  mutating func cast(
    _ x: ExportOperand, to type: ElementType
  ) throws(WeighbridgeError) -> ExportOperand {
    try add(
      .cast, x, options: .cast(from: fileType(x.type.elementType), to: fileType(type)),
      as: TensorType(type, x.type.shape))
  }

  /// Adds a tensor of one number that has the shape of a value.
  fileprivate mutating func filled(
    _ number: Double, like x: ExportOperand, as type: TensorType? = nil
  ) throws(WeighbridgeError) -> ExportOperand {
    let type = type ?? x.type
    let shape = try add(
      .shape, x, options: .shape(.int32), as: TensorType(.int32, [x.type.rank]))
    return try add(.fill, shape, scalar(number, type.elementType), as: type)
  }

  /// Adds the remainder that has the sign of the first input, by that of magnitudes.
  fileprivate mutating func truncatedModulo() throws(WeighbridgeError) -> ExportOperand {
    let magnitudes = [try add(.absolute, self[0]), try add(.absolute, self[1])]
    let remainder = try binary(.floorModulo, magnitudes[0], magnitudes[1])
    return try binary(.multiply, try add(.sign, self[0]), remainder)
  }

  /// Adds a function of one tensor; `nil` for one that TFLite lacks.
  fileprivate mutating func unary(
    _ function: UnaryMath.Function
  ) throws(WeighbridgeError) -> ExportOperand? {
    let builtins: [UnaryMath.Function: TFLiteBuiltin] = [
      .absolute: .absolute, .negative: .negative, .sign: .sign, .squareRoot: .squareRoot,
      .reciprocalSquareRoot: .reciprocalSquareRoot, .logarithm: .logarithm, .sine: .sine,
      .cosine: .cosine, .floor: .floor, .ceiling: .ceiling, .round: .round,
    ]
    if function == .absolute, type().elementType == .int64 {
      return try binary(.maximum, self[0], try add(.negative, self[0]))
    }
    if function == .arcTangent {
      return try binary(.arcTangent2, self[0], try filled(1, like: self[0]))
    }
    guard let builtin = builtins[function] else { return nil }
    return try add(builtin, self[0])
  }
}
