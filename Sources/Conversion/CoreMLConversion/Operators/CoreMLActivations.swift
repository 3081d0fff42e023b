import Bytes
import ConversionCore
import CoreMLFormat
import GraphIR
import LayerCatalog
import ProtobufWire

/// Activations: elementwise functions, and functions along axes.
enum CoreMLActivations: CoreMLFamily {
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
      try builder.unary("EXP", try builder.input())
    },
    CoreMLRow(native: ReLU.self) { (operation, builder) throws(WeighbridgeError) in
      try builder.relu(operation)
    },
    CoreMLRow(native: PReLU.self) { (_, builder) throws(WeighbridgeError) in
      try builder.prelu()
    },
    CoreMLRow(native: Softmax.self) { (operation, builder) throws(WeighbridgeError) in
      try builder.softmax(try builder.input(), operation.axes)
    },
  ]

  static let nodes: [String: CoreMLLayerImport.Build] = [
    "activation": { (layer) throws(WeighbridgeError) in [try layer.activation()] },
    "unary": { (layer) throws(WeighbridgeError) in [try layer.unaryFunction()] },
    "softmax": { (layer) throws(WeighbridgeError) in
      [try layer.softmax()]
    },
    "softmaxND": { (layer) throws(WeighbridgeError) in
      let blob = try layer.input()
      return [try layer.softmax(blob, try layer.axis(of: blob))]
    },
    "clip": { (layer) throws(WeighbridgeError) in
      let (low, high) = (layer.double("minVal"), layer.double("maxVal"))
      return [try layer.elementwise(Clip(minimum: low, maximum: high))]
    },
    "clampedReLU": { (layer) throws(WeighbridgeError) in
      let (slope, largest) = (layer.double("alpha"), layer.double("beta"))
      guard slope < 0 || largest < 0 else {
        return [try layer.elementwise(ReLU(slope: slope, threshold: 0, maximum: largest))]
      }
      let blob = try layer.input()
      let slanted = try layer.add(LeakyReLU(slope: slope), [blob.value], role: "slope")
      return [
        blob.withValue(try layer.add(Clip(minimum: -.infinity, maximum: largest), [slanted]))
      ]
    },
    "gelu": { (layer) throws(WeighbridgeError) in
      let mode = layer.choice("mode", default: "EXACT")
      guard mode == "SIGMOID_APPROXIMATION" else {
        return [try layer.elementwise(GELU(isApproximate: mode == "TANH_APPROXIMATION"))]
      }
      let blob = try layer.input()
      let scaled = try layer.add(
        Rescaling(scale: [1.702], offset: [0]), [blob.value], role: "scale")
      let gate = try layer.add(Sigmoid(), [scaled], role: "gate")
      return [blob.withValue(try layer.add(Multiply(), [blob.value, gate]))]
    },
    "tanh": elementwise(Tanh()), "copy": elementwise(Identity()),
  ]

  /// Returns the activation in a record where it is a single operator without weights.
  static func operation(_ record: ProtobufRecord) -> (any CatalogOperator)? {
    guard record.fields.count == 1, let (name, value) = record.fields.first,
      case .record(let settings) = value
    else { return nil }
    let (alpha, beta) = (settings.double("alpha"), settings.double("beta"))
    return switch name {
    case "linear": Rescaling(scale: [alpha], offset: [beta])
    case "ReLU": ReLU(slope: 0, threshold: 0, maximum: nil)
    case "leakyReLU": LeakyReLU(slope: alpha)
    case "tanh": Tanh()
    case "sigmoid": Sigmoid()
    case "sigmoidHard": HardSigmoid(slope: alpha, offset: beta)
    case "ELU": ELU(alpha: alpha)
    case "softsign": Softsign()
    case "softplus": Softplus()
    default: nil
    }
  }
}

extension CoreMLNetworkBuilder {
  /// Adds Core ML's softmax along one axis; returns `nil` for several.
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
    guard operation.isPrimitive else { return nil }
    let x = try input()
    if operation.slope == 0, let maximum = operation.maximum, axes == .exact {
      return try clip(x, 0, maximum)
    }
    let activated =
      operation.slope == 0
      ? try activation("ReLU", x) : try activation("leakyReLU", x, ["alpha": operation.slope])
    guard let maximum = operation.maximum else { return activated }
    // min(a, b) = -max(-a, -b).
    let negated = try linear(activated, scale: -1)
    return try linear(try unary("THRESHOLD", negated, alpha: -maximum), scale: -1)
  }

  /// Adds Core ML's PReLU where alpha varies only by channel; returns `nil` otherwise.
  fileprivate mutating func prelu() throws(WeighbridgeError) -> String? {
    guard try tensor(1).shape.dropFirst().allSatisfy({ $0 == 1 }),
      axes == .images || type().rank == 4
    else { return nil }
    return try add(
      "activation", [try input()], ["PReLU": .record(["alpha": try weights(1)])])
  }
}

extension CoreMLLayerImport {
  /// Applies an elementwise operator to the layer's input.
  mutating func elementwise(
    _ operation: some CatalogOperator
  ) throws(WeighbridgeError) -> CoreMLBlob {
    let blob = try input()
    return blob.withValue(try add(operation, [blob.value]))
  }

  /// Adds the softmax along the channels. A vector is the channels, as where the network maps it to
  /// five axes, and a matrix has them last, after the batch.
  fileprivate mutating func softmax() throws(WeighbridgeError) -> CoreMLBlob {
    let blob = try input()
    guard blob.rank < 3 else { return try softmax(blob, .channel) }
    decide(
      "takes an array of rank \(blob.rank), for which Core ML's specification names no channels; "
        + "its last axis is taken for them")
    return try softmax(blob, .width)
  }

