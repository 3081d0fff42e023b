import Bytes
import ConversionCore
import GraphIR
import JSON
import KerasFormat
import LayerCatalog

/// Functions of single elements, and of the elements along axes.
enum KerasActivations {
  static let rows: [KerasRow] =
    named + bent + composed + [
      KerasRow(Identity.self) { (_, builder) throws(WeighbridgeError) in builder[0] },
      KerasRow(Softmax.self) { (operation, builder) throws(WeighbridgeError) in
        try builder.layer("Softmax", ["axis": .axes(operation.axes)])
      },
      KerasRow(LogSoftmax.self) { (operation, builder) throws(WeighbridgeError) in
        let type = builder.type()
        let largest = try builder.reduce("Max", "math.reduce_max", builder[0], operation.axes)
        let shifted = try builder.function(.subtract, [builder[0], largest], type: type)
        let power = try builder.function(.exponential, [shifted])
        let sum = try builder.reduce("Sum", "math.reduce_sum", power, operation.axes)
        return try builder.function(
          .subtract, [shifted, try builder.function(.logarithm, [sum])], type: type)
      },
      KerasRow(GroupedSoftmax.self) { (operation, builder) throws(WeighbridgeError) in
        let parts = try builder.parts(of: builder[0], operation.axis, operation.sizes)
        var shares: [KerasValue] = []
        for part in parts {
          shares.append(
            try builder.layer(
              "Softmax", ["axis": .integer(operation.axis)], [part], type: part.type))
        }
        return try builder.layer("Concatenate", ["axis": .integer(operation.axis)], shares)
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
        .approximateGELU, [builder[0]], settings: ["approximate": true],
        older: ["approximate": true])
    },
    KerasRow(HardSigmoid.self) { (operation, builder) throws(WeighbridgeError) in
      if builder.form.activationName(operation, rank: builder.type().rank) != nil {
        return try builder.activation(operation)
      }
      let line = try builder.layer(
        "Rescaling", ["scale": .real(operation.slope), "offset": .real(operation.offset)])
      return try builder.rectified(line, maximum: 1)
    },
  ]

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
        [
          "max_value": operation.maximum.map(JSONValue.real) ?? .null,
          "negative_slope": .real(operation.slope), "threshold": .real(operation.threshold),
        ])
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
    KerasRow(Threshold.self) { (operation, builder) throws(WeighbridgeError) in
      let isAbove = try builder.compare(.greater, builder[0], builder.number(operation.threshold))
      return try builder.choose(isAbove, builder[0], builder.number(operation.replacement))
    },
    KerasRow(Binarization.self) { (_, builder) throws(WeighbridgeError) in
      let isPositive = try builder.compare(.greater, builder[0], builder.number(0))
      let ones = try builder.function(.cast, [isPositive], to: builder.type().elementType)
      let doubled = try builder.function(.multiply, [ones, builder.number(2)])
      return try builder.function(.subtract, [doubled, builder.number(1)])
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
    KerasRow(HardMish.self) { (_, builder) throws(WeighbridgeError) in
      let x = builder[0]
      let half = try builder.function(.multiply, [x, builder.number(0.5)])
      let curve = try builder.function(.add, [try builder.function(.multiply, [half, x]), x])
      let isCurved = try builder.compare(.greater, x, builder.number(-2))
      let low = try builder.choose(isCurved, curve, builder.number(0))
      return try builder.choose(try builder.compare(.greater, x, builder.number(0)), x, low)
    },
    KerasRow(SparsePlus.self) { (_, builder) throws(WeighbridgeError) in
      let (x, one) = (builder[0], builder.number(1))
      let sum = try builder.function(.add, [x, one])
      let square = try builder.function(.multiply, [sum, sum])
      let curve = try builder.function(.multiply, [square, builder.number(0.25)])
      let isLow = try builder.compare(.lessEqual, x, builder.number(-1))
      let low = try builder.choose(isLow, builder.number(0), curve)
      return try builder.choose(try builder.compare(.greaterEqual, x, one), x, low)
    },
    KerasRow(Stair.self) { (_, builder) throws(WeighbridgeError) in
      let x = builder[0]
      let floor = try builder.function(.floor, [x])
      let half = try builder.function(
        .floor, [try builder.function(.multiply, [x, builder.number(0.5)])])
      let even = try builder.function(.add, [half, half])
      let rest = try builder.function(.subtract, [x, floor])
      let ramp = try builder.function(.add, [rest, half])
      return try builder.choose(try builder.compare(.equal, floor, even), half, ramp)
    },
    KerasRow(PiecewiseLinear.self) { (operation, builder) throws(WeighbridgeError) in
      try builder.piecewiseLinear(operation)
    },
  ]

  private static let composed: [KerasRow] = [
    KerasRow(CELU.self) { (operation, builder) throws(WeighbridgeError) in
      let (x, alpha) = (builder[0], builder.number(operation.alpha))
      let power = try builder.function(.exponential, [try builder.function(.divide, [x, alpha])])
      let less = try builder.function(.subtract, [power, builder.number(1)])
      let low = try builder.function(.multiply, [less, alpha])
      return try builder.choose(try builder.compare(.greater, x, builder.number(0)), x, low)
    },
    KerasRow(LogSigmoid.self) { (_, builder) throws(WeighbridgeError) in
      let negative = try builder.function(.negative, [builder[0]])
      return try builder.function(.negative, [try builder.activation("softplus", negative)])
    },
    KerasRow(Squareplus.self) { (operation, builder) throws(WeighbridgeError) in
      let x = builder[0]
      let square = try builder.function(.multiply, [x, x])
      let root = try builder.function(
        .squareRoot, [try builder.function(.add, [square, builder.number(operation.smoothness)])])
      return try builder.function(
        .multiply, [try builder.function(.add, [x, root]), builder.number(0.5)])
    },
    KerasRow(GLU.self) { (operation, builder) throws(WeighbridgeError) in
      guard let half = builder.outputType.shape[operation.axis].value else {
        throw WeighbridgeError(.unsupported, "the size that is split must be known")
      }
      let parts = try builder.parts(of: builder[0], operation.axis, [half, half])
      let gate = try builder.activation("sigmoid", parts[1])
      return try builder.layer("Multiply", [:], [parts[0], gate])
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
