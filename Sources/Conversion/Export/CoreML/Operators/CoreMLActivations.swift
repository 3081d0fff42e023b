import Bytes
import CoreMLFormat
import GraphIR
import LayerCatalog
import ProtobufWire

/// Functions of single elements, and of the elements along axes.
enum CoreMLActivations {
  static let rows: [CoreMLRow] =
    smooth + bent + [
      CoreMLRow(Softmax.self) { (operation, draft) throws(WeighbridgeError) in
        try draft.softmax(try draft.input(), operation.axes)
      },
      CoreMLRow(LogSoftmax.self) { (operation, draft) throws(WeighbridgeError) in
        let (x, axes) = (try draft.input(), operation.axes)
        let distance = try draft.difference(x, try draft.reduce("reduceMax", x, axes))
        let total = try draft.reduce("reduceSum", try draft.exponential(distance), axes)
        return try draft.difference(distance, try draft.unary("LOG", total))
      },
      CoreMLRow(GroupedSoftmax.self) { (operation, draft) throws(WeighbridgeError) in
        let parts = try draft.split(try draft.input(), axis: operation.axis, operation.sizes)
        var shares: [String] = []
        for part in parts { shares.append(try draft.softmax(part, [operation.axis])) }
        return try draft.concatenate(shares, axis: operation.axis)
      },
      CoreMLRow(Sparsemax.self) { (operation, draft) throws(WeighbridgeError) in
        try draft.sparsemax(operation.axes)
      },
      CoreMLRow(GLU.self) { (operation, draft) throws(WeighbridgeError) in
        let half = try draft.extents(draft.outputType)[operation.axis]
        let halves = try draft.split(try draft.input(), axis: operation.axis, [half, half])
        return try draft.product(halves[0], try draft.activation("sigmoid", halves[1]))
      },
    ]

  private static let smooth: [CoreMLRow] = [
    CoreMLRow(Exponential.self) { (_, draft) throws(WeighbridgeError) in
      try draft.exponential(try draft.input())
    },
    CoreMLRow(Sigmoid.self) { (_, draft) throws(WeighbridgeError) in
      try draft.activation("sigmoid", try draft.input())
    },
    CoreMLRow(Softplus.self) { (_, draft) throws(WeighbridgeError) in
      try draft.activation("softplus", try draft.input())
    },
    CoreMLRow(Softsign.self) { (_, draft) throws(WeighbridgeError) in
      try draft.activation("softsign", try draft.input())
    },
    CoreMLRow(Tanh.self) { (_, draft) throws(WeighbridgeError) in
      try draft.activation("tanh", try draft.input())
    },
    CoreMLRow(ELU.self) { (operation, draft) throws(WeighbridgeError) in
      try draft.activation("ELU", try draft.input(), ["alpha": operation.alpha])
    },
    CoreMLRow(CELU.self) { (operation, draft) throws(WeighbridgeError) in
      let share = try draft.linear(try draft.input(), scale: 1 / operation.alpha)
      let bent = try draft.activation("ELU", share, ["alpha": 1])
      return try draft.linear(bent, scale: operation.alpha)
    },
    CoreMLRow(SELU.self) { (_, draft) throws(WeighbridgeError) in
      let bent = try draft.activation("ELU", try draft.input(), ["alpha": SELU.alpha])
      return try draft.linear(bent, scale: SELU.scale)
    },
    CoreMLRow(GELU.self) { (operation, draft) throws(WeighbridgeError) in
      let mode = operation.isApproximate ? "TANH_APPROXIMATION" : "EXACT"
      return try draft.add("gelu", [try draft.input()], ["mode": .choice(mode)])
    },
    CoreMLRow(LogSigmoid.self) { (_, draft) throws(WeighbridgeError) in
      let turned = try draft.linear(try draft.input(), scale: -1)
      return try draft.linear(try draft.activation("softplus", turned), scale: -1)
    },
    CoreMLRow(Squareplus.self) { (operation, draft) throws(WeighbridgeError) in
      let x = try draft.input()
      let square = try draft.linear(try draft.product(x, x), offset: operation.smoothness)
      return try draft.linear(
        try draft.sum(x, try draft.squareRoot(square)), scale: 0.5)
    },
  ]

