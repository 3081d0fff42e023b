import Bytes
import ConversionCore
import CoreMLFormat
import GraphIR
import LayerCatalog
import ProtobufWire

/// Functions of single elements, and of the elements along axes.
enum CoreMLActivations {
  static let rows: [CoreMLRow] =
    smooth + bent + [
      CoreMLRow(Softmax.self) { (operation, builder) throws(WeighbridgeError) in
        try builder.softmax(try builder.input(), operation.axes)
      },
      CoreMLRow(LogSoftmax.self) { (operation, builder) throws(WeighbridgeError) in
        let (x, axes) = (try builder.input(), operation.axes)
        let distance = try builder.difference(x, try builder.reduce("reduceMax", x, axes))
        let total = try builder.reduce("reduceSum", try builder.exponential(distance), axes)
        return try builder.difference(distance, try builder.unary("LOG", total))
      },
      CoreMLRow(GroupedSoftmax.self) { (operation, builder) throws(WeighbridgeError) in
        let parts = try builder.split(try builder.input(), axis: operation.axis, operation.sizes)
        var shares: [String] = []
        for part in parts { shares.append(try builder.softmax(part, [operation.axis])) }
        return try builder.concatenate(shares, axis: operation.axis)
      },
      CoreMLRow(Sparsemax.self) { (operation, builder) throws(WeighbridgeError) in
        try builder.sparsemax(operation.axes)
      },
      CoreMLRow(GLU.self) { (operation, builder) throws(WeighbridgeError) in
        let half = try builder.dimensions(builder.outputType)[operation.axis]
        let halves = try builder.split(try builder.input(), axis: operation.axis, [half, half])
        return try builder.product(halves[0], try builder.activation("sigmoid", halves[1]))
      },
    ]

  private static let smooth: [CoreMLRow] = [
    CoreMLRow(Exponential.self) { (_, builder) throws(WeighbridgeError) in
      try builder.exponential(try builder.input())
    },
    CoreMLRow(Sigmoid.self) { (_, builder) throws(WeighbridgeError) in
      try builder.activation("sigmoid", try builder.input())
    },
    CoreMLRow(Softplus.self) { (_, builder) throws(WeighbridgeError) in
      try builder.activation("softplus", try builder.input())
    },
    CoreMLRow(Softsign.self) { (_, builder) throws(WeighbridgeError) in
      try builder.activation("softsign", try builder.input())
    },
    CoreMLRow(Tanh.self) { (_, builder) throws(WeighbridgeError) in
      try builder.activation("tanh", try builder.input())
    },
    CoreMLRow(ELU.self) { (operation, builder) throws(WeighbridgeError) in
      try builder.activation("ELU", try builder.input(), ["alpha": operation.alpha])
    },
    CoreMLRow(CELU.self) { (operation, builder) throws(WeighbridgeError) in
      let share = try builder.linear(try builder.input(), scale: 1 / operation.alpha)
      let bent = try builder.activation("ELU", share, ["alpha": 1])
      return try builder.linear(bent, scale: operation.alpha)
    },
    CoreMLRow(SELU.self) { (_, builder) throws(WeighbridgeError) in
      let bent = try builder.activation("ELU", try builder.input(), ["alpha": SELU.alpha])
      return try builder.linear(bent, scale: SELU.scale)
    },
    CoreMLRow(GELU.self) { (operation, builder) throws(WeighbridgeError) in
      let mode = operation.isApproximate ? "TANH_APPROXIMATION" : "EXACT"
      return try builder.add("gelu", [try builder.input()], ["mode": .choice(mode)])
    },
    CoreMLRow(LogSigmoid.self) { (_, builder) throws(WeighbridgeError) in
      let turned = try builder.linear(try builder.input(), scale: -1)
      return try builder.linear(try builder.activation("softplus", turned), scale: -1)
    },
    CoreMLRow(Squareplus.self) { (operation, builder) throws(WeighbridgeError) in
      let x = try builder.input()
      let square = try builder.linear(try builder.product(x, x), offset: operation.smoothness)
      return try builder.linear(
        try builder.sum(x, try builder.squareRoot(square)), scale: 0.5)
    },
  ]