  fileprivate mutating func softmax(
    _ blob: CoreMLBlob, _ axis: CoreMLAxis
  ) throws(WeighbridgeError) -> CoreMLBlob {
    let axes = blob.axes(with: axis)
    let positions = axes.indices.filter { axes[$0] == axis }
    let value = try add(Softmax(axes: positions), [value(blob, axes)])
    return CoreMLBlob(value, axes, rank: blob.rank)
  }

  fileprivate mutating func activation() throws(WeighbridgeError) -> CoreMLBlob {
    let blob = try input()
    if let operation = CoreMLActivations.operation(definition.settings) {
      definition.settings.fields.keys.forEach { ignore($0) }
      return blob.withValue(try add(operation, [blob.value]))
    }
    if let settings = record("PReLU") { return try prelu(blob, settings) }
    if let settings = record("thresholdedReLU") {
      return blob.withValue(try thresholded(blob.value, settings.double("alpha")))
    }
    if let settings = record("scaledTanh") {
      let scaled = try add(
        Rescaling(scale: [settings.double("beta")], offset: [0]), [blob.value], role: "scale")
      let tanh = try add(Tanh(), [scaled], role: "tanh")
      return blob.withValue(
        try add(Rescaling(scale: [settings.double("alpha")], offset: [0]), [tanh]))
    }
    if let settings = record("parametricSoftplus") {
      try requireAxes([.channel], of: blob)
      let images = try images(blob)
      let (alpha, beta) = (
        try channelWeight("alpha", settings, blob), try channelWeight("beta", settings, blob)
      )
      let scaled = try add(Multiply(), [images.value, beta], role: "scale")
      let softplus = try add(Softplus(), [scaled], role: "softplus")
      return try tensor(add(Multiply(), [softplus, alpha]), like: images)
    }
    throw malformed("names no activation or several, and a layer has one")
  }

  /// Adds x where it is at least the threshold, and 0 elsewhere. ``ReLU`` leaves the threshold out.
  private mutating func thresholded(
    _ value: ValueID, _ threshold: Double
  ) throws(WeighbridgeError) -> ValueID {
    let shape = type(value).shape.map { _ in 1 }
    let isPassed = try add(
      Comparison(.greaterOrEqual), [value, constant("threshold", shape: shape, [threshold])],
      role: "passes")
    return try add(Where(), [isPassed, value, constant("zero", shape: shape, [0])])
  }

  private mutating func prelu(
    _ blob: CoreMLBlob, _ settings: ProtobufRecord
  ) throws(WeighbridgeError) -> CoreMLBlob {
    try requireAxes([.channel], of: blob)
    let images = try images(blob)
    let alpha = try channelTensor("alpha", settings, images.value)
    let weight = try addWeight("alpha", alpha.reshaped([alpha.count, 1, 1]))
    return try tensor(add(PReLU(), [images.value, weight]), like: images)
  }

  /// Reads one number, or one for each channel.
  private mutating func channelTensor(
    _ name: String, _ settings: ProtobufRecord, _ image: ValueID
  ) throws(WeighbridgeError) -> Tensor {
    if let single = try? tensor(name, in: settings, shape: [1]) { return single }
    guard let channels = type(image).shape[1].value else {
      throw unsupported(
        "has a parameter for each channel of \(type(image)), and only a known number of channels can be read"
      )
    }
    return try tensor(name, in: settings, shape: [channels])
  }

  private mutating func channelWeight(
    _ name: String, _ settings: ProtobufRecord, _ blob: CoreMLBlob
  ) throws(WeighbridgeError) -> ValueID {
    let image = try images(blob).value
    let tensor = try channelTensor(name, settings, image)
    return try addWeight(name, tensor.reshaped([1, tensor.count, 1, 1]))
  }

  /// Adds f(scale * x + shift), where a scale of 0 means 1.
  fileprivate mutating func unaryFunction() throws(WeighbridgeError) -> CoreMLBlob {
    let blob = try input()
    let scale = double("scale", zeroMeans: 1)
    var shift = double("shift")
    let epsilon = double("epsilon", zeroMeans: 1e-6)
    let alpha = double("alpha")
    let kind = choice("type", default: "SQRT")
    if ["RSQRT", "INVERSE"].contains(kind) { shift += epsilon }
    var value = blob.value
    if (scale, shift) != (1, 0) {
      value = try add(Rescaling(scale: [scale], offset: [shift]), [value], role: "scale")
    }
    switch kind {
    case "SQRT": value = try add(UnaryMath(.squareRoot), [value])
    case "RSQRT": value = try add(UnaryMath(.reciprocalSquareRoot), [value])
    case "INVERSE": value = try add(UnaryMath(.reciprocal), [value])
    case "EXP": value = try add(Exponential(), [value])
    case "LOG": value = try add(UnaryMath(.logarithm), [value])
    case "ABS": value = try add(UnaryMath(.absolute), [value])
    case "THRESHOLD": value = try add(Clip(minimum: alpha, maximum: .infinity), [value])
    default:  // POWER
      let shape = type(value).shape.map { _ in 1 }
      let exponent = try constant("exponent", shape: shape, [alpha])
      value = try add(BinaryMath(.power), [value, exponent])
    }
    return blob.withValue(value)
  }
}
