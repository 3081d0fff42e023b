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
    ONNXRow(native: Cast.self) { (operation, builder) throws(WeighbridgeError) in
      operation.overflow == .saturate
        ? nil : builder.cast(builder.input(), to: operation.elementType)
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
      return builder.add("Expand", [builder.number(operation.value), shape])
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
      guard operation.isPrimitive else { return nil }
      let x = builder.input()
      let scaled =
        operation.scale == [1] ? x : builder.add("Mul", [x, builder.number(operation.scale[0])])
      return operation.offset == [0]
        ? scaled : builder.add("Add", [scaled, builder.number(operation.offset[0])])
    },
  ]

  static let nodes = [String: ONNXLayer.Build](families: [
    functions.mapValues { function in unary { UnaryMath(function) } }, special,
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

  private static let special: [String: ONNXLayer.Build] = [
    "Add": { (layer) throws(WeighbridgeError) in
      let values = try layer.allInputs()
      if let dense = try layer.denseWithBias(values) { return dense }
      return try layer.apply(Add(), try layer.aligned(values))
    },
    "Cast": { (layer) throws(WeighbridgeError) in
      guard let number = try layer.integer("to") else {
        throw layer.malformed("has no attribute to, which names the type to convert to")
      }
      return [try layer.cast(try layer.input(), toTypeNumbered: number)]
    },
    "CastLike": { (layer) throws(WeighbridgeError) in
      let type = layer.type(try layer.input(1)).elementType
      let number = layer.narrowType(1)?.rawValue ?? Int(type.onnxNumber)
      return [try layer.cast(try layer.input(0), toTypeNumbered: number)]
    },
    "Clip": { (layer) throws(WeighbridgeError) in
      let input = try layer.input()
      guard layer.type(input).elementType.isFloat else {
        return [try layer.clippedAnywhere(input)]
      }
      guard try layer.hasConstantBounds else { return [try layer.clippedAnywhere(input)] }
      let minimum = try layer.number(1, orAttribute: "min") ?? -.infinity
      let maximum = try layer.number(2, orAttribute: "max") ?? .infinity
      guard minimum <= maximum else {
        return [try layer.apply(FullLike(value: maximum), to: input)]
      }
      if minimum == 0, maximum.isFinite {
        let relu = ReLU(slope: 0, threshold: 0, maximum: maximum)
        return [try layer.apply(relu, to: input)]
      }
      return [try layer.apply(Clip(minimum: minimum, maximum: maximum), to: input)]
    },
    "Div": { (layer) throws(WeighbridgeError) in
      let values = try layer.aligned([try layer.input(0), try layer.input(1)])
      guard !layer.type(values[0]).elementType.isFloat else {
        return try layer.apply(BinaryMath(.divide), values)
      }
      // The quotient of integers is truncated.
      let remainder = try layer.apply(BinaryMath(.truncatedModulo), values, role: "rest")
      let multiple = try layer.apply(Subtract(), to: values[0], remainder[0], role: "whole")
      return try layer.apply(BinaryMath(.floorDivide), [multiple, values[1]])
    },
    "Exp": unary { Exponential() },
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
      let values = try layer.aligned([try layer.input(0), try layer.input(1)])
      return [try layer.power(values[0], values[1])]
    },
    "Sub": combining { Subtract() },
    "Sum": combining { Add() },
  ]
}

extension ONNXGraphBuilder {
  fileprivate mutating func unary(_ function: UnaryMath.Function) -> String? {
    let node = ONNXArithmetic.functions.first { $0.value == function }
    return node.map { add($0.key, [input()]) }
  }

  fileprivate mutating func binary(_ function: BinaryMath.Function) -> String? {
    let (lhs, rhs) = (input(0), input(1))
    switch function {
    case .divide: return add("Div", [lhs, rhs])
    case .floorDivide: return floorQuotient(lhs, rhs)
    case .floorModulo: return floorRemainder(lhs, rhs)
    case .truncatedModulo: return add("Mod", [lhs, rhs], ["fmod": .integer(1)])
    case .power: return add("Pow", [lhs, rhs])
    case .divideNoNaN, .arcTangent2, .squaredDifference, .hypotenuse, .logAddExp: return nil
    }
  }

  private mutating func floorRemainder(_ lhs: String, _ rhs: String) -> String {
    guard elementType.isFloat else { return add("Mod", [lhs, rhs]) }
    let (remainder, zero) = (add("Mod", [lhs, rhs], ["fmod": .integer(1)]), number(0))
    return select(
      hasOppositeSign(remainder, rhs), add("Add", [remainder, rhs]),
      add("Add", [remainder, zero]))
  }

