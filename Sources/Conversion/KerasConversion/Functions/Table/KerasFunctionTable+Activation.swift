import Bytes
import GraphIR
import JSON
import KerasFormat
import LayerCatalog

/// Activation functions that a model calls as functions.
extension KerasFunctionTable {
  static let activations =
    entries(activationNames) { (call, operation) throws(WeighbridgeError) in
      try call.addActivation(operation)
    } + withParameters + alongAxes

  private static let activationNames: [Names<any CatalogOperator>] = [
    Names(["Relu"], tf: ["nn.relu"], ReLU(slope: 0, threshold: 0, maximum: nil)),
    Names(["Relu6"], tf: ["nn.relu6"], ReLU(slope: 0, threshold: 0, maximum: 6)),
    Names(["Sigmoid"], tf: ["math.sigmoid", "nn.sigmoid", "sigmoid"], Sigmoid()),
    Names(["Tanh"], tf: ["math.tanh", "nn.tanh", "tanh"], Tanh()),
    Names(["Softplus"], tf: ["math.softplus", "nn.softplus"], Softplus()),
    Names(["Softsign"], tf: ["nn.softsign", "math.softsign"], Softsign()),
    Names(["Selu"], tf: ["nn.selu"], SELU()),
    Names(tf: ["nn.elu"], ELU(alpha: 1)),
    Names(["Silu"], Swish()),
    Names(["LogSigmoid"], tf: ["math.log_sigmoid"], LogSigmoid()),
    Names(["HardSigmoid"], HardSigmoid(slope: 1 / 6, offset: 0.5)),
    Names(["HardSilu", "HardSwish"], HardSwish()),
    Names(["HardTanh"], Clip(minimum: -1, maximum: 1)),
    Names(["SparsePlus"], SparsePlus()),
    Names(["SparseSigmoid"], HardSigmoid(slope: 0.5, offset: 0.5)),
    Names(["TanhShrink"], TanhShrink()),
  ]

  private static let withParameters: [Entry] = [
    Entry(["Elu"]) { (call) throws(WeighbridgeError) in
      try call.addActivation(ELU(alpha: try call.real("alpha", default: 1)))
    },
    Entry(["Celu"]) { (call) throws(WeighbridgeError) in
      try call.addActivation(CELU(alpha: try call.real("alpha", default: 1)))
    },
    Entry(["LeakyRelu"]) { (call) throws(WeighbridgeError) in
      try call.addLeaky(slope: try call.real("negative_slope", default: 0.2))
    },
    Entry(tf: ["nn.leaky_relu"]) { (call) throws(WeighbridgeError) in
      try call.addLeaky(slope: try call.real("alpha", default: 0.2))
    },
    Entry(["Gelu"]) { (call) throws(WeighbridgeError) in
      try call.addActivation(GELU(isApproximate: try call.flag("approximate", default: true)))
    },
    Entry(tf: ["nn.gelu"]) { (call) throws(WeighbridgeError) in
      try call.addActivation(GELU(isApproximate: try call.flag("approximate", default: false)))
    },
    Entry(tf: ["nn.silu", "nn.swish"]) { (call) throws(WeighbridgeError) in
      let value = try call.tensor("features", at: 0)
      let beta = try call.real("beta", default: 1)
      if beta == 1 { return try call.add(Swish(), [value]) }
      let factor = try call.part(Sigmoid(), try call.scaled(value, by: beta))
      return try call.add(Multiply(), [value, factor])
    },
    Entry(["HardShrink"]) { (call) throws(WeighbridgeError) in
      let operation = HardShrink(threshold: try call.real("threshold", default: 0.5))
      if call.layer.writer.isJAX { return try call.addOfFractions(operation) }
      let value = try call.tensor("x", at: 0)
      guard call.type(of: value).elementType.isSignedInteger else {
        return try call.layer.addActivation(operation, of: value, role: "")
      }
      // The magnitude of the least integer of a type is that integer again.
      let magnitude = try call.part(UnaryMath(.absolute), value)
      let type = call.type(of: value).elementType
      let threshold = try call.number(type.wrapping(operation.threshold), like: value)
      let isLarge = try call.part(Comparison(.greater), magnitude, threshold)
      return try call.add(Where(), [isLarge, value, try call.number(0, like: value)])
    },
    Entry(["SoftShrink"]) { (call) throws(WeighbridgeError) in
      // Integers minus an integer are integers.
      let keepsType = call.isInteger("threshold") && !call.layer.writer.isJAX
      let operation = SoftShrink(threshold: try call.real("threshold", default: 0.5))
      guard keepsType else { return try call.addActivation(operation) }
      let value = try call.tensor("x", at: 0)
      let type = call.type(of: value).elementType
      let limits = 0...type.integerBounds.maximum
      guard !type.isFloat, !type.isSignedInteger || !limits.contains(operation.threshold) else {
        return try call.layer.addSelection(operation, [value])
      }
      return try call.addShrunk(value, by: operation.threshold)
    },
    Entry(["Squareplus"]) { (call) throws(WeighbridgeError) in
      try call.addActivation(Squareplus(smoothness: try call.real("b", default: 4)))
    },
    Entry(["Threshold"]) { (call) throws(WeighbridgeError) in
      guard let constant = try call.constant("default_value") else {
        throw call.missing("default_value")
      }
      let input = try call.tensor("x", at: 0)
      var threshold = try call.real("threshold")
      if !call.layer.writer.isJAX {
        threshold = call.type(of: input).elementType.wrapping(threshold)
      }
      // What is put in place of integers may be a fraction on JAX.
      let type = call.commonType([.value(input), .constant(constant)])
      let replacement = try call.element(constant, of: type, default: 0)
      return try call.layer.addActivation(
        Threshold(threshold: threshold, replacement: replacement),
        of: try call.converted(input, to: type), role: "")
    },
  ]

