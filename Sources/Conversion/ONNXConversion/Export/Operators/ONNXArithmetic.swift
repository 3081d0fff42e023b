import Bytes
import ConversionCore
import GraphIR
import LayerCatalog
import ONNXFormat

/// Functions of mathematics, and numbers in another type.
enum ONNXArithmetic {
  static let rows: [ONNXRow] = [
    ONNXRow(UnaryMath.self) { (operation, builder) throws(WeighbridgeError) in
      builder.unary(operation.function)
    },
    ONNXRow(BinaryMath.self) { (operation, builder) throws(WeighbridgeError) in
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
    ONNXRow(Rescaling.self) { (operation, builder) throws(WeighbridgeError) in
      let scaled = builder.scaled(builder.input(), "Mul", operation.scale, neutral: 1)
      return builder.scaled(scaled, "Add", operation.offset, neutral: 0)
    },
  ]
}

extension ONNXGraphBuilder {
  fileprivate mutating func scaled(
    _ input: String, _ operation: String, _ numbers: [Double], neutral: Double
  ) -> String {
    if numbers.allSatisfy({ $0 == neutral }) { return input }
    let other = numbers.count == 1 ? number(numbers[0]) : self.numbers(numbers)
    return add(operation, [input, other])
  }

  fileprivate mutating func unary(_ function: UnaryMath.Function) -> String {
    let x = input()
    switch function {
    case .absolute: return add("Abs", [x])
    case .negative: return add("Neg", [x])
    case .sign: return add("Sign", [x])
    case .square: return add("Mul", [x, x])
    case .reciprocal: return add("Reciprocal", [x])
    case .squareRoot: return add("Sqrt", [x])
    case .reciprocalSquareRoot: return add("Reciprocal", [add("Sqrt", [x])])
    case .exponential2: return add("Pow", [number(2), x])
    case .exponentialMinusOne: return add("Sub", [add("Exp", [x]), number(1)])
    case .logarithm: return add("Log", [x])
    case .logarithmOfOnePlus: return add("Log", [add("Add", [x, number(1)])])
    case .logarithm2: return add("Mul", [add("Log", [x]), number(1.442_695_040_888_963_4)])
    case .logarithm10: return add("Mul", [add("Log", [x]), number(0.434_294_481_903_251_8)])
    case .sine: return add("Sin", [x])
    case .cosine: return add("Cos", [x])
    case .tangent: return add("Tan", [x])
    case .arcSine: return add("Asin", [x])
    case .arcCosine: return add("Acos", [x])
    case .arcTangent: return add("Atan", [x])
    case .hyperbolicSine: return add("Sinh", [x])
    case .hyperbolicCosine: return add("Cosh", [x])
    case .areaSine: return add("Asinh", [x])
    case .areaCosine: return add("Acosh", [x])
    case .areaTangent: return add("Atanh", [x])
    case .floor: return add("Floor", [x])
    case .ceiling: return add("Ceil", [x])
    case .round: return add("Round", [x])
    case .truncate: return add("Mul", [add("Sign", [x]), add("Floor", [add("Abs", [x])])])
    case .errorFunction: return add("Erf", [x])
    case .complementaryErrorFunction: return add("Sub", [number(1), add("Erf", [x])])
    }
  }

  fileprivate mutating func binary(_ function: BinaryMath.Function) -> String {
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
    case .squaredDifference:
      let distance = add("Sub", [a, b])
      return add("Mul", [distance, distance])
    case .arcTangent2: return angle(y: a, x: b)
    case .hypotenuse:
      return add("Sqrt", [add("Add", [add("Mul", [a, a]), add("Mul", [b, b])])])
    case .logarithmOfSum:
      let distance = add("Abs", [add("Sub", [a, b])])
      return add("Add", [add("Max", [a, b]), add("Softplus", [add("Neg", [distance])])])
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
