import Bytes
import ConversionCore
import GraphIR
import LayerCatalog

/// Elementwise functions of one and two blobs. A condition is 1 for true and 0 for false.
enum NCNNElementwise {
  static let rows: [NCNNRow] =
    layers + conditions + [
      NCNNRow(blob: Average.self) { (_, builder) throws(WeighbridgeError) in
        try builder.binary(.multiply, try builder.chain(.add), 1 / Double(builder.operands.count))
      },
      NCNNRow(blob: BinaryMath.self) { (operation, builder) throws(WeighbridgeError) in
        let functions: [BinaryMath.Function: NCNNBinary] = [.divide: .divide, .power: .power]
        guard let function = functions[operation.function] else { return nil }
        return try builder.chain(function)
      },
      NCNNRow(blob: UnaryMath.self) { (operation, builder) throws(WeighbridgeError) in
        if operation.function == .errorFunction { return try builder.add("Erf") }
        guard let number = functions.firstIndex(of: operation.function) else { return nil }
        return try builder.unary(number, try builder.input())
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

  private static let layers: [NCNNRow] = [
    NCNNRow(Add.self, chain: .add), NCNNRow(LogicalAnd.self, chain: .multiply),
    NCNNRow(LogicalOr.self, chain: .maximum), NCNNRow(Maximum.self, chain: .maximum),
    NCNNRow(Minimum.self, chain: .minimum), NCNNRow(Multiply.self, chain: .multiply),
    NCNNRow(Subtract.self, chain: .subtract), NCNNRow(CELU.self, is: "CELU") { [$0.alpha] },
    NCNNRow(Clip.self, is: "Clip") { [$0.minimum, $0.maximum] },
    NCNNRow(ELU.self, is: "ELU") { [$0.alpha] },
    NCNNRow(HardShrink.self, is: "Shrink") { [0, $0.threshold] },
    NCNNRow(HardSigmoid.self, is: "HardSigmoid") { [$0.slope, $0.offset] },
    NCNNRow(HardSwish.self, is: "HardSwish") { _ in [1 / 6, 0.5] },
    NCNNRow(LeakyReLU.self, is: "ReLU") { [$0.slope] },
    NCNNRow(Mish.self, is: "Mish"), NCNNRow(SELU.self, is: "SELU"),
    NCNNRow(Sigmoid.self, is: "Sigmoid"), NCNNRow(Swish.self, is: "Swish"),
    NCNNRow(SoftShrink.self, is: "Shrink") { [$0.threshold, $0.threshold] },
    NCNNRow(Tanh.self, is: "TanH"),
    NCNNRow(blob: Exponential.self) { (_, builder) throws(WeighbridgeError) in
      try builder.unary(7, try builder.input())
    },
    NCNNRow(GELU.self, is: "GELU", integers: { [$0.isApproximate ? 1 : 0] }),
    NCNNRow(blob: ReLU.self) { (operation, builder) throws(WeighbridgeError) in
      guard case .primitive = operation.decomposition else { return nil }
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

  private static let conditions: [NCNNRow] = [
    NCNNRow(blob: Cast.self) { (operation, builder) throws(WeighbridgeError) in
      let x = try builder.input()
      if operation.elementType == .bool { return try builder.positiveMask(try builder.unary(0, x)) }
      let losesFraction = builder.type().elementType.isFloat && !operation.elementType.isFloat
      return losesFraction ? try builder.unary(19, x) : x
    },
    NCNNRow(blob: Comparison.self) { (operation, builder) throws(WeighbridgeError) in
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
      let inputs = try builder.allInputs()
      let selected = try builder.binary(.multiply, inputs[0], inputs[1])
      let other = try builder.binary(.multiply, try builder.logicalNot(inputs[0]), inputs[2])
      return try builder.binary(.add, selected, other)
    },
  ]
}
