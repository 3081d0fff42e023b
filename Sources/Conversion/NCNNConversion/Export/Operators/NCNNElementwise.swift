import Bytes
import ConversionCore
import GraphIR
import LayerCatalog

/// Elementwise functions of one and two blobs. A condition is 1 for true and 0 for false.
enum NCNNElementwise {
  static let rows: [NCNNRow] =
    layers + conditions + [
      NCNNRow(blob: BinaryMath.self) { (operation, builder) throws(WeighbridgeError) in
        switch operation.function {
        case .divide: return try builder.chain(.divide)
        case .power: return try power(&builder)
        default: return nil
        }
      },
      NCNNRow(blob: UnaryMath.self) { (operation, builder) throws(WeighbridgeError) in
        if operation.function == .errorFunction { return try builder.add("Erf") }
        return try unary(operation.function, try builder.input(), &builder)
      },
      NCNNRow(blob: Rescaling.self) { (operation, builder) throws(WeighbridgeError) in
        guard operation.scale.count == 1, operation.offset.count == 1 else { return nil }
        let product = try builder.binary(.multiply, try builder.input(), operation.scale[0])
        return operation.offset == [0]
          ? product : try builder.binary(.add, product, operation.offset[0])
      },
    ]

  /// The functions of `UnaryOp`, by the number of its setting.
  private static let functions: [UnaryMath.Function?] = [
    .absolute, .negative, .floor, .ceiling, .square, .squareRoot, .reciprocalSquareRoot, nil,
    .logarithm, .sine, .cosine, .tangent, .arcSine, .arcCosine, .arcTangent, .reciprocal, nil,
    .logarithm10, .round, .truncate,
  ]

  /// Adds a function of `UnaryOp`; returns `nil` for one that ncnn does not have.
  private static func unary(
    _ function: UnaryMath.Function, _ x: NCNNBlob, _ builder: inout NCNNBuilder
  ) throws(WeighbridgeError) -> NCNNBlob? {
    guard let number = functions.firstIndex(of: function) else { return nil }
    return try builder.unary(number, x)
  }

  /// Adds a power of positive constants, or one with a constant exponent.
  ///
  /// ncnn computes x^y as exp(y log x), whose logarithm is a large finite number for x <= 0. Whole
  /// exponents become products. Other powers of negative numbers are NaN in any case, and the
  /// smallest normal number in place of 0 gives 0 or a very large number.
  private static func power(_ builder: inout NCNNBuilder) throws(WeighbridgeError) -> NCNNBlob? {
    if let bases = builder.operands[0].constant, bases.doubles.allSatisfy({ $0 > 0 }) {
      return try builder.chain(.power)
    }
    guard let exponents = builder.operands[1].constant, exponents.count == 1,
      let exponent = exponents.doubles.first, exponent.isFinite, exponent != 0
    else {
      throw .unsupported(
        "ncnn computes powers of positive numbers only, unless the exponent is one constant, not 0")
    }
    let x = try builder.input()
    switch exponent {
    case 0.5: return try unary(.squareRoot, x, &builder)
    case -0.5: return try unary(.reciprocalSquareRoot, x, &builder)
    case _ where exponent.rounded() == exponent:
      guard exponent.magnitude <= 64 else {
        throw .unsupported(
          "raises to the power \(exponent); at most 64 in magnitude is written for ncnn")
      }
      let product = try power(x, Int(exponent.magnitude), &builder)
      return exponent > 0 ? product : try unary(.reciprocal, product, &builder)
    default:
      let base = try builder.binary(.maximum, x, Double(Float.leastNormalMagnitude))
      return try builder.binary(.power, base, exponent)
    }
  }

  /// Adds a power with a positive whole exponent as squares and products.
  private static func power(
    _ x: NCNNBlob, _ exponent: Int, _ builder: inout NCNNBuilder
  ) throws(WeighbridgeError) -> NCNNBlob {
    if exponent == 1 { return x }
    if exponent == 2 { return try builder.unary(squareNumber, x) }
    let half = try power(x, exponent / 2, &builder)
    let square = try builder.unary(squareNumber, half)
    return exponent % 2 == 0 ? square : try builder.binary(.multiply, square, x)
  }

  /// The number of the square in ``functions``.
  private static let squareNumber = 4

