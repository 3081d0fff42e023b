import Bytes
import ConversionCore
import CoreMLFormat
import GraphIR
import LayerCatalog
import ProtobufWire

/// Mathematical functions, comparisons and Boolean logic. Core ML computes with float32 only:
/// integers and Booleans are whole float32 numbers.
enum CoreMLArithmetic: CoreMLFamily {
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
    // A weight becomes a constant.
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
      let own = relations.first { $0.value == operation.relation }
      return try builder.add(own?.key ?? "equal", try builder.allInputs())
    },
    CoreMLRow(LogicalAnd.self, chain: "logicalAnd"),
    CoreMLRow(LogicalOr.self, chain: "logicalOr"),
    CoreMLRow(LogicalNot.self, is: "logicalNot"),
    CoreMLRow(Where.self, is: "whereBroadcastable"),
  ]

  static let nodes: [String: CoreMLCall.Build] = .init(families: [
    functions.mapValues { each(UnaryMath($0)) }, relations.mapValues(comparing), booleans,
  ])

  private static func comparing(_ relation: Comparison.Relation) -> CoreMLCall.Build {
    { (call) throws(WeighbridgeError) in [try call.compare(relation)] }
  }

  private static let booleans: [String: CoreMLCall.Build] = [
    "logicalAnd": { (call) throws(WeighbridgeError) in [try call.logic(LogicalAnd())] },
    "logicalNot": { (call) throws(WeighbridgeError) in
      let blob = try call.input()
      return [call.like(blob, try call.number(try call.add(LogicalNot(), [call.truth(blob)])))]
    },
    "logicalOr": { (call) throws(WeighbridgeError) in [try call.logic(LogicalOr())] },
    "logicalXor": { (call) throws(WeighbridgeError) in
      [try call.logic(Comparison(.notEqual))]
    },
    "whereBroadcastable": { (call) throws(WeighbridgeError) in [try call.choose()] },
  ]

  /// The functions that have their own layers.
  fileprivate static let functions: [String: UnaryMath.Function] = [
    "ceil": .ceiling, "floor": .floor, "sign": .sign, "round": .round, "exp2": .exponential2,
    "sin": .sine, "cos": .cosine, "tan": .tangent, "asin": .arcSine, "acos": .arcCosine,
    "atan": .arcTangent, "sinh": .hyperbolicSine, "cosh": .hyperbolicCosine,
    "asinh": .inverseHyperbolicSine, "acosh": .inverseHyperbolicCosine,
    "atanh": .inverseHyperbolicTangent, "erf": .errorFunction,
  ]

  private static let relations: [String: Comparison.Relation] = [
    "equal": .equal, "notEqual": .notEqual, "lessThan": .less, "lessEqual": .lessOrEqual,
    "greaterThan": .greater, "greaterEqual": .greaterOrEqual,
  ]
}

extension CoreMLNetworkBuilder {
  fileprivate mutating func unary(
    _ function: UnaryMath.Function
  ) throws(WeighbridgeError) -> String? {
    let x = try input()
    if let own = CoreMLArithmetic.functions.first(where: { $0.value == function }) {
      return try add(own.key, [x])
    }
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
    // -1 where y is negative, 1 elsewhere.
    let side = try linear(try compare("greaterEqual", y, 0), scale: 2, offset: -1)
    let turned = try sum(narrow, try linear(side, scale: .pi))
    let left = try choose(try compare("lessThan", x, 0), turned, narrow)
    let quarter = try linear(try add("sign", [y]), scale: .pi / 2)
    return try choose(isUpright, quarter, left)
  }
}

extension CoreMLCall {
  /// Compares each element with 0: true where they differ.
  mutating func truth(_ blob: CoreMLBlob) throws(WeighbridgeError) -> ValueID {
    try truth(blob.value)
  }

  private mutating func truth(_ value: ValueID) throws(WeighbridgeError) -> ValueID {
    let zero = try constant(
      "zero \(value.index)", shape: type(value).shape.map { _ in 1 }, [0])
    return try add(Comparison(.notEqual), [value, zero], role: "truth")
  }

  /// Converts true to 1 and false to 0.
  mutating func number(_ value: ValueID) throws(WeighbridgeError) -> ValueID {
    try add(Cast(to: .float32), [value], role: "number")
  }

  fileprivate mutating func logic(
    _ operation: some CatalogOperator
  ) throws(WeighbridgeError) -> CoreMLBlob {
    let (first, second) = try pair()
    let (values, axes, rank) = try aligned([first, second])
    var truths: [ValueID] = []
    for value in values { truths.append(try truth(value)) }
    return CoreMLBlob(try number(add(operation, truths)), axes, rank: rank)
  }

  fileprivate mutating func compare(
    _ relation: Comparison.Relation
  ) throws(WeighbridgeError) -> CoreMLBlob {
    let alpha = real("alpha")
    guard inputs.count == 1 else {
      let (first, second) = try pair()
      let (values, axes, rank) = try aligned([first, second])
      return CoreMLBlob(try number(add(Comparison(relation), values)), axes, rank: rank)
    }
    let value = inputs[0].value
    let other = try constant("alpha", shape: type(value).shape.map { _ in 1 }, [alpha])
    return like(inputs[0], try number(add(Comparison(relation), [value, other])))
  }

  fileprivate mutating func choose() throws(WeighbridgeError) -> CoreMLBlob {
    guard inputs.count == 3 else { throw malformed("takes \(inputs.count) inputs, not 3") }
    let (values, axes, rank) = try aligned(inputs)
    let condition = try truth(values[0])
    return CoreMLBlob(
      try add(Where(), [condition] + values.dropFirst()), axes, rank: rank)
  }
}
