import Bytes
import ConversionCore
import CoreMLFormat
import GraphIR
import LayerCatalog
import ProtobufWire

/// Functions of mathematics, comparisons and booleans. Core ML computes with float32 only: whole numbers and booleans are
/// float32 without fractions.
enum CoreMLArithmetic {
  static let rows: [CoreMLRow] = [
    CoreMLRow(native: UnaryMath.self) { (operation, builder) throws(WeighbridgeError) in
      try builder.unary(operation.function)
    },
    CoreMLRow(native: BinaryMath.self) { (operation, builder) throws(WeighbridgeError) in
      try builder.binary(operation.function)
    },
    CoreMLRow(Cast.self) { (operation, builder) throws(WeighbridgeError) in
      let (x, source) = (try builder.input(), builder.type().elementType)
      if operation.elementType == .bool {
        return source == .bool ? x : try builder.compare("notEqual", x, 0)
      }
      return source.isFloat && !operation.elementType.isFloat ? try builder.truncate(x) : x
    },
    CoreMLRow(Clip.self) { (operation, builder) throws(WeighbridgeError) in
      try builder.clip(try builder.input(), operation.minimum, operation.maximum)
    },
    CoreMLRow(FullLike.self, is: "fillLike") { ["value": .real($0.number)] },
    // Of a weight it is the value that holds it.
    CoreMLRow(Identity.self) { (_, builder) throws(WeighbridgeError) in try builder.input() },
    CoreMLRow(MatMul.self) { (operation, builder) throws(WeighbridgeError) in
      try builder.matrixProduct(
        try builder.input(0), try builder.input(1), transposeA: operation.transposeA,
        transposeB: operation.transposeB)
    },
    CoreMLRow(native: Rescaling.self) { (operation, builder) throws(WeighbridgeError) in
      guard case .primitive = operation.decomposition else { return nil }
      return try builder.linear(
        try builder.input(), scale: operation.scale[0], offset: operation.offset[0])
    },
    CoreMLRow(Comparison.self) { (operation, builder) throws(WeighbridgeError) in
      let kind =
        switch operation.relation {
        case .equal: "equal"
        case .notEqual: "notEqual"
        case .less: "lessThan"
        case .lessOrEqual: "lessEqual"
        case .greater: "greaterThan"
        case .greaterOrEqual: "greaterEqual"
        }
      return try builder.add(kind, try builder.allInputs())
    },
    CoreMLRow(LogicalAnd.self, chain: "logicalAnd"),
    CoreMLRow(LogicalOr.self, chain: "logicalOr"),
    CoreMLRow(LogicalNot.self, is: "logicalNot"),
    CoreMLRow(Where.self, is: "whereBroadcastable"),
  ]
}

extension CoreMLNetworkBuilder {
  /// The layers that are a function of mathematics without settings.
  private static let functions: [UnaryMath.Function: String] = [
    .sign: "sign", .sine: "sin", .cosine: "cos", .tangent: "tan", .arcSine: "asin",
    .arcCosine: "acos", .arcTangent: "atan", .hyperbolicSine: "sinh", .hyperbolicCosine: "cosh",
    .areaSine: "asinh", .areaCosine: "acosh", .areaTangent: "atanh", .floor: "floor",
    .ceiling: "ceil", .round: "round", .errorFunction: "erf", .exponential2: "exp2",
  ]

  fileprivate mutating func unary(
    _ function: UnaryMath.Function
  ) throws(WeighbridgeError) -> String? {
    let x = try input()
    if let kind = Self.functions[function] { return try add(kind, [x]) }
    switch function {
    case .absolute: return try unary("ABS", x)
    case .negative: return try linear(x, scale: -1)
    case .square: return try product(x, x)
    case .reciprocal: return try quotient(try number(1), x)
    case .squareRoot: return try squareRoot(x)
    case .reciprocalSquareRoot: return try quotient(try number(1), try squareRoot(x))
    case .logarithm: return try unary("LOG", x)
    case .logarithm10: return try linear(try unary("LOG", x), scale: 0.434_294_481_903_251_8)
    case .truncate: return try truncate(x)
    default: return nil
    }
  }

  fileprivate mutating func binary(
    _ function: BinaryMath.Function
  ) throws(WeighbridgeError) -> String? {
    let (a, b) = (try input(0), try input(1))
    switch function {
    case .divide: return try quotient(a, b)
    case .divideNoNaN:
      let isZero = try compare("equal", b, 0)
      let divisor = try choose(isZero, try number(1), b)
      return try choose(isZero, try number(0), try quotient(a, divisor))
    case .floorDivide: return try add("floorDivBroadcastable", [a, b])
    case .floorModulo: return try add("modBroadcastable", [a, b])
    case .truncatedModulo:
      let whole = try truncate(try quotient(a, b))
      return try difference(a, try product(whole, b))
    case .power: return try add("powBroadcastable", [a, b])
    case .arcTangent2: return try angle(y: a, x: b)
    case .squaredDifference, .hypotenuse, .logarithmOfSum: return nil
    }
  }

  private mutating func angle(y: String, x: String) throws(WeighbridgeError) -> String {
    let isUpright = try compare("equal", x, 0)
    let divisor = try choose(isUpright, try number(1), x)
    let narrow = try add("atan", [try quotient(y, divisor)])
    // -1 below, 1 elsewhere.
    let side = try linear(try compare("greaterEqual", y, 0), scale: 2, offset: -1)
    let turned = try sum(narrow, try linear(side, scale: .pi))
    let left = try choose(try compare("lessThan", x, 0), turned, narrow)
    let quarter = try linear(try add("sign", [y]), scale: .pi / 2)
    return try choose(isUpright, quarter, left)
  }
}
