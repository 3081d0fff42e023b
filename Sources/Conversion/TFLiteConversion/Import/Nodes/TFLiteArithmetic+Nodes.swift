import Bytes
import ConversionCore
import GraphIR
import LayerCatalog
import TFLiteFormat

extension TFLiteArithmetic {
  static let nodes = [String: TFLiteReading](families: [sums, functions, pairs, relations, choices])

  private static let sums: [String: TFLiteReading] = [
    "ADD": .binary(options: 11, activation: 0) { Add() },
    "ADD_N": TFLiteReading { (layer) throws(WeighbridgeError) in
      var values: [SourceValue] = []
      for position in layer.node.inputs.indices { values.append(try layer.real(position)) }
      return values.count == 1 ? values : try layer.apply(Add(), values)
    },
    "DIV": .binary(options: 29, activation: 0) { BinaryMath(.divide) },
    "MAXIMUM": .binary { Maximum() },
    "MINIMUM": .binary { Minimum() },
    "MUL": .binary(options: 21, activation: 0) { Multiply() },
    "SUB": .binary(options: 28, activation: 0) { Subtract() },
  ]

  private static let functions = [
    "ABS": UnaryMath.Function.absolute, "CEIL": .ceiling, "COS": .cosine, "FLOOR": .floor,
    "LOG": .logarithm, "NEG": .negative, "ROUND": .round, "RSQRT": .reciprocalSquareRoot,
    "SIGN": .sign, "SIN": .sine, "SQRT": .squareRoot, "SQUARE": .square,
  ].mapValues { function in TFLiteReading.unary { UnaryMath(function) } }

  private static let pairs = [
    "ATAN2": BinaryMath.Function.arcTangent2, "FLOOR_DIV": .floorDivide,
    "FLOOR_MOD": .floorModulo, "POW": .power, "SQUARED_DIFFERENCE": .squaredDifference,
  ].mapValues { function in TFLiteReading.binary { BinaryMath(function) } }

  private static let relations = [
    "EQUAL": Comparison.Relation.equal, "GREATER": .greater, "GREATER_EQUAL": .greaterOrEqual,
    "LESS": .less, "LESS_EQUAL": .lessOrEqual, "NOT_EQUAL": .notEqual,
  ].mapValues { relation in TFLiteReading.binary { Comparison(relation) } }

  private static let choices: [String: TFLiteReading] = [
    "BITCAST": TFLiteReading { (layer) throws(WeighbridgeError) in
      [try layer.apply(BitCast(to: try layer.outputElementType()), to: try layer.input())]
    },
    "CAST": TFLiteReading(options: 37) { (layer) throws(WeighbridgeError) in
      layer.ignore(0, 1)  // the types, which the tensors have too
      let input = try layer.input()
      let type = try layer.outputElementType()
      if case .dimensions(let sizes, let isList, _) = input, [.int32, .int64].contains(type) {
        return [.dimensions(sizes, isList: isList, as: type)]
      }
      return layer.type(input).elementType == type
        ? [input] : [try layer.apply(Cast(to: type), to: input)]
    },
    "LOGICAL_AND": .binary { LogicalAnd() },
    "LOGICAL_NOT": .unary { LogicalNot() },
    "LOGICAL_OR": .binary { LogicalOr() },
    "SELECT": TFLiteReading { (layer) throws(WeighbridgeError) in
      var condition = try layer.input(0)
      let (first, rank) = (layer.type(condition), layer.type(try layer.input(1)).rank)
      if first.rank == 1, rank > 1 {
        // One choice for each index of the first axis.
        condition = try layer.apply(
          ExpandDims(axes: Array(1..<rank)), to: condition, role: "condition")
      }
      return try layer.chosen(condition)
    },
    "SELECT_V2": TFLiteReading { (layer) throws(WeighbridgeError) in
      try layer.chosen(try layer.input(0))
    },
  ]
}

extension TFLiteLayer {
  /// The element type of the first output, as the file states it.
  func outputElementType() throws(WeighbridgeError) -> ElementType {
    guard let output = node.outputs.first else { throw malformed("has no output") }
    return try scope.graph.tensors[output].elementType()
  }

  fileprivate mutating func chosen(
    _ condition: SourceValue
  ) throws(WeighbridgeError) -> [SourceValue] {
    try apply(Where(), try aligned([condition] + (try carried([1, 2]))))
  }
}
