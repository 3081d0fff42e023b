import Bytes
import GraphIR
import JSON
import KerasFormat
import LayerCatalog

/// Functions of each element by itself.
extension KerasFunctionTable {
  static let unary: [Entry] =
    [
      math(["Absolute", "Abs"], ["math.abs", "abs"], .absolute),
      math(["Negative"], ["math.negative", "negative"], .negative),
      math(["Sign"], ["math.sign", "sign"], .sign),
      math(["Square"], ["math.square", "square"], .square),
      math(["Reciprocal"], ["math.reciprocal"], .reciprocal),
      math(["Sqrt"], ["math.sqrt", "sqrt"], .squareRoot),
      math(["Rsqrt"], ["math.rsqrt"], .reciprocalSquareRoot),
      math(["Exp2"], [], .exponential2),
      math(["Expm1"], ["math.expm1"], .exponentialMinusOne),
      math(["Log"], ["math.log"], .logarithm),
      math(["Log1p"], ["math.log1p"], .logarithmOfOnePlus),
      math(["Log2"], [], .logarithm2),
      math(["Log10"], [], .logarithm10),
      math(["Sin"], ["math.sin", "sin"], .sine),
      math(["Cos"], ["math.cos", "cos"], .cosine),
      math(["Tan"], ["math.tan", "tan"], .tangent),
      math(["Arcsin"], ["math.asin", "asin"], .arcSine),
      math(["Arccos"], ["math.acos", "acos"], .arcCosine),
      math(["Arctan"], ["math.atan", "atan"], .arcTangent),
      math(["Sinh"], ["math.sinh", "sinh"], .hyperbolicSine),
      math(["Cosh"], ["math.cosh", "cosh"], .hyperbolicCosine),
      math(["Arcsinh"], ["math.asinh", "asinh"], .areaSine),
      math(["Arccosh"], ["math.acosh", "acosh"], .areaCosine),
      math(["Arctanh"], ["math.atanh", "atanh"], .areaTangent),
      math(["Floor"], ["math.floor", "floor"], .floor),
      math(["Ceil"], ["math.ceil"], .ceiling),
      math([], ["math.round", "round", "math.rint"], .round),
      math(["Trunc"], [], .truncate),
      math(["Erf"], ["math.erf"], .errorFunction),
      math(["Erfc"], ["math.erfc"], .complementaryErrorFunction),
      Entry(["Exp"], tf: ["math.exp", "exp"]) { (call) throws(WeighbridgeError) in
        try call.add(Exponential(), [try call.floating(try call.tensor("x", at: 0))])
      },
      Entry(["Round"]) { (call) throws(WeighbridgeError) in
        let value = try call.tensor("x", at: 0)
        try call.require("decimals", toBe: 0, because: "only whole numbers are rounded to")
        return try call.add(UnaryMath(.round), [value])
      },
    ] + copies

  /// Functions that give the same numbers, or one number everywhere.
  private static let copies: [Entry] = [
    Entry(
      ["StopGradient", "Copy", "ConvertToTensor"],
      tf: ["identity", "stop_gradient", "convert_to_tensor", "ensure_shape"]
    ) { (call) throws(WeighbridgeError) in
      let value = try call.tensor("x", "input", at: 0)
      call.ignore("shape", "sparse", "ragged", "dtype_hint", "variable")
      if let type = try call.elementType("dtype"), type != call.type(of: value).elementType {
        return try call.add(Cast(to: type), [value])
      }
      return try call.add(Identity(), [value])
    },
    Entry(["Cast"], tf: ["cast"]) { (call) throws(WeighbridgeError) in
      let value = try call.tensor("x", at: 0)
      guard let type = try call.elementType("dtype") else { throw call.missing("dtype") }
      let outputs =
        type == call.type(of: value).elementType
        ? try call.add(Identity(), [value]) : try call.add(Cast(to: type), [value])
      if !type.isFloat {
        call.layer.network.knownDimensions[outputs[0]] = call.layer.network.knownDimensions[value]
      }
      return outputs
    },
    Entry(["ZerosLike"], tf: ["zeros_like"]) {
      (call) throws(WeighbridgeError) in try call.addFill(0)
    },
    Entry(["OnesLike"], tf: ["ones_like"]) {
      (call) throws(WeighbridgeError) in try call.addFill(1)
    },
    Entry(["FullLike"]) { (call) throws(WeighbridgeError) in
      try call.addFill(try call.real("fill_value", at: 1))
    },
  ]

  private static func math(
    _ operations: [String], _ tensorFlow: [String], _ function: UnaryMath.Function
  ) -> Entry {
    Entry(operations, tf: tensorFlow) { (call) throws(WeighbridgeError) in
      let value = try call.tensor("x", "a", at: 0)
      let keepsType = function.takesIntegers
      return try call.add(
        UnaryMath(function), [keepsType ? value : try call.floating(value)])
    }
  }
}

extension KerasFunction {
  /// Adds a tensor of one number, shaped as the first argument.
  fileprivate mutating func addFill(_ number: Double) throws(WeighbridgeError) -> [ValueID] {
    var value = try tensor("x", "input", at: 0)
    ignore("optimize")
    if let type = try elementType("dtype"), type != self.type(of: value).elementType {
      value = try addOne(Cast(to: type), [value], role: "cast")
    }
    return try add(FullLike(number: number), [value])
  }
}
