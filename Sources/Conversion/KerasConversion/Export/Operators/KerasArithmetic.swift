import Bytes
import ConversionCore
import GraphIR
import JSON
import KerasFormat
import LayerCatalog

/// Arithmetic, relations and logic, element by element, and products of matrices.
enum KerasArithmetic {
  static let rows: [KerasRow] =
    merging + logic + [
      KerasRow(Cast.self) { (operation, builder) throws(WeighbridgeError) in
        try builder.function(.cast, [builder[0]], to: operation.elementType)
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
        let none = try builder.function(.multiply, [builder[0], builder.number(0)])
        return try builder.function(.add, [none, builder.number(operation.number)])
      },
      KerasRow(MatMul.self) { (operation, builder) throws(WeighbridgeError) in
        let first = try builder.turned(builder[0], operation.transposeA)
        let second = try builder.turned(builder[1], operation.transposeB)
        return try builder.function(.matrixProduct, [first, second], type: builder.outputType)
      },
      KerasRow(Rescaling.self) { (operation, builder) throws(WeighbridgeError) in
        let numbers = { (list: [Double]) -> JSONValue in
          list.count == 1 ? .real(list[0]) : .array(list.map(JSONValue.real))
        }
        return try builder.layer(
          "Rescaling",
          ["scale": numbers(operation.scale), "offset": numbers(operation.offset)])
      },
      KerasRow(Where.self) { (_, builder) throws(WeighbridgeError) in
        try builder.function(
          .select, [builder[0], builder[1], builder[2]], type: builder.outputType)
      },
      KerasRow(BinaryMath.self) { (operation, builder) throws(WeighbridgeError) in
        try builder.binary(operation.function)
      },
      KerasRow(UnaryMath.self) { (operation, builder) throws(WeighbridgeError) in
        try builder.unary(operation.function)
      },
    ]

  private static let merging: [KerasRow] = [
    merged(Add.self, "Add", .add),
    merged(Multiply.self, "Multiply", .multiply),
    merged(Maximum.self, "Maximum", .maximum),
    merged(Minimum.self, "Minimum", .minimum),
    merged(Subtract.self, "Subtract", .subtract),
    KerasRow(Average.self) { (_, builder) throws(WeighbridgeError) in
      guard builder.operands.contains(where: { $0.constant != nil }) else {
        return try builder.layer("Average", [:], builder.operands)
      }
      let sum = try builder.chain(.add)
      return try builder.function(.divide, [sum, builder.number(Double(builder.operands.count))])
    },
    KerasRow(Concatenate.self) { (operation, builder) throws(WeighbridgeError) in
      guard builder.form == .archive || builder.operands.allSatisfy({ $0.constant == nil }) else {
        throw WeighbridgeError(.unsupported, "Keras 2.15 does not load a Concatenate of constants")
      }
      return try builder.layer("Concatenate", ["axis": .integer(operation.axis)], builder.operands)
    },
    KerasRow(Dot.self) { (operation, builder) throws(WeighbridgeError) in
      try builder.layer(
        "Dot",
        [
          "axes": .integers([operation.firstAxis, operation.secondAxis]),
          "normalize": .bool(operation.normalizes),
        ], [builder[0], builder[1]])
    },
  ]

  private static func merged<Operation: CatalogOperator>(
    _ type: Operation.Type, _ className: String, _ function: KerasFunctionForm
  ) -> KerasRow {
    KerasRow(type) { (_, builder) throws(WeighbridgeError) in
      try builder.merged(className, function)
    }
  }

