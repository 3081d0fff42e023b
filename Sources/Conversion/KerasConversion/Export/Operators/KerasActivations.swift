import Bytes
import ConversionCore
import GraphIR
import JSON
import KerasFormat
import LayerCatalog

/// Functions of single elements, and of the elements along axes.
enum KerasActivations {
  static let rows: [KerasRow] =
    named + bent + [
      KerasRow(Identity.self) { (_, builder) throws(WeighbridgeError) in builder[0] },
      KerasRow(Softmax.self) { (operation, builder) throws(WeighbridgeError) in
        try builder.layer("Softmax", ["axis": .axes(operation.axes)])
      },
      KerasRow(
        Sparsemax.self, unsupported: "Keras' sparsemax is in Keras 3 only, and no layer there"),
    ]

  /// What both generations have by name.
  private static let named: [KerasRow] = [
    byName(Exponential.self),
    byName(Sigmoid.self),
    byName(Softplus.self),
    byName(Softsign.self),
    byName(Tanh.self),
    byName(SELU.self),
    byName(Swish.self),
    byName(Mish.self),
    KerasRow(GELU.self) { (operation, builder) throws(WeighbridgeError) in
      guard operation.isApproximate else { return try builder.activation(operation) }
      return try builder.function(
        .approximateGELU, [builder[0]], shared: ["approximate": true])
    },
    KerasRow(HardSigmoid.self) { (operation, builder) throws(WeighbridgeError) in
      if builder.form.activationName(operation, rank: builder.type().rank) != nil {
        return try builder.activation(operation)
      }
      let line = try builder.layer(
        "Rescaling", ["scale": .real(operation.slope), "offset": .real(operation.offset)])
      return try builder.layer("ReLU", rectifier(maximum: 1), [line], type: line.type)
    },
  ]

  private static func rectifier(
    slope: Double = 0, threshold: Double = 0, maximum: Double?
  ) -> JSONObject {
    [
      "max_value": maximum.map(JSONValue.real) ?? .null, "negative_slope": .real(slope),
      "threshold": .real(threshold),
    ]
  }

  private static func byName<Operation: CatalogOperator>(_ type: Operation.Type) -> KerasRow {
    KerasRow(type) { (operation, builder) throws(WeighbridgeError) in
      try builder.activation(operation)
    }
  }

  private static let bent: [KerasRow] = [
    KerasRow(ReLU.self) { (operation, builder) throws(WeighbridgeError) in
      if builder.form.activationName(operation, rank: builder.type().rank) != nil {
        return try builder.activation(operation)
      }
      return try builder.layer(
        "ReLU",
        rectifier(
          slope: operation.slope, threshold: operation.threshold, maximum: operation.maximum))
    },
    KerasRow(LeakyReLU.self) { (operation, builder) throws(WeighbridgeError) in
      let key = builder.form == .archive ? "negative_slope" : "alpha"
      return try builder.layer("LeakyReLU", [key: .real(operation.slope)])
    },
    KerasRow(ELU.self) { (operation, builder) throws(WeighbridgeError) in
      try builder.layer("ELU", ["alpha": .real(operation.alpha)])
    },
    KerasRow(PReLU.self) { (_, builder) throws(WeighbridgeError) in
      let alpha = try builder.tensor(1)
      var sharing: [JSONValue] = []
      for (axis, dimension) in alpha.shape.enumerated() {
        let own = builder.type().shape[axis + 1]
        if dimension == 1, own != 1 { sharing.append(.integer(axis + 1)) }
      }
      return try builder.layer(
        "PReLU", ["shared_axes": sharing.isEmpty ? .null : .array(sharing)],
        weights: [KerasLayerWeight(name: "alpha", tensor: alpha)])
    },
    KerasRow(HardShrink.self) { (operation, builder) throws(WeighbridgeError) in
      let size = try builder.function(.absolute, [builder[0]])
      let isFar = try builder.compare(.greater, size, builder.number(operation.threshold))
      return try builder.choose(isFar, builder[0], builder.number(0))
    },
    KerasRow(SoftShrink.self) { (operation, builder) throws(WeighbridgeError) in
      let above = try builder.function(
        .subtract, [builder[0], builder.number(operation.threshold)])
      let below = try builder.function(.add, [builder[0], builder.number(operation.threshold)])
      let high = try builder.function(.maximum, [above, builder.number(0)])
      return try builder.function(
        .add, [high, try builder.function(.minimum, [below, builder.number(0)])])
    },
    KerasRow(CELU.self) { (operation, builder) throws(WeighbridgeError) in
      let (x, alpha) = (builder[0], builder.number(operation.alpha))
      let power = try builder.function(.exponential, [try builder.function(.divide, [x, alpha])])
      let less = try builder.function(.subtract, [power, builder.number(1)])
      let low = try builder.function(.multiply, [less, alpha])
      return try builder.choose(try builder.compare(.greater, x, builder.number(0)), x, low)
    },
  ]
}

extension KerasForm {
  /// The name by which `activation=` means an operator; `nil` when there is none.
  func activationName(_ operation: any CatalogOperator, rank: Int) -> String? {
    switch operation {
    case let softmax as Softmax: softmax.axes == [rank - 1] ? "softmax" : nil
    case let elu as ELU: elu.alpha == 1 ? "elu" : nil
    case let relu as ReLU:
      relu.slope == 0 && relu.threshold == 0 && relu.maximum == nil ? "relu" : nil
    case let gelu as GELU: gelu.isApproximate ? nil : "gelu"
    case let line as HardSigmoid:
      line.slope == hardSigmoidSlope && line.offset == 0.5 ? "hard_sigmoid" : nil
    case is Exponential: "exponential"
    case is Mish: "mish"
    case is SELU: "selu"
    case is Sigmoid: "sigmoid"
    case is Softplus: "softplus"
    case is Softsign: "softsign"
    case is Swish: "swish"
    case is Tanh: "tanh"
    default: nil
    }
  }

  /// The slope that the generation's `hard_sigmoid` has.
  var hardSigmoidSlope: Double { self == .archive ? 1.0 / 6 : 0.2 }
}

extension KerasModelBuilder {
  /// Adds an activation by its name.
  fileprivate mutating func activation(
    _ operation: any CatalogOperator
  ) throws(WeighbridgeError) -> KerasValue {
    guard let name = form.activationName(operation, rank: type().rank) else {
      throw WeighbridgeError(.unsupported, "Keras has no name for \(operation.kind)")
    }
    return try activation(name, self[0])
  }

  /// Adds an activation by its name.
  mutating func activation(
    _ name: String, _ value: KerasValue
  ) throws(WeighbridgeError) -> KerasValue {
    try layer("Activation", ["activation": .string(name)], [value], type: value.type)
  }

}

extension JSONValue {
  /// One axis, or a list of several.
  static func axes(_ axes: [Int]) -> JSONValue {
    axes.count == 1 ? .integer(axes[0]) : .array(axes.map(JSONValue.integer))
  }

  /// A list of whole numbers.
  static func integers(_ numbers: [Int]) -> JSONValue { .array(numbers.map(JSONValue.integer)) }
}
