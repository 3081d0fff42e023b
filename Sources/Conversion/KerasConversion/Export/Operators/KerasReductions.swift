import Bytes
import ConversionCore
import GraphIR
import JSON
import KerasFormat
import LayerCatalog

/// One element for many.
enum KerasReductions {
  static let rows: [KerasRow] = [
    KerasRow(Reduce.self) { (operation, builder) throws(WeighbridgeError) in
      let names: (String, String)
      switch operation.function {
      case .sum: names = ("Sum", "math.reduce_sum")
      case .mean: names = ("Mean", "math.reduce_mean")
      case .product: names = ("Prod", "math.reduce_prod")
      case .maximum: names = ("Max", "math.reduce_max")
      case .minimum: names = ("Min", "math.reduce_min")
      case .any: names = ("Any", "math.reduce_any")
      case .all: names = ("All", "math.reduce_all")
      case .variance: names = ("Var", "math.reduce_variance")
      case .standardDeviation: names = ("Std", "math.reduce_std")
      case .length:
        let squares = try builder.function(.multiply, [builder[0], builder[0]])
        let sum = try builder.reduce(
          "Sum", "math.reduce_sum", squares, operation.axes, keeps: operation.keepDims,
          type: builder.outputType)
        return try builder.function(.squareRoot, [sum])
      case .logarithmOfSum:
        return try builder.function(
          KerasFunctionForm("math", "Logsumexp", tf: "math.reduce_logsumexp", ["input_tensor"]),
          [builder[0]],
          shared: ["axis": .axes(operation.axes), "keepdims": .bool(operation.keepDims)],
          type: builder.outputType)
      }
      return try builder.reduce(
        names.0, names.1, builder[0], operation.axes, keeps: operation.keepDims,
        type: builder.outputType)
    },
    KerasRow(CumSum.self) { (operation, builder) throws(WeighbridgeError) in
      try builder.cumulative("Cumsum", tf: "math.cumsum", operation, builder[0])
    },
    KerasRow(CumProd.self) { (operation, builder) throws(WeighbridgeError) in
      try builder.cumulative("Cumprod", tf: "math.cumprod", operation, builder[0])
    },
    KerasRow(ArgMax.self) { (operation, builder) throws(WeighbridgeError) in
      try builder.position("Argmax", tf: "math.argmax", operation)
    },
    KerasRow(ArgMin.self) { (operation, builder) throws(WeighbridgeError) in
      try builder.position("Argmin", tf: "math.argmin", operation)
    },
  ]
}

extension KerasModelBuilder {
  /// One element for all elements along some axes.
  mutating func reduce(
    _ operation: String, _ tensorFlow: String, _ value: KerasValue, _ axes: [Int],
    keeps: Bool = true, type: TensorType? = nil
  ) throws(WeighbridgeError) -> KerasValue {
    var shape = value.type.shape
    for axis in axes { shape[axis] = 1 }
    let settings: JSONObject = ["axis": .axes(axes), "keepdims": .bool(keeps)]
    return try function(
      KerasFunctionForm("numpy", operation, tf: tensorFlow, ["input_tensor"]), [value],
      shared: settings, type: type ?? value.type.with(shape: shape))
  }

  /// The position of an extreme element, which Keras gives as int32.
  fileprivate mutating func position(
    _ name: String, tf tensorFlow: String, _ operation: some ArgumentReduction
  ) throws(WeighbridgeError) -> KerasValue {
    let axis = JSONValue.integer(operation.axis)
    guard !operation.keepDims || form == .archive else {
      throw WeighbridgeError(.unsupported, "TensorFlow's argmax keeps no axis")
    }
    let index = try function(
      KerasFunctionForm("numpy", name, tf: tensorFlow, ["input"]), [self[0]],
      settings: ["axis": axis, "keepdims": .bool(operation.keepDims)], older: ["axis": axis],
      type: TensorType(.int32, outputType.shape))
    return try function(.cast, [index], to: operation.elementType)
  }

  /// The sum or product of all elements up to each one.
  mutating func cumulative(
    _ name: String, tf tensorFlow: String, _ operation: some CumulativeOperator, _ value: KerasValue
  ) throws(WeighbridgeError) -> KerasValue {
    let form = KerasFunctionForm("numpy", name, tf: tensorFlow)
    let axis = JSONValue.integer(operation.axis)
    guard self.form == .archive else {
      return try function(
        form, [value],
        older: [
          "axis": axis, "exclusive": .bool(operation.isExclusive),
          "reverse": .bool(operation.isReversed),
        ])
    }
    // Keras 3 goes forward and counts each element itself.
    guard !operation.isExclusive else {
      throw WeighbridgeError(
        .unsupported, "leaves each element itself out, which the functions of Keras 3 cannot")
    }
    let axes = operation.isReversed ? [operation.axis] : []
    let ordered = axes.isEmpty ? value : try reversed(value, axes)
    let result = try function(form, [ordered], settings: ["axis": axis])
    return axes.isEmpty ? result : try reversed(result, axes)
  }
}