  private static let alongAxes: [Entry] = [
    Entry(["Softmax"], tf: ["nn.softmax", "math.softmax"]) {
      (call) throws(WeighbridgeError) in
      try call.addAlongAxes { Softmax(axes: $0) }
    },
    Entry(["LogSoftmax"], tf: ["nn.log_softmax", "math.log_softmax"]) {
      (call) throws(WeighbridgeError) in
      try call.addAlongAxes { LogSoftmax(axes: $0) }
    },
    Entry(["Sparsemax"]) { (call) throws(WeighbridgeError) in
      try call.addAlongAxes { Sparsemax(axes: $0) }
    },
    Entry(["Glu"]) { (call) throws(WeighbridgeError) in
      let value = try call.tensor("x", at: 0)
      let axis = try call.axis(of: call.type(of: value), default: -1)
      return try call.add(GLU(axis: axis), [value])
    },
  ]
}

extension KerasFunction {
  /// Adds an activation of the first argument.
  fileprivate mutating func addActivation(
    _ operation: some CatalogOperator
  ) throws(WeighbridgeError) -> [ValueID] {
    try layer.addActivation(operation, of: try tensor("x", "features", at: 0), role: "")
  }

  /// Adds what is beyond a threshold, above and below it, of integers that wrap around as it and its negative
  /// do.
  fileprivate mutating func addShrunk(
    _ value: ValueID, by threshold: Double
  ) throws(WeighbridgeError) -> [ValueID] {
    let type = type(of: value).elementType
    let upper = try number(type.wrapping(threshold), like: value)
    let lower = try number(type.wrapping(-threshold), like: value)
    let isBelow = try part(Comparison(.less), value, lower)
    let below = try part(
      Where(), isBelow, try part(Add(overflow: .wrap), value, upper), try number(0, like: value))
    let isAbove = try part(Comparison(.greater), value, upper)
    let above = try part(Subtract(overflow: .wrap), value, upper)
    return try add(Where(), [isAbove, above, below])
  }

  /// Adds a function in which JAX puts a fraction among the elements, so that integers become float32.
  fileprivate mutating func addOfFractions(
    _ operation: some CatalogOperator
  ) throws(WeighbridgeError) -> [ValueID] {
    try add(operation, [try floating(try tensor("x", at: 0))])
  }

  /// Adds a leaky rectifier.
  fileprivate mutating func addLeaky(slope: Double) throws(WeighbridgeError) -> [ValueID] {
    let value = try layer.cast([try tensor("x", "features", at: 0)], to: .float32)[0]
    let rounded = KerasLayer.constant(slope, in: type(of: value).elementType)
    return try add(LeakyReLU(slope: rounded), [value])
  }

  /// Adds a function that works along axes, by default the last one.
  fileprivate mutating func addAlongAxes(
    _ make: ([Int]) -> some CatalogOperator
  ) throws(WeighbridgeError) -> [ValueID] {
    let (value, type) = try typedTensor("x", "logits", at: 0)
    let last = try KerasLayer.axis(-1, of: type)
    let axes = try axes("axis", of: type) ?? [last]
    guard !axes.isEmpty else { throw .malformed("works along no axis") }
    return try add(make(axes), [value])
  }
}
