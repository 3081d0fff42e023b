import Bytes
import ConversionCore
import GraphIR
import JSON
import KerasFormat
import LayerCatalog

/// What brings numbers to a common scale.
enum KerasNormalizations {
  static let rows: [KerasRow] = [
    KerasRow(BatchNormalization.self) { (operation, builder) throws(WeighbridgeError) in
      let names =
        (operation.hasScale ? ["gamma"] : []) + (operation.hasCenter ? ["beta"] : [])
        + ["moving_mean", "moving_variance"]
      return try builder.layer(
        "BatchNormalization",
        [
          "axis": .integer(operation.axis), "momentum": .real(0.99),
          "epsilon": .real(operation.epsilon), "center": .bool(operation.hasCenter),
          "scale": .bool(operation.hasScale),
        ], weights: builder.weights(names))
    },
    KerasRow(LayerNormalization.self) { (operation, builder) throws(WeighbridgeError) in
      try builder.layer(
        "LayerNormalization",
        [
          "axis": .axes(operation.axes), "epsilon": .real(operation.epsilon),
          "center": .bool(operation.hasCenter), "scale": .bool(operation.hasScale),
        ], weights: builder.scales(operation.hasScale, operation.hasCenter))
    },
    KerasRow(GroupNormalization.self) { (operation, builder) throws(WeighbridgeError) in
      try builder.layer(
        "GroupNormalization",
        [
          "groups": .integer(operation.groups), "axis": .integer(operation.axis),
          "epsilon": .real(operation.epsilon), "center": .bool(operation.hasCenter),
          "scale": .bool(operation.hasScale),
        ], weights: builder.scales(operation.hasScale, operation.hasCenter))
    },
    KerasRow(UnitNormalization.self) { (operation, builder) throws(WeighbridgeError) in
      try builder.layer("UnitNormalization", ["axis": .axes(operation.axes)])
    },
  ]
}

extension KerasModelBuilder {
  /// All weights of the node, by their names in Keras.
  fileprivate func weights(_ names: [String]) throws(WeighbridgeError) -> [KerasLayerWeight] {
    var weights: [KerasLayerWeight] = []
    for (position, name) in names.enumerated() {
      weights.append(KerasLayerWeight(name: name, tensor: try tensor(position + 1)))
    }
    return weights
  }

  fileprivate func scales(
    _ hasScale: Bool, _ hasCenter: Bool
  ) throws(WeighbridgeError) -> [KerasLayerWeight] {
    try weights((hasScale ? ["gamma"] : []) + (hasCenter ? ["beta"] : []))
  }
}
