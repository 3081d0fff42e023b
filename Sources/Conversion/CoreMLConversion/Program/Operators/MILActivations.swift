import Bytes
import ConversionCore
import GraphIR
import LayerCatalog

/// Elementwise functions and functions along axes.
enum MILActivations {
  static let rows: [MILRow] = [
    MILRow(Exponential.self, is: "exp"), MILRow(Sigmoid.self, is: "sigmoid"),
    MILRow(Tanh.self, is: "tanh"), MILRow(Softplus.self, is: "softplus"),
    MILRow(Softsign.self, is: "softsign"), MILRow(Swish.self, is: "silu"),
    MILRow(Identity.self, is: "identity"),
    MILRow(value: ReLU.self) { (operation, builder) throws(WeighbridgeError) in
      try builder.rectified(operation)
    },
    MILRow(value: LeakyReLU.self) { (operation, builder) throws(WeighbridgeError) in
      try builder.activated("leaky_relu", alpha: operation.slope)
    },
    MILRow(value: ELU.self) { (operation, builder) throws(WeighbridgeError) in
      try builder.activated("elu", alpha: operation.alpha)
    },
    MILRow(value: HardSigmoid.self) { (operation, builder) throws(WeighbridgeError) in
      try builder.activated("sigmoid_hard", alpha: operation.slope, beta: operation.offset)
    },
    MILRow(value: GELU.self) { (operation, builder) throws(WeighbridgeError) in
      let mode: MILArgument = operation.isApproximate ? "TANH_APPROXIMATION" : "EXACT"
      return try builder.add(
        "gelu", ["x": .value(builder[0]), "mode": mode], as: builder.outputType)
    },
    MILRow(value: Softmax.self) { (operation, builder) throws(WeighbridgeError) in
      guard operation.axes.count == 1 else { return nil }
      return try builder.add(
        "softmax", ["x": .value(builder[0]), "axis": .integer(operation.axes[0])],
        as: builder.outputType)
    },
  ]
}

extension MILBuilder {
  /// Adds an activation with one or two parameters.
  fileprivate mutating func activated(
    _ operation: String, alpha: Double, beta: Double? = nil
  ) throws(WeighbridgeError) -> ExportOperand {
    try add(
      operation,
      ["x": .value(self[0]), "alpha": .number(alpha), "beta": beta.map { .number($0) }],
      as: outputType)
  }

  fileprivate mutating func rectified(
    _ operation: ReLU
  ) throws(WeighbridgeError) -> ExportOperand? {
    guard operation.threshold == 0 else { return nil }
    if operation.slope == 0, operation.maximum == 6 { return try unary("relu6", self[0]) }
    let rectified =
      operation.slope == 0
      ? try unary("relu", self[0]) : try activated("leaky_relu", alpha: operation.slope)
    guard let maximum = operation.maximum else { return rectified }
    // With a negative slope, negative elements may be above the maximum, and are not bounded.
    guard operation.slope >= 0 else { return nil }
    return try binary("minimum", rectified, number(maximum, like: rectified))
  }
}