  private static let bent: [CoreMLRow] = [
    CoreMLRow(ReLU.self) { (operation, draft) throws(WeighbridgeError) in
      try draft.relu(operation)
    },
    CoreMLRow(LeakyReLU.self) { (operation, draft) throws(WeighbridgeError) in
      try draft.activation("leakyReLU", try draft.input(), ["alpha": operation.slope])
    },
    CoreMLRow(PReLU.self) { (_, draft) throws(WeighbridgeError) in try draft.prelu() },
    CoreMLRow(HardSigmoid.self) { (operation, draft) throws(WeighbridgeError) in
      try draft.activation(
        "sigmoidHard", try draft.input(), ["alpha": operation.slope, "beta": operation.offset])
    },
    CoreMLRow(Binarization.self) { (_, draft) throws(WeighbridgeError) in
      let isPositive = try draft.compare("greaterThan", try draft.input(), 0)
      return try draft.linear(isPositive, scale: 2, offset: -1)
    },
    CoreMLRow(HardMish.self) { (_, draft) throws(WeighbridgeError) in
      let x = try draft.input()
      let square = try draft.linear(try draft.product(x, x), scale: 0.5)
      let curve = try draft.sum(square, x)
      let isLow = try draft.compare("greaterThan", x, -2)
      let low = try draft.choose(isLow, curve, try draft.number(0))
      return try draft.choose(try draft.compare("greaterThan", x, 0), x, low)
    },
    CoreMLRow(HardShrink.self) { (operation, draft) throws(WeighbridgeError) in
      let x = try draft.input()
      let isFar = try draft.compare(
        "greaterThan", try draft.unary("ABS", x), operation.threshold)
      return try draft.choose(isFar, x, try draft.number(0))
    },
    CoreMLRow(SoftShrink.self) { (operation, draft) throws(WeighbridgeError) in
      let x = try draft.input()
      return try draft.difference(
        x, try draft.clip(x, -operation.threshold, operation.threshold))
    },
    CoreMLRow(PiecewiseLinear.self) { (operation, draft) throws(WeighbridgeError) in
      try draft.piecewiseLinear(operation)
    },
    CoreMLRow(SparsePlus.self) { (_, draft) throws(WeighbridgeError) in
      let x = try draft.input()
      let next = try draft.linear(x, offset: 1)
      let curve = try draft.linear(try draft.product(next, next), scale: 0.25)
      let isLow = try draft.compare("lessEqual", x, -1)
      let low = try draft.choose(isLow, try draft.number(0), curve)
      return try draft.choose(try draft.compare("greaterEqual", x, 1), x, low)
    },
    CoreMLRow(Stair.self) { (_, draft) throws(WeighbridgeError) in
      let x = try draft.input()
      let floor = try draft.add("floor", [x])
      let half = try draft.add("floor", [try draft.linear(x, scale: 0.5)])
      let isEven = try draft.add("equal", [floor, try draft.linear(half, scale: 2)])
      let ramp = try draft.sum(try draft.difference(x, floor), half)
      return try draft.choose(isEven, half, ramp)
    },
    CoreMLRow(Threshold.self) { (operation, draft) throws(WeighbridgeError) in
      let x = try draft.input()
      let isAbove = try draft.compare("greaterThan", x, operation.threshold)
      return try draft.choose(isAbove, x, try draft.number(operation.replacement))
    },
  ]
}

extension CoreMLDraft {
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
    let extent = try extents(type())[axis]
    let sorted = try add(
      "topK", [x], ["axis": .integer(axis), "K": .integer(extent)], outputCount: 2)[0]
    let sums = try add("cumSum", [sorted], ["axis": .integer(axis)])
    var shape = [Int](repeating: 1, count: type().rank)
    shape[axis] = extent
    let places = try numbers((1...max(1, extent)).map(Double.init), shape: shape)
    let bound = try linear(try product(places, sorted), offset: 1)
    let isInside = try add("greaterThan", [bound, sums])
    let count = try reduce("reduceSum", isInside, axes)
    let total = try reduce("reduceSum", try choose(isInside, sums, try number(0)), axes)
    let threshold = try quotient(try linear(total, offset: -1), count)
    return try activation("ReLU", try difference(x, threshold))
  }
}