  private mutating func floorQuotient(_ lhs: String, _ rhs: String) -> String {
    if elementType.isFloat { return add("Floor", [add("Div", [lhs, rhs])]) }
    let quotient = add("Div", [lhs, rhs])
    let remainder = add("Sub", [lhs, add("Mul", [quotient, rhs])])
    return select(hasOppositeSign(remainder, rhs), add("Sub", [quotient, number(1)]), quotient)
  }

  /// Adds a Boolean: whether a remainder is not 0 and its sign differs from the divisor's.
  private mutating func hasOppositeSign(_ remainder: String, _ divisor: String) -> String {
    let zero = number(0)
    let isNonzero = add("Not", [add("Equal", [remainder, zero])])
    let signs = [remainder, divisor].map { add("Less", [$0, zero]) }
    return add("And", [isNonzero, add("Xor", signs)])
  }
}

extension ONNXLayer {
  /// Whether the bounds of a Clip are known beforehand.
  fileprivate var hasConstantBounds: Bool {
    get throws(WeighbridgeError) {
      for position in 1...2 where try optional(position)?.tensor == nil {
        if try optional(position) != nil { return false }
      }
      return true
    }
  }

  /// Adds the elements limited to a minimum and a maximum, each of which may be omitted or computed:
  /// min(max(x, minimum), maximum).
  fileprivate mutating func clippedAnywhere(
    _ input: ONNXValue
  ) throws(WeighbridgeError) -> ONNXValue {
    let rank = type(input).rank
    let (minimum, maximum) = (try bound(1, rank: rank), try bound(2, rank: rank))
    var result = input
    if let minimum {
      result = try apply(Maximum(), to: result, minimum, role: maximum == nil ? "" : "lower")
    }
    if let maximum { result = try apply(Minimum(), to: result, maximum) }
    return result
  }

  /// Returns a bound of a Clip with axes of size 1; `nil` when it is omitted.
  private mutating func bound(_ position: Int, rank: Int) throws(WeighbridgeError) -> ONNXValue? {
    guard let bound = try optional(position) else { return nil }
    let name = node.inputs[position]
    guard type(bound).shape.allSatisfy({ $0 == .fixed(1) }) else {
      throw malformed("reads \(name), which is \(type(bound)), and one element is expected")
    }
    let ones = [Int](repeating: 1, count: rank)
    guard let tensor = bound.tensor else {
      return try apply(ReshapeAxes(ones.map { .fixed($0) }), to: bound, role: "bound_\(position)")
    }
    return .constant(name, tensor.reshaped(ones))
  }

  /// Adds a power, which has the element type of the base.
  ///
  /// Integers are raised to floating-point exponents in float64 and the results truncated, as in
  /// onnxruntime.
  fileprivate mutating func power(
    _ base: ONNXValue, _ exponent: ONNXValue
  ) throws(WeighbridgeError) -> ONNXValue {
    let (baseType, exponentType) = (type(base).elementType, type(exponent).elementType)
    // Every integer type has the integers up to 127.
    let isSmallInteger = exponent.tensor?.doubles.allSatisfy {
      (0...127).contains($0) && $0 == $0.rounded()
    }
    guard !baseType.isFloat, exponentType.isFloat, isSmallInteger != true else {
      let exponent = try cast(exponent, to: baseType, role: "exponent")
      return try apply(BinaryMath(.power), to: base, exponent)
    }
    let power = try apply(
      BinaryMath(.power), to: try cast(base, to: .float64, role: "base"),
      try cast(exponent, to: .float64, role: "exponent"), role: "power")
    return try apply(Cast(to: baseType), to: power)
  }

  /// Returns a value in another element type.
  private mutating func cast(
    _ value: ONNXValue, to type: ElementType, role: String
  ) throws(WeighbridgeError) -> ONNXValue {
    if self.type(value).elementType == type { return value }
    return try apply(Cast(to: type), to: value, role: role)
  }

  /// Adds a dense layer with a bias instead of the sum of one without a bias and a constant;
  /// returns `nil` for other inputs.
  fileprivate mutating func denseWithBias(
    _ values: [ONNXValue]
  ) throws(WeighbridgeError) -> [ONNXValue]? {
    guard values.count == 2 else { return nil }
    for (product, bias) in [(values[0], values[1]), (values[1], values[0])] {
      guard case .computed(let id) = product, case .constant(_, let tensor) = bias,
        case (is Dense, let inputs)? = network.producers[id], inputs.count == 2,
        let units = type(product).shape.last?.value,
        tensor.count == units, tensor.shape.last == units
      else { continue }
      let flat = try derived(bias, "") { $0.reshaped([units]) }
      return try apply(Dense(hasBias: true), inputs.map { .computed($0) } + [flat])
    }
    return nil
  }
}