  private static let logic: [KerasRow] = [
    KerasRow(Comparison.self) { (operation, builder) throws(WeighbridgeError) in
      let function: KerasFunctionForm =
        switch operation.relation {
        case .equal: .equal
        case .notEqual: .notEqual
        case .less: .less
        case .lessOrEqual: .lessEqual
        case .greater: .greater
        case .greaterOrEqual: .greaterEqual
        }
      return try builder.function(function, [builder[0], builder[1]], type: builder.outputType)
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
  /// A layer that merges its inputs; a function for each pair where a constant is among them, or
  /// batches of different sizes.
  fileprivate mutating func merged(
    _ className: String, _ function: KerasFunctionForm
  ) throws(WeighbridgeError) -> KerasValue {
    // The layers refuse batches of different sizes.
    let batches = Set(operands.compactMap { $0.type.shape.first?.value })
    guard
      operands.contains(where: { $0.constant != nil }) || !type().elementType.isFloat
        || batches.count > 1
    else { return try layer(className, [:], operands) }
    return try chain(function)
  }

  /// Pairs put together, from front to back.
  mutating func chain(_ function: KerasFunctionForm) throws(WeighbridgeError) -> KerasValue {
    var result = operands[0]
    for next in operands.dropFirst() {
      result = try self.function(function, [result, next], type: outputType)
    }
    return result
  }

  /// Matrices with rows for columns, if that is wanted.
  fileprivate mutating func turned(
    _ value: KerasValue, _ isWanted: Bool
  ) throws(WeighbridgeError) -> KerasValue {
    guard isWanted else { return value }
    var axes = Array(0..<value.type.rank)
    axes.swapAt(axes.count - 1, axes.count - 2)
    return try transposed(value, axes)
  }

  /// Booleans of a relation.
  mutating func compare(
    _ function: KerasFunctionForm, _ first: KerasValue, _ second: KerasValue
  ) throws(WeighbridgeError) -> KerasValue {
    try self.function(function, [first, second], type: TensorType(.bool, first.type.shape))
  }

  /// The first where a boolean holds, and the second elsewhere.
  mutating func choose(
    _ condition: KerasValue, _ first: KerasValue, _ second: KerasValue
  ) throws(WeighbridgeError) -> KerasValue {
    let type = first.constant == nil ? first.type : second.type
    return try function(.select, [condition, first, second], type: type)
  }

  /// The same numbers in another element type.
  mutating func function(
    _ cast: KerasFunctionForm, _ inputs: [KerasValue], to type: ElementType
  ) throws(WeighbridgeError) -> KerasValue {
    let name = JSONValue.string(type.rawValue)
    return try function(
      cast, inputs, shared: ["dtype": name],
      type: TensorType(type, inputs[0].type.shape))
  }

  fileprivate mutating func binary(
    _ function: BinaryMath.Function
  ) throws(WeighbridgeError) -> KerasValue {
    let pair = [self[0], self[1]]
    let form: KerasFunctionForm
    switch function {
    case .divide: form = .divide
    case .divideNoNaN: form = .binary("DivideNoNan", tf: "math.divide_no_nan")
    case .floorDivide: form = .binary("FloorDivide", tf: "math.floordiv")
    case .floorModulo: form = .binary("Mod", tf: "math.floormod")
    case .power: form = .binary("Power", tf: "math.pow")
    case .arcTangent2:
      form = KerasFunctionForm("numpy", "Arctan2", tf: "math.atan2", ["y", "x"])
    case .squaredDifference:
      let difference = try self.function(.subtract, pair, type: outputType)
      return try self.function(.multiply, [difference, difference])
    case .hypotenuse:
      let squares = [
        try self.function(.multiply, [pair[0], pair[0]]),
        try self.function(.multiply, [pair[1], pair[1]]),
      ]
      return try self.function(
        .squareRoot, [try self.function(.add, squares, type: outputType)])
    case .truncatedModulo, .logarithmOfSum:
      throw WeighbridgeError(
        .unsupported, "the function \(function.rawValue) is not one of Keras")
    }
    return try self.function(form, pair, type: outputType)
  }

  fileprivate mutating func unary(
    _ function: UnaryMath.Function
  ) throws(WeighbridgeError) -> KerasValue {
    guard let form = KerasFunctionForm.unaryFunctions[function] else {
      throw WeighbridgeError(
        .unsupported, "the function \(function.rawValue) is not one of Keras")
    }
    return try self.function(form, [self[0]], type: outputType)
  }
}

extension KerasFunctionForm {
  static let absolute = unary("Absolute", tf: "math.abs")
  static let negative = unary("Negative", tf: "math.negative")
  static let exponential = unary("Exp", tf: "math.exp")
  static let logarithm = unary("Log", tf: "math.log")
  static let approximateGELU = KerasFunctionForm("nn", "Gelu", tf: "nn.gelu", ["features"])

  fileprivate static let unaryFunctions: [UnaryMath.Function: KerasFunctionForm] = [
    .absolute: .absolute, .negative: .negative, .sign: unary("Sign", tf: "math.sign"),
    .square: unary("Square", tf: "math.square"),
    .reciprocal: unary("Reciprocal", tf: "math.reciprocal"), .squareRoot: .squareRoot,
    .reciprocalSquareRoot: unary("Rsqrt", tf: "math.rsqrt", module: "math"),
    .exponentialMinusOne: unary("Expm1", tf: "math.expm1"), .logarithm: .logarithm,
    .logarithmOfOnePlus: unary("Log1p", tf: "math.log1p"), .sine: unary("Sin", tf: "math.sin"),
    .cosine: unary("Cos", tf: "math.cos"), .tangent: unary("Tan", tf: "math.tan"),
    .arcSine: unary("Arcsin", tf: "math.asin"), .arcCosine: unary("Arccos", tf: "math.acos"),
    .arcTangent: unary("Arctan", tf: "math.atan"),
    .hyperbolicSine: unary("Sinh", tf: "math.sinh"),
    .hyperbolicCosine: unary("Cosh", tf: "math.cosh"),
    .areaSine: unary("Arcsinh", tf: "math.asinh"),
    .areaCosine: unary("Arccosh", tf: "math.acosh"),
    .areaTangent: unary("Arctanh", tf: "math.atanh"), .floor: .floor,
    .ceiling: unary("Ceil", tf: "math.ceil"), .round: unary("Round", tf: "math.round"),
    .errorFunction: unary("Erf", tf: "math.erf", module: "math"),
  ]
}
