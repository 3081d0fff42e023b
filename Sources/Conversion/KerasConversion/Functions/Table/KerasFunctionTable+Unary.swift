import Bytes
import GraphIR
import JSON
import KerasFormat
import LayerCatalog

/// Elementwise functions of one tensor.
extension KerasFunctionTable {
  static let unary =
    entries(unaryNames) { (call, function) throws(WeighbridgeError) in
      let value = try call.tensor("x", "a", at: 0)
      if function == .round {
        try call.require("decimals", toBe: 0, because: "only whole numbers are rounded to")
      }
      return try call.addUnary(function, value)
    }
    + entries([
      Names(["ZerosLike"], tf: ["zeros_like"], 0.0), Names(["OnesLike"], tf: ["ones_like"], 1.0),
    ]) { (call, number) throws(WeighbridgeError) in
      try call.addFill(try KerasConstant(.real(number)))
    } + copies

  static let unaryNames: [Names<UnaryMath.Function>] = [
    Names(["Absolute", "Abs"], tf: ["math.abs", "abs"], .absolute),
    Names(["Negative"], tf: ["math.negative", "negative"], .negative),
    Names(["Sign"], tf: ["math.sign", "sign"], .sign),
    Names(["Square"], tf: ["math.square", "square"], .square),
    Names(["Reciprocal"], tf: ["math.reciprocal"], .reciprocal),
    Names(["Sqrt"], tf: ["math.sqrt", "sqrt"], .squareRoot),
    Names(["Rsqrt"], tf: ["math.rsqrt"], .reciprocalSquareRoot, module: "math"),
    Names(["Exp2"], .exponential2),
    Names(["Expm1"], tf: ["math.expm1"], .exponentialMinusOne),
    Names(["Log"], tf: ["math.log"], .logarithm),
    Names(["Log1p"], tf: ["math.log1p"], .logarithmOfOnePlus),
    Names(["Log2"], .logarithm2),
    Names(["Log10"], .logarithm10),
    Names(["Sin"], tf: ["math.sin", "sin"], .sine),
    Names(["Cos"], tf: ["math.cos", "cos"], .cosine),
    Names(["Tan"], tf: ["math.tan", "tan"], .tangent),
    Names(["Arcsin"], tf: ["math.asin", "asin"], .arcSine),
    Names(["Arccos"], tf: ["math.acos", "acos"], .arcCosine),
    Names(["Arctan"], tf: ["math.atan", "atan"], .arcTangent),
    Names(["Sinh"], tf: ["math.sinh", "sinh"], .hyperbolicSine),
    Names(["Cosh"], tf: ["math.cosh", "cosh"], .hyperbolicCosine),
    Names(["Arcsinh"], tf: ["math.asinh", "asinh"], .inverseHyperbolicSine),
    Names(["Arccosh"], tf: ["math.acosh", "acosh"], .inverseHyperbolicCosine),
    Names(["Arctanh"], tf: ["math.atanh", "atanh"], .inverseHyperbolicTangent),
    Names(["Floor"], tf: ["math.floor", "floor"], .floor),
    Names(["Ceil"], tf: ["math.ceil"], .ceiling),
    Names(["Round"], tf: ["math.round", "round", "math.rint"], .round),
    Names(["Trunc"], .truncate),
    Names(["Erf"], tf: ["math.erf"], .errorFunction, module: "math"),
    Names(["Erfc"], tf: ["math.erfc"], .complementaryErrorFunction, module: nil),
  ]

  /// The exponential function, which is an operator of its own, functions that copy or cast, and
  /// `FullLike`.
  private static let copies: [Entry] = [
    Entry(["Exp"], tf: ["math.exp", "exp"]) { (call) throws(WeighbridgeError) in
      try call.add(Exponential(), [try call.floating(try call.tensor("x", at: 0))])
    },
    Entry(["Fabs"]) { (call) throws(WeighbridgeError) in
      try call.add(UnaryMath(.absolute), [try call.floating(try call.tensor("x", at: 0))])
    },
    Entry(
      ["StopGradient", "Copy", "Array"],
      tf: ["identity", "stop_gradient", "convert_to_tensor", "ensure_shape"]
    ) { (call) throws(WeighbridgeError) in
      call.ignore("shape", "dtype_hint", "variable")
      return try call.addCopy(
        of: try call.tensor("x", "input", at: 0), to: try call.elementType("dtype"))
    },
    Entry(["ConvertToTensor"]) { (call) throws(WeighbridgeError) in
      // In Keras 3.7 to 3.10 no type means float32.
      let versions = KerasVersion(3, 7)..<KerasVersion(3, 11)
      let type = versions.contains(call.layer.version) ? ElementType.float32 : nil
      call.ignore("sparse", "ragged")
      return try call.addCopy(
        of: try call.tensor("x", at: 0), to: try call.elementType("dtype") ?? type)
    },
    Entry(["Cast"], tf: ["cast"]) { (call) throws(WeighbridgeError) in
      let value = try call.tensor("x", at: 0)
      guard let type = try call.elementType("dtype") else { throw call.missing("dtype") }
      let outputs = try call.addCopy(of: value, to: type)
      if !type.isFloat {
        call.layer.network.knownDimensions[outputs[0]] = call.layer.network.knownDimensions[value]
      }
      return outputs
    },
    Entry(["FullLike"]) { (call) throws(WeighbridgeError) in
      guard let number = try call.constant("fill_value", at: 1) else {
        throw call.missing("fill_value")
      }
      return try call.addFill(number)
    },
  ]
}

extension KerasFunction {
  /// Adds a function of each element, of integers as Keras 3 or TensorFlow computes it.
  fileprivate mutating func addUnary(
    _ function: UnaryMath.Function, _ value: ValueID
  ) throws(WeighbridgeError) -> [ValueID] {
    let type = type(of: value).elementType
    guard !type.isFloat else { return try add(UnaryMath(function), [value]) }
    switch function {
    // These are whole numbers.
    case .round where type.isInteger: return try add(Identity(), [value])
    case .truncate where isOperation: return try add(Identity(), [value])
    case .absolute where isOperation && !type.isSignedInteger: return try add(Identity(), [value])
    case .sign where isOperation && !type.isSignedInteger:
      // Numbers from 2^31 on become negative.
      let signed = try converted(value, to: .int32, role: "signed")
      return try add(Cast(to: type), [try addOne(UnaryMath(.sign), [signed], role: "sign")])
    case .square where isOperation && type == .bool:
      return try add(UnaryMath(.square), [try converted(value, to: .int32)])
    default:
      return try add(
        UnaryMath(function), [function.takesIntegers ? value : try floating(value)])
    }
  }

  /// Adds a copy of a value in a type; `nil` for its own.
  fileprivate mutating func addCopy(
    of value: ValueID, to type: ElementType?
  ) throws(WeighbridgeError) -> [ValueID] {
    guard let type, type != self.type(of: value).elementType else {
      return try add(Identity(), [value])
    }
    return try add(Cast(to: type), [value])
  }

  /// Adds a tensor with the shape of the first argument, filled with a number.
  fileprivate mutating func addFill(_ number: KerasConstant) throws(WeighbridgeError) -> [ValueID] {
    var value = try tensor("x", "input", at: 0)
    ignore("optimize")
    if let type = try elementType("dtype"), type != self.type(of: value).elementType {
      value = try addOne(Cast(to: type), [value], role: "cast")
    }
    let type = self.type(of: value).elementType
    return try add(FullLike(value: try element(number, of: type, default: 0)), [value])
  }
}
