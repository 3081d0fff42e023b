import Bytes
import ConversionCore
import GraphIR
import LayerCatalog
import ONNXFormat

/// Mathematical functions and casts.
enum ONNXArithmetic: ONNXFamily {
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
  ]

  static let nodes = [String: ONNXLayer.Build](families: [
    functions.mapValues { function in plain { UnaryMath(function) } }, own,
  ])

  /// The functions that are a single ONNX operator each.
  fileprivate static let functions: [String: UnaryMath.Function] = [
    "Abs": .absolute, "Acos": .arcCosine, "Acosh": .inverseHyperbolicCosine, "Asin": .arcSine,
    "Asinh": .inverseHyperbolicSine, "Atan": .arcTangent, "Atanh": .inverseHyperbolicTangent,
    "Ceil": .ceiling,
    "Cos": .cosine, "Cosh": .hyperbolicCosine, "Erf": .errorFunction, "Floor": .floor,
    "Log": .logarithm, "Neg": .negative, "Reciprocal": .reciprocal, "Round": .round,
    "Sign": .sign, "Sin": .sine, "Sinh": .hyperbolicSine, "Sqrt": .squareRoot, "Tan": .tangent,
  ]

  private static let own: [String: ONNXLayer.Build] = [
    "Add": { (layer) throws(WeighbridgeError) in
      let values = try layer.allInputs()
      if let sum = try layer.biased(values) { return sum }
      return try layer.apply(Add(), try layer.aligned(values))
    },
    "Cast": { (layer) throws(WeighbridgeError) in
      layer.ignore("saturate", "round_mode")
      guard let number = try layer.integer("to"), let type = ElementType(onnxNumber: number)
      else { throw layer.unsupported("a Cast to another type than those of numbers") }
      let input = try layer.input()
      if layer.type(input).elementType == type { return [input] }
      // Files written by TensorFlow's tools cast shapes to int32 and back.
      if case .dimensions(let dimensions, let isList, _) = input, [.int32, .int64].contains(type) {
        return [.dimensions(dimensions, isList: isList, as: type)]
      }
      return [try layer.apply(Cast(to: type), to: input)]
    },
    "CastLike": { (layer) throws(WeighbridgeError) in
      let type = layer.type(try layer.input(1)).elementType
      return [try layer.apply(Cast(to: type), to: try layer.input(0))]
    },
    "Clip": { (layer) throws(WeighbridgeError) in
      let minimum = try layer.number(1, orSetting: "min") ?? -.infinity
      let maximum = try layer.number(2, orSetting: "max") ?? .infinity
      guard minimum <= maximum else {
        throw layer.unsupported("a Clip to \(minimum)...\(maximum)")
      }
      let input = try layer.input()
      if minimum == 0, maximum.isFinite {
        let rectifier = ReLU(slope: 0, threshold: 0, maximum: maximum)
        return [try layer.apply(rectifier, to: input)]
      }
      return [try layer.apply(Clip(minimum: minimum, maximum: maximum), to: input)]
    },
    "Div": { (layer) throws(WeighbridgeError) in
      let values = try layer.aligned([try layer.input(0), try layer.input(1)])
      guard !layer.type(values[0]).elementType.isFloat else {
        return try layer.apply(BinaryMath(.divide), values)
      }
      // The quotient of integers is rounded towards 0.
      let rest = try layer.apply(BinaryMath(.truncatedModulo), values, role: "rest")
      let whole = try layer.apply(Subtract(), to: values[0], rest[0], role: "whole")
      return try layer.apply(BinaryMath(.floorDivide), [whole, values[1]])
    },
    "Exp": plain { Exponential() },
    "Max": combining { Maximum() },
    "Mean": combining { Average() },
    "Min": combining { Minimum() },
    "Mod": { (layer) throws(WeighbridgeError) in
      let isTruncated = try layer.flag("fmod")
      let values = try layer.aligned([try layer.input(0), try layer.input(1)])
      return try layer.apply(
        BinaryMath(isTruncated ? .truncatedModulo : .floorModulo), values)
    },
    "Mul": { (layer) throws(WeighbridgeError) in
      let values = try layer.allInputs()
      if let dimensions = ONNXDimension.product(values) { return [dimensions] }
      return try layer.apply(Multiply(), try layer.aligned(values))
    },
    "Pow": { (layer) throws(WeighbridgeError) in
      var values = try layer.aligned([try layer.input(0), try layer.input(1)])
      let type = layer.type(values[0]).elementType
      if layer.type(values[1]).elementType != type {
        values[1] = try layer.apply(Cast(to: type), to: values[1], role: "exponent")
      }
      return try layer.apply(BinaryMath(.power), values)
    },
    "Sub": combining { Subtract() },
    "Sum": combining { Add() },
  ]
}

extension ONNXGraphBuilder {
  fileprivate mutating func unary(_ function: UnaryMath.Function) -> String? {
    let x = input()
    if let own = ONNXArithmetic.functions.first(where: { $0.value == function }) {
      return add(own.key, [x])
    }
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

  /// Whether a remainder is not 0 and its sign differs from the divisor's.
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

extension ONNXLayer {
  /// A dense layer with a bias, in place of one without a bias and an addition; `nil` for other
  /// inputs.
  fileprivate mutating func biased(
    _ values: [ONNXValue]
  ) throws(WeighbridgeError) -> [ONNXValue]? {
    guard values.count == 2 else { return nil }
    for (product, bias) in [(values[0], values[1]), (values[1], values[0])] {
      guard case .computed(let id) = product, case .constant(_, let tensor) = bias,
        case (is Dense, let inputs)? = network.makers[id], inputs.count == 2,
        let units = type(product).shape.last?.value,
        tensor.count == units, tensor.shape.last == units
      else { continue }
      let flat = try derived(bias, "") { $0.reshaped([units]) }
      return try apply(Dense(hasBias: true), inputs.map { .computed($0) } + [flat])
    }
    return nil
  }
}
