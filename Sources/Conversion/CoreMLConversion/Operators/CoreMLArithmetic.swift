import Bytes
import ConversionCore
import CoreMLFormat
import GraphIR
import LayerCatalog
import ProtobufWire

/// Mathematical functions, comparisons and Boolean logic. Core ML computes with float32 only:
/// integers and Booleans are stored as float32.
enum CoreMLArithmetic: CoreMLFamily {
  static let rows: [CoreMLRow] = [
    CoreMLRow(
      BitCast.self,
      unsupported: "reads bits as another type, and Core ML can compute with numbers only"),
    CoreMLRow(native: UnaryMath.self) { (operation, builder) throws(WeighbridgeError) in
      try builder.unary(operation.function)
    },
    CoreMLRow(native: BinaryMath.self) { (operation, builder) throws(WeighbridgeError) in
      try builder.binary(operation.function)
    },
    CoreMLRow(native: Cast.self) { (operation, builder) throws(WeighbridgeError) in
      if operation.overflow == .saturate { return nil }
      let (x, source) = (try builder.input(), builder.type().elementType)
      if operation.elementType == .bool {
        return source == .bool ? x : try builder.compare("notEqual", x, 0)
      }
      return source.isFloat && !operation.elementType.isFloat ? try builder.truncate(x) : x
    },
    CoreMLRow(Clip.self) { (operation, builder) throws(WeighbridgeError) in
      try builder.clip(try builder.input(), operation.minimum, operation.maximum)
    },
    CoreMLRow(FullLike.self, is: "fillLike") { ["value": .double($0.value)] },
    // A weight becomes a constant.
    CoreMLRow(Identity.self) { (_, builder) throws(WeighbridgeError) in try builder.input() },
    CoreMLRow(MatMul.self) { (operation, builder) throws(WeighbridgeError) in
      try builder.matrixProduct(
        try builder.input(0), try builder.input(1), transposeA: operation.transposeA,
        transposeB: operation.transposeB)
    },
    CoreMLRow(native: Rescaling.self) { (operation, builder) throws(WeighbridgeError) in
      guard operation.isPrimitive else { return nil }
      return try builder.linear(
        try builder.input(), scale: operation.scale[0], offset: operation.offset[0])
    },
    CoreMLRow(Comparison.self) { (operation, builder) throws(WeighbridgeError) in
      let layer = relations.first { $0.value == operation.relation }
      return try builder.add(layer?.key ?? "equal", try builder.allInputs())
    },
    CoreMLRow(LogicalAnd.self, chain: "logicalAnd"),
    CoreMLRow(LogicalOr.self, chain: "logicalOr"),
    CoreMLRow(LogicalNot.self, is: "logicalNot"),
    CoreMLRow(Where.self, is: "whereBroadcastable"),
  ]

  static let nodes: [String: CoreMLLayerImport.Build] = .init(families: [
    functions.mapValues { elementwise(UnaryMath($0)) }, relations.mapValues(comparing), booleans,
  ])

  private static func comparing(_ relation: Comparison.Relation) -> CoreMLLayerImport.Build {
    { (layer) throws(WeighbridgeError) in [try layer.compare(relation)] }
  }

  private static let booleans: [String: CoreMLLayerImport.Build] = [
    "logicalAnd": { (layer) throws(WeighbridgeError) in [try layer.logic(LogicalAnd())] },
    "logicalNot": { (layer) throws(WeighbridgeError) in
      let blob = try layer.input()
      let negated = try layer.add(LogicalNot(), [layer.boolean(blob)])
      return [blob.withValue(try layer.castToFloat(negated))]
    },
    "logicalOr": { (layer) throws(WeighbridgeError) in [try layer.logic(LogicalOr())] },
    "logicalXor": { (layer) throws(WeighbridgeError) in
      [try layer.logic(Comparison(.notEqual))]
    },
    "whereBroadcastable": { (layer) throws(WeighbridgeError) in [try layer.selectElements()] },
  ]

