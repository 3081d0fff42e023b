import Bytes
import GraphIR
import JSON
import KerasFormat
import LayerCatalog

/// One element for many.
enum KerasReductions {
  static let rows: [KerasRow] = [
    KerasRow(Reduction.self) { (operation, draft) throws(WeighbridgeError) in
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
        let squares = try draft.function(.multiply, [draft[0], draft[0]])
        let sum = try draft.reduce(
          "Sum", "math.reduce_sum", squares, operation.axes, keeps: operation.keepsAxes,
          type: draft.outputType)
        return try draft.function(.squareRoot, [sum])
      case .logarithmOfSum:
        return try draft.function(
          KerasFunctionForm("math", "Logsumexp", tf: "math.reduce_logsumexp", ["input_tensor"]),
          [draft[0]],
          settings: ["axis": .axes(operation.axes), "keepdims": .bool(operation.keepsAxes)],
          older: ["axis": .axes(operation.axes), "keepdims": .bool(operation.keepsAxes)],
          type: draft.outputType)
      }
      return try draft.reduce(
        names.0, names.1, draft[0], operation.axes, keeps: operation.keepsAxes,
        type: draft.outputType)
    },
    KerasRow(Cumulative.self) { (operation, draft) throws(WeighbridgeError) in
      try draft.cumulative(operation, draft[0])
    },
    KerasRow(ExtremeIndex.self) { (operation, draft) throws(WeighbridgeError) in
      let type = TensorType(.int32, draft.outputType.shape)
      let axis = JSONValue.integer(operation.axis)
      let form =
        operation.isMaximum
        ? KerasFunctionForm("numpy", "Argmax", tf: "math.argmax", ["input"])
        : KerasFunctionForm("numpy", "Argmin", tf: "math.argmin", ["input"])
      guard !operation.keepsAxis || draft.form == .archive else {
        throw WeighbridgeError(.unsupported, "TensorFlow's argmax keeps no axis")
      }
      let index = try draft.function(
        form, [draft[0]],
        settings: ["axis": axis, "keepdims": .bool(operation.keepsAxis)], older: ["axis": axis],
        type: type)
      return try draft.function(.cast, [index], to: operation.elementType)
    },
  ]
}

extension KerasDraft {
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
      settings: settings, older: settings, type: type ?? value.type.with(shape: shape))
  }

  /// The sum or product of all elements up to each one.
  mutating func cumulative(
    _ operation: Cumulative, _ value: KerasValue
  ) throws(WeighbridgeError) -> KerasValue {
    let isSum = operation.function == .sum
    let form = KerasFunctionForm(
      "numpy", isSum ? "Cumsum" : "Cumprod", tf: isSum ? "math.cumsum" : "math.cumprod")
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
