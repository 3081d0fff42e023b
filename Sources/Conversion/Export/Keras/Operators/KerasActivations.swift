import Bytes
import GraphIR
import JSON
import KerasFormat
import LayerCatalog

/// Functions of single elements, and of the elements along axes.
enum KerasActivations {
  static let rows: [KerasRow] =
    named + bent + composed + [
      KerasRow(Identity.self) { (_, draft) throws(WeighbridgeError) in draft[0] },
      KerasRow(Softmax.self) { (operation, draft) throws(WeighbridgeError) in
        try draft.layer("Softmax", ["axis": .axes(operation.axes)])
      },
      KerasRow(LogSoftmax.self) { (operation, draft) throws(WeighbridgeError) in
        let type = draft.type()
        let largest = try draft.reduce("Max", "math.reduce_max", draft[0], operation.axes)
        let shifted = try draft.function(.subtract, [draft[0], largest], type: type)
        let power = try draft.function(.exponential, [shifted])
        let sum = try draft.reduce("Sum", "math.reduce_sum", power, operation.axes)
        return try draft.function(
          .subtract, [shifted, try draft.function(.logarithm, [sum])], type: type)
      },
      KerasRow(GroupedSoftmax.self) { (operation, draft) throws(WeighbridgeError) in
        let parts = try draft.parts(of: draft[0], operation.axis, operation.sizes)
        var shares: [KerasValue] = []
        for part in parts {
          shares.append(
            try draft.layer("Softmax", ["axis": .integer(operation.axis)], [part], type: part.type))
        }
        return try draft.layer("Concatenate", ["axis": .integer(operation.axis)], shares)
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
    KerasRow(GELU.self) { (operation, draft) throws(WeighbridgeError) in
      guard operation.isApproximate else { return try draft.activation(operation) }
      return try draft.function(
        .approximateGELU, [draft[0]], settings: ["approximate": true],
        older: ["approximate": true])
    },
    KerasRow(HardSigmoid.self) { (operation, draft) throws(WeighbridgeError) in
      if draft.form.activationName(operation, rank: draft.type().rank) != nil {
        return try draft.activation(operation)
      }
      let line = try draft.layer(
        "Rescaling", ["scale": .real(operation.slope), "offset": .real(operation.offset)])
      return try draft.rectified(line, maximum: 1)
    },
  ]

  private static func byName<Operation: CatalogOperator>(_ type: Operation.Type) -> KerasRow {
    KerasRow(type) { (operation, draft) throws(WeighbridgeError) in
      try draft.activation(operation)
    }
  }

  private static let bent: [KerasRow] = [
    KerasRow(ReLU.self) { (operation, draft) throws(WeighbridgeError) in
      if draft.form.activationName(operation, rank: draft.type().rank) != nil {
        return try draft.activation(operation)
      }
      return try draft.layer(
        "ReLU",
        [
          "max_value": operation.maximum.map(JSONValue.real) ?? .null,
          "negative_slope": .real(operation.slope), "threshold": .real(operation.threshold),
        ])
    },
    KerasRow(LeakyReLU.self) { (operation, draft) throws(WeighbridgeError) in
      let key = draft.form == .archive ? "negative_slope" : "alpha"
      return try draft.layer("LeakyReLU", [key: .real(operation.slope)])
    },
    KerasRow(ELU.self) { (operation, draft) throws(WeighbridgeError) in
      try draft.layer("ELU", ["alpha": .real(operation.alpha)])
    },
    KerasRow(PReLU.self) { (_, draft) throws(WeighbridgeError) in
      let alpha = try draft.tensor(1)
      var sharing: [JSONValue] = []
      for (axis, extent) in alpha.shape.enumerated() {
        let own = draft.type().shape[axis + 1]
        if extent == 1, own != 1 { sharing.append(.integer(axis + 1)) }
      }
      return try draft.layer(
        "PReLU", ["shared_axes": sharing.isEmpty ? .null : .array(sharing)],
        weights: [KerasLayerWeight(name: "alpha", tensor: alpha)])
    },
    KerasRow(Threshold.self) { (operation, draft) throws(WeighbridgeError) in
      let isAbove = try draft.compare(.greater, draft[0], draft.number(operation.threshold))
      return try draft.choose(isAbove, draft[0], draft.number(operation.replacement))
    },
    KerasRow(Binarization.self) { (_, draft) throws(WeighbridgeError) in
      let isPositive = try draft.compare(.greater, draft[0], draft.number(0))
      let ones = try draft.function(.cast, [isPositive], to: draft.type().elementType)
      let doubled = try draft.function(.multiply, [ones, draft.number(2)])
      return try draft.function(.subtract, [doubled, draft.number(1)])
    },
    KerasRow(HardShrink.self) { (operation, draft) throws(WeighbridgeError) in
      let size = try draft.function(.absolute, [draft[0]])
      let isFar = try draft.compare(.greater, size, draft.number(operation.threshold))
      return try draft.choose(isFar, draft[0], draft.number(0))
    },
    KerasRow(SoftShrink.self) { (operation, draft) throws(WeighbridgeError) in
      let above = try draft.function(.subtract, [draft[0], draft.number(operation.threshold)])
      let below = try draft.function(.add, [draft[0], draft.number(operation.threshold)])
      let high = try draft.function(.maximum, [above, draft.number(0)])
      return try draft.function(
        .add, [high, try draft.function(.minimum, [below, draft.number(0)])])
    },
    KerasRow(HardMish.self) { (_, draft) throws(WeighbridgeError) in
      let x = draft[0]
      let half = try draft.function(.multiply, [x, draft.number(0.5)])
      let curve = try draft.function(.add, [try draft.function(.multiply, [half, x]), x])
      let isCurved = try draft.compare(.greater, x, draft.number(-2))
      let low = try draft.choose(isCurved, curve, draft.number(0))
      return try draft.choose(try draft.compare(.greater, x, draft.number(0)), x, low)
    },
    KerasRow(SparsePlus.self) { (_, draft) throws(WeighbridgeError) in
      let (x, one) = (draft[0], draft.number(1))
      let sum = try draft.function(.add, [x, one])
      let square = try draft.function(.multiply, [sum, sum])
      let curve = try draft.function(.multiply, [square, draft.number(0.25)])
      let isLow = try draft.compare(.lessEqual, x, draft.number(-1))
      let low = try draft.choose(isLow, draft.number(0), curve)
      return try draft.choose(try draft.compare(.greaterEqual, x, one), x, low)
    },
    KerasRow(Stair.self) { (_, draft) throws(WeighbridgeError) in
      let x = draft[0]
      let floor = try draft.function(.floor, [x])
      let half = try draft.function(
        .floor, [try draft.function(.multiply, [x, draft.number(0.5)])])
      let even = try draft.function(.add, [half, half])
      let rest = try draft.function(.subtract, [x, floor])
      let ramp = try draft.function(.add, [rest, half])
      return try draft.choose(try draft.compare(.equal, floor, even), half, ramp)
    },
    KerasRow(PiecewiseLinear.self) { (operation, draft) throws(WeighbridgeError) in
      try draft.piecewiseLinear(operation)
    },
  ]

  private static let composed: [KerasRow] = [
    KerasRow(CELU.self) { (operation, draft) throws(WeighbridgeError) in
      let (x, alpha) = (draft[0], draft.number(operation.alpha))
      let power = try draft.function(.exponential, [try draft.function(.divide, [x, alpha])])
      let less = try draft.function(.subtract, [power, draft.number(1)])
      let low = try draft.function(.multiply, [less, alpha])
      return try draft.choose(try draft.compare(.greater, x, draft.number(0)), x, low)
    },
    KerasRow(LogSigmoid.self) { (_, draft) throws(WeighbridgeError) in
      let negative = try draft.function(.negative, [draft[0]])
      return try draft.function(.negative, [try draft.activation("softplus", negative)])
    },
    KerasRow(Squareplus.self) { (operation, draft) throws(WeighbridgeError) in
      let x = draft[0]
      let square = try draft.function(.multiply, [x, x])
      let root = try draft.function(
        .squareRoot, [try draft.function(.add, [square, draft.number(operation.smoothness)])])
      return try draft.function(
        .multiply, [try draft.function(.add, [x, root]), draft.number(0.5)])
    },
    KerasRow(GLU.self) { (operation, draft) throws(WeighbridgeError) in
      guard let half = draft.outputType.shape[operation.axis].value else {
        throw WeighbridgeError(.unsupported, "the extent that is split must be known")
      }
      let parts = try draft.parts(of: draft[0], operation.axis, [half, half])
      let gate = try draft.activation("sigmoid", parts[1])
      return try draft.layer("Multiply", [:], [parts[0], gate])
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

extension KerasDraft {
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

  /// A value cut off below 0 and above a number.
  mutating func rectified(
    _ value: KerasValue, maximum: Double?
  ) throws(WeighbridgeError) -> KerasValue {
    try layer(
      "ReLU",
      [
        "max_value": maximum.map(JSONValue.real) ?? .null, "negative_slope": .real(0),
        "threshold": .real(0),
      ], [value], type: value.type)
  }

  /// A sum of rectifiers, one for each bend.
  fileprivate mutating func piecewiseLinear(
    _ operation: PiecewiseLinear
  ) throws(WeighbridgeError) -> KerasValue {
    guard let first = operation.knots.first, let slope = operation.slopes.first else {
      throw WeighbridgeError(.unsupported, "a line without a bend")
    }
    // value + slope₀ (x - k₀) + Σ (slopeᵢ₊₁ - slopeᵢ) max(x - kᵢ, 0)
    var sum = try layer(
      "Rescaling", ["scale": .real(slope), "offset": .real(operation.value - slope * first)],
      [self[0]])
    for (index, knot) in operation.knots.enumerated() {
      let moved = try function(.subtract, [self[0], number(knot)])
      let bend = try rectified(moved, maximum: nil)
      let change = operation.slopes[index + 1] - operation.slopes[index]
      sum = try function(.add, [sum, try function(.multiply, [bend, number(change)])])
    }
    return sum
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