  /// The functions that are layers of their own, by kind of layer.
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
    if let layer = CoreMLArithmetic.functions.first(where: { $0.value == function }) {
      return try add(layer.key, [x])
    }
    switch function {
    case .absolute: return try unary("ABS", x)
    case .negative: return try linear(x, scale: -1)
    case .squareRoot: return try unary("SQRT", x)
    case .logarithm: return try unary("LOG", x)
    default: return nil
    }
  }

  fileprivate mutating func binary(
    _ function: BinaryMath.Function
  ) throws(WeighbridgeError) -> String? {
    let (lhs, rhs) = (try input(0), try input(1))
    switch function {
    case .divide: return try quotient(lhs, rhs)
    case .floorDivide:
      let type = type().elementType
      guard type == .float32 || !type.isFloat else {
        throw .unsupported(
          "divides in another type than float32, where the floor of a quotient may differ, and Core ML can "
            + "compute in float32 only: "
            + type.rawValue)
      }
      return try add("floorDivBroadcastable", [lhs, rhs])
    case .floorModulo: return try add("modBroadcastable", [lhs, rhs])
    case .truncatedModulo:
      let truncated = try truncate(try quotient(lhs, rhs))
      return try difference(lhs, try product(truncated, rhs))
    case .power: return try add("powBroadcastable", [lhs, rhs])
    case .divideNoNaN, .arcTangent2, .squaredDifference, .hypotenuse, .logAddExp: return nil
    }
  }
}

extension CoreMLLayerImport {
  /// Converts elements to Booleans: true where they are not 0.
  mutating func boolean(_ blob: CoreMLBlob) throws(WeighbridgeError) -> ValueID {
    try boolean(blob.value)
  }

  /// - Parameter position: The position among the layer's inputs.
  private mutating func boolean(
    _ value: ValueID, position: Int = 0
  ) throws(WeighbridgeError) -> ValueID {
    let zero = try constant(
      "zero_\(position)", shape: type(value).shape.map { _ in 1 }, [0])
    return try add(Comparison(.notEqual), [value, zero], role: "boolean_\(position)")
  }

  /// Converts integers or Booleans to float32: true to 1 and false to 0.
  mutating func castToFloat(_ value: ValueID) throws(WeighbridgeError) -> ValueID {
    try add(Cast(to: .float32), [value], role: "number")
  }

  fileprivate mutating func logic(
    _ operation: some CatalogOperator
  ) throws(WeighbridgeError) -> CoreMLBlob {
    let (first, second) = try pair()
    let (values, axes, rank) = try aligned([first, second])
    var booleans: [ValueID] = []
    for (position, value) in values.enumerated() {
      booleans.append(try boolean(value, position: position))
    }
    return CoreMLBlob(try castToFloat(add(operation, booleans)), axes, rank: rank)
  }

  fileprivate mutating func compare(
    _ relation: Comparison.Relation
  ) throws(WeighbridgeError) -> CoreMLBlob {
    let alpha = double("alpha")
    guard inputs.count == 1 else {
      let (first, second) = try pair()
      let (values, axes, rank) = try aligned([first, second])
      return CoreMLBlob(try castToFloat(add(Comparison(relation), values)), axes, rank: rank)
    }
    let value = inputs[0].value
    let other = try constant("alpha", shape: type(value).shape.map { _ in 1 }, [alpha])
    let result = try castToFloat(add(Comparison(relation), [value, other]))
    return inputs[0].withValue(result)
  }

  fileprivate mutating func selectElements() throws(WeighbridgeError) -> CoreMLBlob {
    guard inputs.count == 3 else {
      throw malformed("takes \(inputs.count.counted("input")), expected 3")
    }
    let (values, axes, rank) = try aligned(inputs)
    let condition = try boolean(values[0])
    return CoreMLBlob(
      try add(Where(), [condition] + values.dropFirst()), axes, rank: rank)
  }
}
