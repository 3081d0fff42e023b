import Bytes
import GraphIR
import JSON
import KerasFormat
import LayerCatalog

/// What brings numbers to a common scale.
enum KerasNormalizations {
  static let rows: [KerasRow] = [
    KerasRow(BatchNormalization.self) { (operation, draft) throws(WeighbridgeError) in
      let names =
        (operation.hasScale ? ["gamma"] : []) + (operation.hasCenter ? ["beta"] : [])
        + ["moving_mean", "moving_variance"]
      return try draft.layer(
        "BatchNormalization",
        [
          "axis": .integer(operation.axis), "momentum": .real(0.99),
          "epsilon": .real(operation.epsilon), "center": .bool(operation.hasCenter),
          "scale": .bool(operation.hasScale),
        ], weights: draft.weights(names))
    },
    KerasRow(LayerNormalization.self) { (operation, draft) throws(WeighbridgeError) in
      try draft.layer(
        "LayerNormalization",
        [
          "axis": .axes(operation.axes), "epsilon": .real(operation.epsilon),
          "center": .bool(operation.hasCenter), "scale": .bool(operation.hasScale),
        ], weights: draft.scales(operation.hasScale, operation.hasCenter))
    },
    KerasRow(GroupNormalization.self) { (operation, draft) throws(WeighbridgeError) in
      try draft.layer(
        "GroupNormalization",
        [
          "groups": .integer(operation.groups), "axis": .integer(operation.axis),
          "epsilon": .real(operation.epsilon), "center": .bool(operation.hasCenter),
          "scale": .bool(operation.hasScale),
        ], weights: draft.scales(operation.hasScale, operation.hasCenter))
    },
    KerasRow(RMSNormalization.self) { (operation, draft) throws(WeighbridgeError) in
      try draft.rootMeanSquare(operation)
    },
    KerasRow(UnitNormalization.self) { (operation, draft) throws(WeighbridgeError) in
      try draft.layer("UnitNormalization", ["axis": .axes(operation.axes)])
    },
    KerasRow(SumNormalization.self) { (operation, draft) throws(WeighbridgeError) in
      let sum = try draft.reduce("Sum", "math.reduce_sum", draft[0], operation.axes)
      let divisor = try draft.function(.add, [sum, draft.number(operation.epsilon)])
      return try draft.function(.divide, [draft[0], divisor], type: draft.outputType)
    },
    KerasRow(Normalization.self) { (operation, draft) throws(WeighbridgeError) in
      try draft.normalization(operation)
    },
    KerasRow(LocalResponseNormalization.self) { (operation, draft) throws(WeighbridgeError) in
      try draft.localResponse(operation)
    },
  ]
}

extension KerasDraft {
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

  /// A weight with the extents of some axes, put among axes of extent 1.
  private func spread(
    _ position: Int, _ axes: [Int]
  ) throws(WeighbridgeError) -> KerasValue {
    let tensor = try tensor(position)
    if axes.isEmpty { return constant(tensor) }
    var shape = [Int](repeating: 1, count: type().rank)
    for (axis, extent) in zip(axes, tensor.shape) { shape[axis] = extent }
    return constant(tensor.reshaped(shape))
  }

  fileprivate mutating func rootMeanSquare(
    _ operation: RMSNormalization
  ) throws(WeighbridgeError) -> KerasValue {
    var squares = try function(.multiply, [self[0], self[0]])
    if operation.spread == .variance {
      let mean = try reduce("Mean", "math.reduce_mean", self[0], operation.axes)
      let distance = try function(.subtract, [self[0], mean], type: type())
      squares = try function(.multiply, [distance, distance])
    }
    let spread = try reduce("Mean", "math.reduce_mean", squares, operation.axes)
    let root = try function(
      .squareRoot, [try function(.add, [spread, number(operation.epsilon)])])
    let normal = try function(.divide, [self[0], root], type: type())
    return try function(.multiply, [normal, try self.spread(1, operation.axes)], type: type())
  }

  fileprivate mutating func normalization(
    _ operation: Normalization
  ) throws(WeighbridgeError) -> KerasValue {
    let mean = try spread(1, operation.axes)
    let variance = try tensor(2)
    let deviations = variance.doubles.map { max($0.squareRoot(), operation.smallestDeviation) }
    let deviation = constant(
      Tensor(variance.elementType, shape: mean.type.fixedShape ?? [], deviations))
    var input = self[0]
    if input.type.elementType != variance.elementType {
      input = try function(.cast, [input], to: variance.elementType)
    }
    if operation.isInverse {
      return try function(.add, [try function(.multiply, [input, deviation]), mean])
    }
    return try function(.divide, [try function(.subtract, [input, mean]), deviation])
  }

  /// x / (bias + alpha sum)^beta, where a pooling layer sums the squares of the channels around.
  fileprivate mutating func localResponse(
    _ operation: LocalResponseNormalization
  ) throws(WeighbridgeError) -> KerasValue {
    guard operation.omitted == nil, operation.axis == type().rank - 1,
      let channels = type().shape[operation.axis].value
    else {
      throw WeighbridgeError(
        .unsupported, "sums the squares of channels in a way that Keras has no layer for")
    }
    // A matrix of ones around its diagonal sums the channels that count.
    let ones = (0..<channels).flatMap { from in
      (0..<channels).map { to in
        from >= to - operation.before && from <= to + operation.after ? operation.alpha : 0
      }
    }
    let elementType = type().elementType
    let squares = try function(.multiply, [self[0], self[0]])
    let kernel = Tensor(elementType, shape: [channels, channels], ones)
    let offset = Tensor(
      elementType, shape: [channels], [Double](repeating: operation.bias, count: channels))
    let sum = try layer(
      "Dense", ["units": .integer(channels), "activation": "linear", "use_bias": true], [squares],
      weights: [
        KerasLayerWeight(name: "kernel", tensor: kernel),
        KerasLayerWeight(name: "bias", tensor: offset),
      ])
    let power = try function(
      .binary("Power", tf: "math.pow"), [sum, number(-operation.beta)], type: type())
    return try function(.multiply, [self[0], power])
  }
}