  private static let bent: [CoreMLRow] = [
    CoreMLRow(ReLU.self) { (operation, builder) throws(WeighbridgeError) in
      try builder.relu(operation)
    },
    CoreMLRow(LeakyReLU.self) { (operation, builder) throws(WeighbridgeError) in
      try builder.activation("leakyReLU", try builder.input(), ["alpha": operation.slope])
    },
    CoreMLRow(PReLU.self) { (_, builder) throws(WeighbridgeError) in try builder.prelu() },
    CoreMLRow(HardSigmoid.self) { (operation, builder) throws(WeighbridgeError) in
      try builder.activation(
        "sigmoidHard", try builder.input(), ["alpha": operation.slope, "beta": operation.offset])
    },
    CoreMLRow(Binarization.self) { (_, builder) throws(WeighbridgeError) in
      let isPositive = try builder.compare("greaterThan", try builder.input(), 0)
      return try builder.linear(isPositive, scale: 2, offset: -1)
    },
    CoreMLRow(HardMish.self) { (_, builder) throws(WeighbridgeError) in
      let x = try builder.input()
      let square = try builder.linear(try builder.product(x, x), scale: 0.5)
      let curve = try builder.sum(square, x)
      let isLow = try builder.compare("greaterThan", x, -2)
      let low = try builder.choose(isLow, curve, try builder.number(0))
      return try builder.choose(try builder.compare("greaterThan", x, 0), x, low)
    },
    CoreMLRow(HardShrink.self) { (operation, builder) throws(WeighbridgeError) in
      let x = try builder.input()
      let isFar = try builder.compare(
        "greaterThan", try builder.unary("ABS", x), operation.threshold)
      return try builder.choose(isFar, x, try builder.number(0))
    },
    CoreMLRow(SoftShrink.self) { (operation, builder) throws(WeighbridgeError) in
      let x = try builder.input()
      return try builder.difference(
        x, try builder.clip(x, -operation.threshold, operation.threshold))
    },
    CoreMLRow(PiecewiseLinear.self) { (operation, builder) throws(WeighbridgeError) in
      try builder.piecewiseLinear(operation)
    },
    CoreMLRow(SparsePlus.self) { (_, builder) throws(WeighbridgeError) in
      let x = try builder.input()
      let next = try builder.linear(x, offset: 1)
      let curve = try builder.linear(try builder.product(next, next), scale: 0.25)
      let isLow = try builder.compare("lessEqual", x, -1)
      let low = try builder.choose(isLow, try builder.number(0), curve)
      return try builder.choose(try builder.compare("greaterEqual", x, 1), x, low)
    },
    CoreMLRow(Stair.self) { (_, builder) throws(WeighbridgeError) in
      let x = try builder.input()
      let floor = try builder.add("floor", [x])
      let half = try builder.add("floor", [try builder.linear(x, scale: 0.5)])
      let isEven = try builder.add("equal", [floor, try builder.linear(half, scale: 2)])
      let ramp = try builder.sum(try builder.difference(x, floor), half)
      return try builder.choose(isEven, half, ramp)
    },
    CoreMLRow(Threshold.self) { (operation, builder) throws(WeighbridgeError) in
      let x = try builder.input()
      let isAbove = try builder.compare("greaterThan", x, operation.threshold)
      return try builder.choose(isAbove, x, try builder.number(operation.replacement))
    },
  ]
}

