import Bytes
import ConversionCore
import GraphIR
import JSON
import KerasFormat
import LayerCatalog

/// Elementwise functions and functions along axes.
enum KerasActivations {
  static let rows: [KerasRow] = [
    .named(Exponential.self), .named(Sigmoid.self), .named(Softsign.self), .named(Tanh.self),
    .named(SELU.self), .named(Swish.self), .named(Mish.self),
    KerasRow(GELU.self) { (operation, builder) throws(WeighbridgeError) in
      if let value = try builder.namedActivation(operation) { return value }
      return try builder.function(.approximateGELU, [builder[0]], shared: ["approximate": true])
    },
    KerasRow(native: HardSigmoid.self) { (operation, builder) throws(WeighbridgeError) in
      try builder.namedActivation(operation)
    },
  ]
}

extension KerasOutputFormat {
  /// The name of an operator in `activation=`; `nil` when there is none.
  func activationName(_ operation: any CatalogOperator, rank: Int) -> String? {
    switch operation {
    case let softmax as Softmax: softmax.axes == [rank - 1] ? "softmax" : nil
    case let elu as ELU: elu.alpha == 1 ? "elu" : nil
    case let relu as ReLU:
      relu.slope == 0 && relu.threshold == 0 && relu.maximum == nil ? "relu" : nil
    case let gelu as GELU: gelu.isApproximate ? nil : "gelu"
    case let sigmoid as HardSigmoid:
      sigmoid.slope == hardSigmoidSlope && sigmoid.offset == 0.5 ? "hard_sigmoid" : nil
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

  /// The slope of the generation's `hard_sigmoid`.
  var hardSigmoidSlope: Double { self == .archive ? 1.0 / 6 : 0.2 }
}

extension KerasModelBuilder {
  /// Adds an activation by its name; returns `nil` when it has none.
  mutating func namedActivation(
    _ operation: some CatalogOperator
  ) throws(WeighbridgeError) -> KerasValue? {
    guard let name = format.activationName(operation, rank: type().rank) else { return nil }
    return try layer("Activation", ["activation": .string(name)])
  }
}

extension KerasRow {
  /// Creates a row for an activation that has a name in both generations.
  static func named<Operation: CatalogOperator>(_ type: Operation.Type) -> KerasRow {
    KerasRow(type) { (operation, builder) throws(WeighbridgeError) in
      guard let value = try builder.namedActivation(operation) else {
        throw .unsupported("Keras has no name for \(operation.kind)")
      }
      return value
    }
  }
}

extension JSONValue {
  /// Makes one axis, or a list of several.
  static func axes(_ axes: [Int]) -> JSONValue {
    axes.count == 1 ? .integer(axes[0]) : .array(axes.map(JSONValue.integer))
  }

  /// Creates a list of integers.
  static func integers(_ numbers: [Int]) -> JSONValue { .array(numbers.map(JSONValue.integer)) }
}
