import Bytes
import GraphIR

/// Inverse functions and the error function in terms of functions that every format has.
extension UnaryMath {
  func composedInverse(_ make: inout Composition) throws(WeighbridgeError) -> ValueID {
    let x = make.inputs[0]
    switch function {
    case .arcSine:
      let (below, above) = try distancesFromOne(&make)
      return try make(
        UnaryMath(.arcTangent), try make.quotient(x, try make.product(below, above)))
    case .arcCosine:
      let (below, above) = try distancesFromOne(&make)
      return try make.linear(
        try make(UnaryMath(.arcTangent), try make.quotient(below, above)), scale: 2)
    case .inverseHyperbolicSine:
      let magnitude = try make(UnaryMath(.absolute), x)
      let root = try make.squareRoot(try make.offset(try make.product(x, x), by: 1))
      let inverse = try make(UnaryMath(.logarithm), try make.sum(magnitude, root))
      return try make.product(try make(UnaryMath(.sign), x), inverse)
    case .inverseHyperbolicCosine:
      let below = try make.squareRoot(try make.offset(x, by: -1))
      let above = try make.squareRoot(try make.offset(x, by: 1))
      return try make(UnaryMath(.logarithm), try make.sum(x, try make.product(below, above)))
    case .inverseHyperbolicTangent:
      let above = try make(UnaryMath(.logarithm), try make.offset(x, by: 1))
      let below = try make(UnaryMath(.logarithm), try make.linear(x, scale: -1, offset: 1))
      return try make.linear(try make.difference(above, below), scale: 0.5)
    default: return try composedErrorFunction(&make)
    }
  }

  /// √(1 - x) and √(1 + x).
  private func distancesFromOne(
    _ make: inout Composition
  ) throws(WeighbridgeError) -> (below: ValueID, above: ValueID) {
    let x = make.inputs[0]
    return (
      try make.squareRoot(try make.linear(x, scale: -1, offset: 1)),
      try make.squareRoot(try make.offset(x, by: 1))
    )
  }

  /// The factors of t, t², ... in p(t), which were fitted with equal largest errors.
  private static let errorFunctionFactors = [
    0.22611682424013324, 0.21875644003103492, 0.2564487464509302, -0.032143478436277295,
    0.6754005447201704, -0.9496563437504828, 1.269620692277537, -0.9868651424572292,
    0.36714036022266333, -0.02898105107048951, -0.02065589592033376, 0.004818303692398176,
  ]

  /// sign(x) (1 - p(t) exp(-x²)) with t = 1 / (1 + 0.4 |x|), which differs from erf(x) by at most
  /// 1e-13.
  private func composedErrorFunction(
    _ make: inout Composition
  ) throws(WeighbridgeError) -> ValueID {
    let (x, factors) = (make.inputs[0], Self.errorFunctionFactors)
    let magnitude = try make(UnaryMath(.absolute), x)
    let t = try make(UnaryMath(.reciprocal), try make.linear(magnitude, scale: 0.4, offset: 1))
    var sum = try make.linear(
      t, scale: factors[factors.count - 1], offset: factors[factors.count - 2])
    for factor in factors.dropLast(2).reversed() {
      sum = try make.offset(try make.product(sum, t), by: factor)
    }
    let square = try make(UnaryMath(.negative), try make.product(x, x))
    let rest = try make.product(try make.product(sum, t), try make(Exponential(), square))
    return try make.product(
      try make(UnaryMath(.sign), x), try make.linear(rest, scale: -1, offset: 1))
  }
}
