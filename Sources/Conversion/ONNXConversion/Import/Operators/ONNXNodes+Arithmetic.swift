import Bytes
import ConversionCore
import GraphIR
import LayerCatalog
import ONNXFormat

extension ONNXNodes {
  /// Functions of mathematics.
  static let arithmetic: [String: ONNXLayer.Build] =
    unary.mapValues { function in plain { UnaryMath(function) } }.merging([
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
        // Shapes go through int32 in what TensorFlow's tools write.
        if case .dimensions(let dimensions, let isList, _) = input, [.int32, .int64].contains(type)
        {
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
        // Of whole numbers the quotient is rounded towards 0.
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
    ]) { first, _ in first }

  private static let unary: [String: UnaryMath.Function] = [
    "Abs": .absolute, "Acos": .arcCosine, "Acosh": .areaCosine, "Asin": .arcSine,
    "Asinh": .areaSine, "Atan": .arcTangent, "Atanh": .areaTangent, "Ceil": .ceiling,
    "Cos": .cosine, "Cosh": .hyperbolicCosine, "Erf": .errorFunction, "Floor": .floor,
    "Log": .logarithm, "Neg": .negative, "Reciprocal": .reciprocal, "Round": .round,
    "Sign": .sign, "Sin": .sine, "Sinh": .hyperbolicSine, "Sqrt": .squareRoot, "Tan": .tangent,
  ]
}

extension ONNXLayer {
  /// A dense layer with its bias, in place of one without and a sum; `nil` when the inputs are others.
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
