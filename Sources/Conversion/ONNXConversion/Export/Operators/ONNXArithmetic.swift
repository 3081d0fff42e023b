import Bytes
import ConversionCore
import GraphIR
import LayerCatalog
import ONNXFormat

/// Functions of mathematics, comparisons and booleans, and numbers in another type.
enum ONNXArithmetic {
  static let rows: [ONNXRow] = [
    ONNXRow(native: UnaryMath.self) { (operation, builder) throws(WeighbridgeError) in
      builder.unary(operation.function)
    },
    ONNXRow(native: BinaryMath.self) { (operation, builder) throws(WeighbridgeError) in
      builder.binary(operation.function)
    },
    ONNXRow(Cast.self) { (operation, builder) throws(WeighbridgeError) in
      builder.cast(builder.input(), to: operation.elementType)
    },
    ONNXRow(Clip.self) { (operation, builder) throws(WeighbridgeError) in
      let bounds = [operation.minimum, operation.maximum].map { bound in
        bound.isInfinite ? "" : builder.number(bound)
      }
      let last = bounds.lastIndex { !$0.isEmpty } ?? -1
      return builder.add("Clip", [builder.input()] + bounds[...last])
    },
    ONNXRow(FullLike.self) { (operation, builder) throws(WeighbridgeError) in
      let shape = builder.dimensions(builder.input(), builder.type(), 0..<builder.type().rank)
      return builder.add("Expand", [builder.number(operation.number), shape])
    },
    ONNXRow(Identity.self, is: "Identity"),
    ONNXRow(MatMul.self) { (operation, builder) throws(WeighbridgeError) in
      let transposes = [operation.transposeA, operation.transposeB]
      let factors = transposes.enumerated().map { position, transposes in
        let rank = builder.type(position).rank
        let axes = Array(0..<rank - 2) + [rank - 1, rank - 2]
        let input = builder.input(position)
        return transposes ? builder.transpose(input, axes) : input
      }
      return builder.add("MatMul", factors)
    },
    ONNXRow(native: Rescaling.self) { (operation, builder) throws(WeighbridgeError) in
      guard case .primitive = operation.decomposition else { return nil }
      let x = builder.input()
      let scaled =
        operation.scale == [1] ? x : builder.add("Mul", [x, builder.number(operation.scale[0])])
      return operation.offset == [0]
        ? scaled : builder.add("Add", [scaled, builder.number(operation.offset[0])])
    },
    ONNXRow(Comparison.self) { (operation, builder) throws(WeighbridgeError) in
      let inputs = builder.allInputs()
      switch operation.relation {
      case .equal: return builder.add("Equal", inputs)
      case .notEqual: return builder.add("Not", [builder.add("Equal", inputs)])
      case .less: return builder.add("Less", inputs)
      case .lessOrEqual: return builder.add("LessOrEqual", inputs)
      case .greater: return builder.add("Greater", inputs)
      case .greaterOrEqual: return builder.add("GreaterOrEqual", inputs)
      }
    },
    ONNXRow(LogicalAnd.self, chain: "And"), ONNXRow(LogicalOr.self, chain: "Or"),
    ONNXRow(LogicalNot.self, is: "Not"), ONNXRow(Where.self, is: "Where"),
  ]

  /// The nodes that are a function of mathematics without settings.
  fileprivate static let functions: [UnaryMath.Function: String] = [
    .absolute: "Abs", .negative: "Neg", .sign: "Sign", .reciprocal: "Reciprocal",
    .squareRoot: "Sqrt", .logarithm: "Log", .sine: "Sin", .cosine: "Cos", .tangent: "Tan",
    .arcSine: "Asin", .arcCosine: "Acos", .arcTangent: "Atan", .hyperbolicSine: "Sinh",
    .hyperbolicCosine: "Cosh", .areaSine: "Asinh", .areaCosine: "Acosh", .areaTangent: "Atanh",
    .floor: "Floor", .ceiling: "Ceil", .round: "Round", .errorFunction: "Erf",
  ]
}

extension ONNXGraphBuilder {
  fileprivate mutating func unary(_ function: UnaryMath.Function) -> String? {
    let x = input()
    if let node = ONNXArithmetic.functions[function] { return add(node, [x]) }
    switch function {
    case .square: return add("Mul", [x, x])
    case .reciprocalSquareRoot: return add("Reciprocal", [add("Sqrt", [x])])
    case .logarithm10: return add("Mul", [add("Log", [x]), number(0.434_294_481_903_251_8)])
    case .truncate: return add("Mul", [add("Sign", [x]), add("Floor", [add("Abs", [x])])])
    default: return nil
    }
  }

  fileprivate mutating func binary(_ function: BinaryMath.Function) -> String? {
    let (a, b) = (input(0), input(1))
    switch function {
    case .divide: return add("Div", [a, b])
    case .divideNoNaN:
      let zero = number(0)
      return choose(add("Equal", [b, zero]), zero, add("Div", [a, b]))
    case .floorDivide: return floorQuotient(a, b)
    case .floorModulo: return floorRemainder(a, b)
    case .truncatedModulo: return add("Mod", [a, b], ["fmod": .integer(1)])
    case .power: return add("Pow", [a, b])
    case .arcTangent2: return angle(y: a, x: b)
    case .squaredDifference, .hypotenuse, .logarithmOfSum: return nil
    }
  }

  private mutating func floorRemainder(_ a: String, _ b: String) -> String {
    guard elementType.isFloat else { return add("Mod", [a, b]) }
    let (rest, zero) = (add("Mod", [a, b], ["fmod": .integer(1)]), number(0))
    return choose(isOff(rest, b), add("Add", [rest, b]), add("Add", [rest, zero]))
  }

  private mutating func floorQuotient(_ a: String, _ b: String) -> String {
    if elementType.isFloat { return add("Floor", [add("Div", [a, b])]) }
    let quotient = add("Div", [a, b])
    let rest = add("Sub", [a, add("Mul", [quotient, b])])
    return choose(isOff(rest, b), add("Sub", [quotient, number(1)]), quotient)
  }

  /// Whether a remainder is not 0 and has another sign than the divisor.
  private mutating func isOff(_ rest: String, _ divisor: String) -> String {
    let zero = number(0)
    let isRest = add("Not", [add("Equal", [rest, zero])])
    let signs = [rest, divisor].map { add("Less", [$0, zero]) }
    return add("And", [isRest, add("Xor", signs)])
  }

  private mutating func angle(y: String, x: String) -> String {
    let zero = number(0)
    let narrow = add("Atan", [add("Div", [y, x])])
    let isBelow = add("Less", [y, zero])
    let turn = choose(isBelow, number(-Double.pi), number(.pi))
    let left = choose(add("Less", [x, zero]), add("Add", [narrow, turn]), narrow)
    let quarter = choose(isBelow, number(-Double.pi / 2), number(.pi / 2))
    let upright = choose(add("Equal", [y, zero]), zero, quarter)
    return choose(add("Equal", [x, zero]), upright, left)
  }
}
