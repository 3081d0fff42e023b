import Bytes
import ConversionCore
import CoreMLFormat
import GraphIR
import LayerCatalog
import ProtobufWire

/// Functions of single elements, and of the elements along axes.
enum CoreMLActivations {
  static let rows: [CoreMLRow] = [
    CoreMLRow(Sigmoid.self, activation: "sigmoid"),
    CoreMLRow(Softplus.self, activation: "softplus"),
    CoreMLRow(Softsign.self, activation: "softsign"),
    CoreMLRow(Tanh.self, activation: "tanh"),
    CoreMLRow(ELU.self, activation: "ELU") { ["alpha": $0.alpha] },
    CoreMLRow(LeakyReLU.self, activation: "leakyReLU") { ["alpha": $0.slope] },
    CoreMLRow(HardSigmoid.self, activation: "sigmoidHard") {
      ["alpha": $0.slope, "beta": $0.offset]
    },
    CoreMLRow(GELU.self, is: "gelu") {
      ["mode": .choice($0.isApproximate ? "TANH_APPROXIMATION" : "EXACT")]
    },
    CoreMLRow(Exponential.self) { (_, builder) throws(WeighbridgeError) in
      try builder.exponential(try builder.input())
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
    CoreMLRow(native: ReLU.self) { (operation, builder) throws(WeighbridgeError) in
      try builder.relu(operation)
    },
    CoreMLRow(native: PReLU.self) { (_, builder) throws(WeighbridgeError) in
      try builder.prelu()
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
    CoreMLRow(native: Softmax.self) { (operation, builder) throws(WeighbridgeError) in
      try builder.softmax(try builder.input(), operation.axes)
    },
    // Core ML cuts images along their channels by a layer of its own.
    CoreMLRow(GroupedSoftmax.self) { (operation, builder) throws(WeighbridgeError) in
      let parts = try builder.split(try builder.input(), axis: operation.axis, operation.sizes)
      var shares: [String] = []
      for part in parts {
        shares.append(
          try builder.apply(Softmax(axes: [operation.axis]), to: part, builder.outputType))
      }
      return try builder.concatenate(shares, axis: operation.axis)
    },
    CoreMLRow(GLU.self) { (operation, builder) throws(WeighbridgeError) in
      let half = try builder.dimensions(builder.outputType)[operation.axis]
      let halves = try builder.split(try builder.input(), axis: operation.axis, [half, half])
      return try builder.product(halves[0], try builder.activation("sigmoid", halves[1]))
    },
    CoreMLRow(Sparsemax.self) { (operation, builder) throws(WeighbridgeError) in
      try builder.sparsemax(operation.axes)
    },
  ]
}

extension CoreMLNetworkBuilder {
  /// Core ML's own softmax along one axis; `nil` for several.
  fileprivate mutating func softmax(
    _ input: String, _ axes: [Int]
  ) throws(WeighbridgeError) -> String? {
    if self.axes == .images {
      guard axes == [1] else { throw Self.needsExactAxes("a softmax along the axes \(axes)") }
      return try add("softmax", [input])
    }
    return axes.count == 1 ? try add("softmaxND", [input], ["axis": .integer(axes[0])]) : nil
  }

  fileprivate mutating func relu(_ operation: ReLU) throws(WeighbridgeError) -> String? {
    guard case .primitive = operation.decomposition else { return nil }
    let x = try input()
    if operation.slope == 0, let maximum = operation.maximum, axes == .exact {
      return try clip(x, 0, maximum)
    }
    let bent =
      operation.slope == 0
      ? try activation("ReLU", x) : try activation("leakyReLU", x, ["alpha": operation.slope])
    guard let maximum = operation.maximum else { return bent }
    // The smaller of two numbers is minus the larger of both times -1.
    let negative = try linear(bent, scale: -1)
    return try linear(try unary("THRESHOLD", negative, alpha: -maximum), scale: -1)
  }

  /// Core ML's own where the alphas differ from channel to channel at most; `nil` elsewhere.
  fileprivate mutating func prelu() throws(WeighbridgeError) -> String? {
    guard try tensor(1).shape.dropFirst().allSatisfy({ $0 == 1 }),
      axes == .images || type().rank == 4
    else { return nil }
    return try add(
      "activation", [try input()], ["PReLU": .record(["alpha": try weights(1)])])
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
