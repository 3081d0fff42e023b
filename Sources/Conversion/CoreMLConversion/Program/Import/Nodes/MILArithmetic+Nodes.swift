import Bytes
import ConversionCore
import GraphIR
import LayerCatalog

extension MILArithmetic {
  static let nodes = [String: MILLayer.Build](families: [
    unaries, pairs, sums, logic,
    relations.mapValues { relation in MILOperators.binary { Comparison(relation) } },
  ])

  private static let unaries: [String: MILLayer.Build] = [
    "abs": UnaryMath.Function.absolute, "acos": .arcCosine, "asin": .arcSine, "atan": .arcTangent,
    "atanh": .inverseHyperbolicTangent, "ceil": .ceiling, "cos": .cosine,
    "cosh": .hyperbolicCosine, "erf": .errorFunction, "exp2": .exponential2, "floor": .floor,
    "round": .round, "sign": .sign, "sin": .sine, "sinh": .hyperbolicSine, "sqrt": .squareRoot,
    "square": .square, "tan": .tangent,
  ].mapValues { function in MILOperators.unary { UnaryMath(function) } }

  private static let pairs: [String: MILLayer.Build] = [
    "floor_div": BinaryMath.Function.floorDivide, "mod": .floorModulo, "pow": .power,
  ].mapValues { function in MILOperators.binary { BinaryMath(function) } }

  private static let relations: [String: Comparison.Relation] = [
    "equal": .equal, "greater": .greater, "greater_equal": .greaterOrEqual, "less": .less,
    "less_equal": .lessOrEqual, "not_equal": .notEqual,
  ]

  private static let sums: [String: MILLayer.Build] = [
    "add": MILOperators.binary { Add() }, "maximum": MILOperators.binary { Maximum() },
    "minimum": MILOperators.binary { Minimum() }, "mul": MILOperators.binary { Multiply() },
    "sub": MILOperators.binary { Subtract() },
    "real_div": { (layer) throws(WeighbridgeError) in
      let values = try layer.aligned([try layer.input("x"), try layer.input("y")])
      guard layer.type(values[0]).elementType.isFloat else {
        throw layer.unsupported("divides integers by real_div, and only real numbers can be read")
      }
      return try layer.apply(BinaryMath(.divide), values)
    },
    "clip": { (layer) throws(WeighbridgeError) in
      let operation = Clip(
        minimum: try layer.number("alpha", default: -.infinity),
        maximum: try layer.number("beta", default: .infinity))
      return [try layer.apply(operation, to: try layer.input())]
    },
    "threshold": { (layer) throws(WeighbridgeError) in
      let input = try layer.input()
      let limit = layer.number(
        try layer.number("alpha", default: -.infinity), like: input, "alpha")
      return [try layer.apply(Maximum(), to: input, limit)]
    },
    "inverse": plus(1e-4, .reciprocal), "log": plus(1e-45, .logarithm),
    "rsqrt": plus(1e-12, .reciprocalSquareRoot),
  ]

  /// A function of the sum of a value and a number.
  private static func plus(_ epsilon: Double, _ function: UnaryMath.Function) -> MILLayer.Build {
    { (layer) throws(WeighbridgeError) in
      let number = try layer.number("epsilon", default: epsilon)
      let sum = try layer.adding(number, to: try layer.input(), role: "epsilon")
      return [try layer.apply(UnaryMath(function), to: sum)]
    }
  }

  private static let logic: [String: MILLayer.Build] = [
    "logical_and": MILOperators.binary { LogicalAnd() },
    "logical_or": MILOperators.binary { LogicalOr() },
    "logical_xor": MILOperators.binary { Comparison(.notEqual) },
    "logical_not": MILOperators.unary { LogicalNot() },
    "select": { (layer) throws(WeighbridgeError) in
      let values = [try layer.input("cond"), try layer.input("a"), try layer.input("b")]
      return try layer.apply(Where(), try layer.aligned(values))
    },
    "cast": { (layer) throws(WeighbridgeError) in
      let (input, name) = (try layer.input(), try layer.text("dtype"))
      guard let type = types[name] else {
        throw layer.unsupported("casts to \(name), which is no type of numbers that can be read")
      }
      if case .dimensions(let sizes, let isList, _) = input, type == .int32 {
        return [.dimensions(sizes, isList: isList, as: type)]
      }
      return layer.type(input).elementType == type
        ? [input] : [try layer.apply(Cast(to: type), to: input)]
    },
    "fill": { (layer) throws(WeighbridgeError) in
      let value = try layer.constant("value") ?? Tensor(.float32, shape: [], [0])
      return [try layer.filled(with: value.reshaped([1]), try layer.input("shape"))]
    },
    "fill_like": { (layer) throws(WeighbridgeError) in
      let value = try layer.constant("value") ?? Tensor(.float32, shape: [], [0])
      let sizes = layer.sizes(of: try layer.input("ref_tensor"), as: .int32)
      return [try layer.filled(with: value.reshaped([1]), sizes)]
    },
  ]

  private static let types: [String: ElementType] = [
    "fp16": .float32, "fp32": .float32, "int32": .int32, "bool": .bool, "int8": .int8,
    "uint8": .uint8, "int16": .int16, "uint16": .uint16,
  ]
}