extension CoreMLNetworkBuilder {
  /// The softmax along axes.
  mutating func softmax(_ input: String, _ axes: [Int]) throws(WeighbridgeError) -> String {
    if self.axes == .images {
      guard axes == [1] else { throw Self.needsExactAxes("a softmax along the axes \(axes)") }
      return try add("softmax", [input])
    }
    if axes.count == 1 { return try add("softmaxND", [input], ["axis": .integer(axes[0])]) }
    let distance = try difference(input, try reduce("reduceMax", input, axes))
    let powers = try exponential(distance)
    return try quotient(powers, try reduce("reduceSum", powers, axes))
  }

  fileprivate mutating func relu(_ operation: ReLU) throws(WeighbridgeError) -> String {
    let x = try input()
    if operation.threshold == 0, operation.slope == 0 {
      guard let maximum = operation.maximum else { return try activation("ReLU", x) }
      guard axes == .images else { return try clip(x, 0, maximum) }
      // The smaller of two numbers is minus the larger of both times -1.
      let turned = try linear(try activation("ReLU", x), scale: -1)
      return try linear(try unary("THRESHOLD", turned, alpha: -maximum), scale: -1)
    }
    if operation.threshold == 0, operation.maximum == nil {
      return try activation("leakyReLU", x, ["alpha": operation.slope])
    }
    let low = try linear(
      x, scale: operation.slope, offset: -operation.slope * operation.threshold)
    var high = x
    if let maximum = operation.maximum { high = try clip(x, 0, maximum) }
    return try choose(try compare("greaterThan", x, operation.threshold), high, low)
  }

  /// Core ML's own where the alphas differ from channel to channel at most.
  fileprivate mutating func prelu() throws(WeighbridgeError) -> String {
    let (x, alpha) = (try input(), try tensor(1))
    let isChannels = alpha.shape.dropFirst().allSatisfy { $0 == 1 }
    if isChannels, axes == .images || type().rank == 4 {
      return try add("activation", [x], ["PReLU": .record(["alpha": try weights(1)])])
    }
    let slope = try constant(alpha.reshaped([1] + alpha.shape))
    return try choose(try compare("greaterThan", x, 0), x, try product(x, slope))
  }

  /// The value at the first knot, and what each piece adds up to the element.
  fileprivate mutating func piecewiseLinear(
    _ operation: PiecewiseLinear
  ) throws(WeighbridgeError) -> String {
    let (x, knots) = (try input(), operation.knots)
    var parts: [String] = []
    for (index, slope) in operation.slopes.enumerated() where slope != 0 {
      let start = knots[max(0, index - 1)]
      let end = index == knots.count ? Double.infinity : knots[index]
      let part = try clip(
        x, index == 0 ? -.infinity : start, index == 0 ? knots[0] : end)
      parts.append(try linear(part, scale: slope, offset: -slope * start))
    }
    if parts.isEmpty { parts.append(try linear(x, scale: 0)) }
    return try linear(try chain("addBroadcastable", parts), offset: operation.value)
  }

  /// The elements in falling order, of which the first k lie above the threshold.
  fileprivate mutating func sparsemax(_ axes: [Int]) throws(WeighbridgeError) -> String {
    guard axes.count == 1 else {
      throw WeighbridgeError(.unsupported, "Core ML sorts along one axis, and this is \(axes)")
    }
    let (x, axis) = (try input(), axes[0])
    let dimension = try dimensions(type())[axis]
    let sorted = try add(
      "topK", [x], ["axis": .integer(axis), "K": .integer(dimension)], outputCount: 2)[0]
    let sums = try add("cumSum", [sorted], ["axis": .integer(axis)])
    var shape = [Int](repeating: 1, count: type().rank)
    shape[axis] = dimension
    let places = try numbers((1...max(1, dimension)).map(Double.init), shape: shape)
    let bound = try linear(try product(places, sorted), offset: 1)
    let isInside = try add("greaterThan", [bound, sums])
    let count = try reduce("reduceSum", isInside, axes)
    let total = try reduce("reduceSum", try choose(isInside, sums, try number(0)), axes)
    let threshold = try quotient(try linear(total, offset: -1), count)
    return try activation("ReLU", try difference(x, threshold))
  }
}