  private static let layers: [NCNNRow] = [
    NCNNRow(Add.self, chain: .add), NCNNRow(LogicalAnd.self, chain: .multiply),
    NCNNRow(LogicalOr.self, chain: .maximum), NCNNRow(Maximum.self, chain: .maximum),
    NCNNRow(Minimum.self, chain: .minimum), NCNNRow(Multiply.self, chain: .multiply),
    NCNNRow(Subtract.self, chain: .subtract), NCNNRow(CELU.self, is: "CELU") { [$0.alpha] },
    NCNNRow(Clip.self, is: "Clip") { [$0.minimum, $0.maximum] },
    NCNNRow(ELU.self, is: "ELU") { [$0.alpha] },
    NCNNRow(blob: HardShrink.self) { (operation, builder) throws(WeighbridgeError) in
      try shrink(by: 0, beyond: operation.threshold, &builder)
    },
    NCNNRow(HardSigmoid.self, is: "HardSigmoid") { [$0.slope, $0.offset] },
    NCNNRow(HardSwish.self, is: "HardSwish") { _ in [1 / 6, 0.5] },
    NCNNRow(LeakyReLU.self, is: "ReLU") { [$0.slope] },
    NCNNRow(Mish.self, is: "Mish"), NCNNRow(SELU.self, is: "SELU"),
    NCNNRow(Sigmoid.self, is: "Sigmoid"), NCNNRow(Swish.self, is: "Swish"),
    NCNNRow(blob: SoftShrink.self) { (operation, builder) throws(WeighbridgeError) in
      try shrink(by: operation.threshold, beyond: operation.threshold, &builder)
    },
    NCNNRow(Tanh.self, is: "TanH"),
    NCNNRow(blob: Exponential.self) { (_, builder) throws(WeighbridgeError) in
      try builder.unary(7, try builder.input())
    },
    NCNNRow(GELU.self, is: "GELU", integers: { [$0.isApproximate ? 1 : 0] }),
    NCNNRow(blob: ReLU.self) { (operation, builder) throws(WeighbridgeError) in
      guard operation.isPrimitive else { return nil }
      let activated: NCNNBlob = try builder.add("ReLU", floats: [0: operation.slope])
      guard let maximum = operation.maximum else { return activated }
      return try builder.binary(.minimum, activated, maximum)
    },
    NCNNRow(blob: PReLU.self) { (_, builder) throws(WeighbridgeError) in
      let alpha = try builder.tensor(1)
      guard alpha.shape.dropFirst().allSatisfy({ $0 == 1 }) else { return nil }
      return try builder.add("PReLU", nil, [0: alpha.count], weights: [alpha])
    },
  ]

  /// Adds `Shrink`, which keeps NaN.
  private static func shrink(
    by bias: Double, beyond threshold: Double, _ builder: inout NCNNBuilder
  ) throws(WeighbridgeError) -> NCNNBlob {
    try builder.requireFinite(0..<1)
    return try builder.add("Shrink", floats: [0: bias, 1: threshold])
  }

  private static let conditions: [NCNNRow] = [
    NCNNRow(blob: Cast.self) { (operation, builder) throws(WeighbridgeError) in
      if operation.overflow == .saturate { return nil }
      let x = try builder.input()
      if operation.elementType == .bool {
        try builder.requireFinite(0..<1)
        return try builder.positiveMask(try builder.unary(0, x))
      }
      let losesFraction = builder.type().elementType.isFloat && !operation.elementType.isFloat
      return losesFraction ? try builder.unary(19, x) : x
    },
    NCNNRow(blob: Comparison.self) { (operation, builder) throws(WeighbridgeError) in
      // That NaN is neither greater nor less is all that the difference says.
      if operation.relation != .greater, operation.relation != .less {
        try builder.requireFinite(0..<2)
      }
      let difference = try builder.chain(.subtract)
      let isGreater = try builder.positiveMask(difference)
      let isLess = try builder.positiveMask(try builder.unary(1, difference))
      switch operation.relation {
      case .greater: return isGreater
      case .less: return isLess
      case .lessOrEqual: return try builder.logicalNot(isGreater)
      case .greaterOrEqual: return try builder.logicalNot(isLess)
      case .notEqual: return try builder.binary(.add, isGreater, isLess)
      case .equal: return try builder.logicalNot(try builder.binary(.add, isGreater, isLess))
      }
    },
    NCNNRow(blob: LogicalNot.self) { (_, builder) throws(WeighbridgeError) in
      try builder.logicalNot(try builder.input())
    },
    NCNNRow(blob: Where.self) { (_, builder) throws(WeighbridgeError) in
      // 0 times an infinity would be NaN.
      let condition = try builder.input(0)
      let (first, second) = (try builder.finiteInput(1), try builder.finiteInput(2))
      try builder.requireFinite(1..<3)
      let selected = try builder.binary(.multiply, condition, first)
      let other = try builder.binary(.multiply, try builder.logicalNot(condition), second)
      return try builder.binary(.add, selected, other)
    },
  ]
}
