import Bytes
import ConversionCore
import GraphIR
import LayerCatalog

/// Elementwise arithmetic, comparisons and logic.
enum MILArithmetic {
  static let rows: [MILRow] = [
    MILRow(chain: Add.self, "add"), MILRow(chain: Multiply.self, "mul"),
    MILRow(chain: Subtract.self, "sub"), MILRow(chain: Maximum.self, "maximum"),
    MILRow(chain: Minimum.self, "minimum"), MILRow(chain: LogicalAnd.self, "logical_and"),
    MILRow(chain: LogicalOr.self, "logical_or"), MILRow(LogicalNot.self, is: "logical_not"),
    MILRow(value: UnaryMath.self) { (operation, builder) throws(WeighbridgeError) in
      try builder.unary(operation.function)
    },
    MILRow(value: BinaryMath.self) { (operation, builder) throws(WeighbridgeError) in
      try builder.binary(operation.function)
    },
    MILRow(value: Comparison.self) { (operation, builder) throws(WeighbridgeError) in
      var values = [builder[0], builder[1]]
      if builder.type().elementType == .bool {
        values = try values.map { (value) throws(WeighbridgeError) in
          try builder.cast(value, to: .int32)
        }
      }
      guard let function = comparisons[operation.relation] else { return nil }
      return try builder.binary(function, values[0], values[1], as: .bool)
    },
    MILRow(value: Where.self) { (_, builder) throws(WeighbridgeError) in
      // The shape of the result is that of both values, whatever the condition's is.
      let a = try builder.broadcast(builder[1], to: builder.outputType)
      return try builder.add(
        "select", ["cond": .value(builder[0]), "a": .value(a), "b": .value(builder[2])],
        as: builder.outputType)
    },
    MILRow(value: Rescaling.self) { (operation, builder) throws(WeighbridgeError) in
      guard operation.isPrimitive else { return nil }
      let scaled = try builder.binary(
        "mul", builder[0], builder.number(operation.scale[0], like: builder[0]))
      let offset = operation.offset[0]
      return offset == 0
        ? scaled : try builder.binary("add", scaled, builder.number(offset, like: scaled))
    },
    MILRow(value: Clip.self) { (operation, builder) throws(WeighbridgeError) in
      let (minimum, maximum) = (operation.minimum, operation.maximum)
      var value = builder[0]
      if minimum > -.infinity {
        value = try builder.binary("maximum", value, builder.number(minimum, like: value))
      }
      guard maximum < .infinity else { return value }
      return try builder.binary("minimum", value, builder.number(maximum, like: value))
    },
    MILRow(value: Cast.self) { (operation, builder) throws(WeighbridgeError) in
      operation.overflow == .saturate
        ? nil : try builder.cast(builder[0], to: operation.elementType)
    },
    MILRow(value: FullLike.self) { (operation, builder) throws(WeighbridgeError) in
      try builder.filled(operation.value)
    },
  ]

  private static let comparisons: [Comparison.Relation: String] = [
    .equal: "equal", .notEqual: "not_equal", .less: "less", .lessOrEqual: "less_equal",
    .greater: "greater", .greaterOrEqual: "greater_equal",
  ]

  fileprivate static let functions: [UnaryMath.Function: String] = [
    .absolute: "abs", .sign: "sign", .square: "square", .squareRoot: "sqrt",
    .exponential2: "exp2", .sine: "sin", .cosine: "cos", .tangent: "tan", .arcSine: "asin",
    .arcCosine: "acos", .arcTangent: "atan", .hyperbolicSine: "sinh", .hyperbolicCosine: "cosh",
    .inverseHyperbolicTangent: "atanh", .floor: "floor", .ceiling: "ceil", .round: "round",
    .errorFunction: "erf",
  ]

  fileprivate static let binaries: [BinaryMath.Function: String] = [
    .divide: "real_div", .floorModulo: "mod", .power: "pow",
  ]
}

extension MILBuilder {
  /// Adds a tensor of one number that has the shape of the input.
  fileprivate mutating func filled(_ number: Double) throws(WeighbridgeError) -> ExportOperand {
    let type = outputType
    if let shape = type.fixedShape {
      let tensor = Tensor(type.elementType, shape: shape.map { _ in 1 }, [number])
      return .constant(tensor.broadcast(to: shape))
    }
    let shape = try add(
      "shape", ["x": .value(self[0])], as: TensorType(.int32, [.fixed(type.rank)]))
    let value = ExportOperand.constant(Tensor(type.elementType, shape: [], [number]))
    return try add("fill", ["shape": .value(shape), "value": .value(value)], as: type)
  }

  /// Adds a function of one tensor; `nil` for one that MIL lacks.
  fileprivate mutating func unary(
    _ function: UnaryMath.Function
  ) throws(WeighbridgeError) -> ExportOperand? {
    if let operation = MILArithmetic.functions[function] { return try unary(operation, self[0]) }
    switch function {
    case .negative: return try binary("mul", self[0], number(-1, like: self[0]))
    case .reciprocal: return try binary("real_div", number(1, like: self[0]), self[0])
    case .logarithm, .reciprocalSquareRoot:
      // MIL adds a number to what it takes, by default a small one.
      return try add(
        function == .logarithm ? "log" : "rsqrt",
        ["x": .value(self[0]), "epsilon": .number(0)], as: outputType)
    default: return nil
    }
  }

  fileprivate mutating func binary(
    _ function: BinaryMath.Function
  ) throws(WeighbridgeError) -> ExportOperand? {
    switch function {
    case .floorDivide: return try floorOfQuotient()
    case .squaredDifference:
      return try unary("square", try binary("sub", self[0], self[1]))
    case .truncatedModulo:
      let magnitudes = [try unary("abs", self[0]), try unary("abs", self[1])]
      let remainder = try binary("mod", magnitudes[0], magnitudes[1])
      return try binary("mul", try unary("sign", self[0]), remainder)
    default:
      guard let operation = MILArithmetic.binaries[function] else { return nil }
      return try binary(operation, self[0], self[1])
    }
  }

  /// Adds the quotient rounded down, of floating-point numbers after it is rounded to their type.
  private mutating func floorOfQuotient() throws(WeighbridgeError) -> ExportOperand {
    let type = type().elementType
    guard type.isFloat else { return try binary("floor_div", self[0], self[1]) }
    guard type == .float32 || type == .float16 else {
      throw .unsupported(
        "divides \(type.rawValue), and the floor of a quotient may differ in float32 and float16, "
          + "in which Core ML computes")
    }
    return try computing(in: type) { (builder) throws(WeighbridgeError) in
      try builder.unary("floor", try builder.binary("real_div", builder[0], builder[1]))
    }
  }
}
