import Bytes
import ConversionCore
import GraphIR
import LayerCatalog

/// Arithmetic element by element, comparisons and choices.
enum TensorFlowArithmetic {
  static let nodes = TensorFlowOperators.Table(families: [
    sums, functions, pairs, relations, choices,
  ])

  private static let sums: TensorFlowOperators.Table = [
    "Add": TensorFlowOperators.binary { Add() },
    "AddN": { (layer) throws(WeighbridgeError) in
      let values = try layer.inputs()
      return values.count == 1 ? values : try layer.apply(Add(), values)
    },
    "AddV2": TensorFlowOperators.binary { Add() },
    "Div": { (layer) throws(WeighbridgeError) in
      let values = [try layer.input(0), try layer.input(1)]
      guard values.allSatisfy({ layer.type($0).elementType.isFloat }) else {
        throw layer.unsupported("divides integers and drops the rest, which cannot be read")
      }
      return try layer.apply(BinaryMath(.divide), try layer.aligned(values))
    },
    "Maximum": TensorFlowOperators.binary { Maximum() },
    "Minimum": TensorFlowOperators.binary { Minimum() },
    "Mul": TensorFlowOperators.binary { Multiply() },
    "RealDiv": TensorFlowOperators.binary { BinaryMath(.divide) },
    "Sub": TensorFlowOperators.binary { Subtract() },
  ]

  private static let functions = [
    "Abs": UnaryMath.Function.absolute, "Acos": .arcCosine, "Asin": .arcSine, "Atan": .arcTangent,
    "Ceil": .ceiling, "Cos": .cosine, "Cosh": .hyperbolicCosine, "Erf": .errorFunction,
    "Erfc": .complementaryErrorFunction, "Expm1": .exponentialMinusOne, "Floor": .floor,
    "Inv": .reciprocal, "Log": .logarithm, "Log1p": .logarithmOfOnePlus, "Neg": .negative,
    "Reciprocal": .reciprocal, "Round": .round, "Rint": .round, "Rsqrt": .reciprocalSquareRoot,
    "Sign": .sign, "Sin": .sine, "Sinh": .hyperbolicSine, "Sqrt": .squareRoot, "Square": .square,
    "Tan": .tangent,
  ].mapValues { function in TensorFlowOperators.unary { UnaryMath(function) } }

  private static let pairs = [
    "Atan2": BinaryMath.Function.arcTangent2, "DivNoNan": .divideNoNaN, "FloorDiv": .floorDivide,
    "FloorMod": .floorModulo, "Pow": .power, "SquaredDifference": .squaredDifference,
  ].mapValues { function in TensorFlowOperators.binary { BinaryMath(function) } }

  private static let relations = [
    "Equal": Comparison.Relation.equal, "Greater": .greater, "GreaterEqual": .greaterOrEqual,
    "Less": .less, "LessEqual": .lessOrEqual, "NotEqual": .notEqual,
  ].mapValues { relation in TensorFlowOperators.binary { Comparison(relation) } }

  private static let choices: TensorFlowOperators.Table = [
    "Cast": { (layer) throws(WeighbridgeError) in
      let (input, type) = (try layer.input(), try layer.elementType("DstT"))
      guard try !layer.flag("Truncate") else {
        throw layer.unsupported("cuts digits off in place of rounding, which cannot be read")
      }
      if case .dimensions(let sizes, let isList, _) = input, [.int32, .int64].contains(type) {
        return [.dimensions(sizes, isList: isList, as: type)]
      }
      return layer.type(input).elementType == type
        ? [input] : [try layer.apply(Cast(to: type), to: input)]
    },
    "ClipByValue": { (layer) throws(WeighbridgeError) in
      let bounds = try layer.aligned([try layer.input(0), try layer.input(1), try layer.input(2)])
      let lowest = try layer.apply(Minimum(), [bounds[0], bounds[2]], role: "minimum")[0]
      return [try layer.apply(Maximum(), [lowest, bounds[1]])[0]]
    },
    "Exp": TensorFlowOperators.unary { Exponential() },
    "LogicalAnd": TensorFlowOperators.binary { LogicalAnd() },
    "LogicalNot": TensorFlowOperators.unary { LogicalNot() },
    "LogicalOr": TensorFlowOperators.binary { LogicalOr() },
    "Select": { (layer) throws(WeighbridgeError) in
      var condition = try layer.input(0)
      let (first, rank) = (layer.type(condition), layer.type(try layer.input(1)).rank)
      if first.rank == 1, rank > 1 {
        // One choice for each index of the first axis.
        condition = try layer.apply(
          ExpandDims(axes: Array(1..<rank)), to: condition, role: "condition")
      }
      return try layer.chosen(condition)
    },
    "SelectV2": { (layer) throws(WeighbridgeError) in try layer.chosen(try layer.input(0)) },
  ]
}

extension TensorFlowLayer {
  fileprivate mutating func chosen(
    _ condition: SourceValue
  ) throws(WeighbridgeError) -> [SourceValue] {
    try apply(Where(), try aligned([condition, try input(1), try input(2)]))
  }
}
