import Bytes
import ConversionCore
import GraphIR
import JSON
import KerasFormat
import LayerCatalog

extension BatchNormalization: KerasMapped {
  /// Keras: `BatchNormalization` and `SyncBatchNormalization` at inference; also modes 1 and 2 of
  /// Keras 1. Over several axes (Keras 2) it becomes arithmetic.
  static let keras = KerasMapping([
    KerasLayerClass(
      "BatchNormalization", masks: .passed, casts: .integersToFloat32, shape: .same,
      parts: .batchStatistics, add
    ).distributed(.result),
    KerasLayerClass(
      "SyncBatchNormalization", masks: .passed, casts: .integersToFloat32, shape: .same,
      parts: .batchStatistics, add),
    .elementwise("BatchNormalization (Keras 1)", keras1Modes),
  ])
  static let kerasRow = row { (operation, builder) throws(WeighbridgeError) in
    try builder.layer(
      "BatchNormalization",
      [
        "axis": .integer(operation.axis), "momentum": .real(operation.momentum ?? 0.99),
        "epsilon": .real(operation.epsilon), "center": .bool(operation.hasCenter),
        "scale": .bool(operation.hasScale),
      ],
      weights: builder.scales(
        operation.hasScale, operation.hasCenter, and: ["moving_mean", "moving_variance"]))
  }

  private static let add: KerasMapping.Build = { (layer, inputs) throws(WeighbridgeError) in
    let outputs = try addNormalization(to: &layer, inputs)
    guard let type = layer.types?.compute, layer.graph.type(of: outputs[0]).elementType != type
    else { return outputs }
    return try layer.add(Cast(to: type), outputs, role: "result_cast")
  }

  /// Adds the normalization in the type of the input.
  private static func addNormalization(
    to layer: inout KerasLayer, _ inputs: [ValueID]
  ) throws(WeighbridgeError) -> [ValueID] {
    let axes = try axes(&layer, inputs)
    let isRenormalized = try layer.flag("renorm", default: false)
    let isSynchronized =
      try layer.flag("synchronized", default: false)
      || layer.source.className == "SyncBatchNormalization"
    var epsilon = try layer.real("epsilon", default: 1e-3)
    if epsilon < fusedEpsilon, !isRenormalized, !isSynchronized, isFused(layer, axes, inputs[0]) {
      layer.decideOnce(
        "TensorFlow's fused batch normalization raised epsilon from \(epsilon) to \(fusedEpsilon)")
      epsilon = fusedEpsilon
    }
    let operation = BatchNormalization(
      axis: axes[0], epsilon: epsilon, hasScale: try layer.flag("scale", default: true),
      hasCenter: try layer.flag("center", default: true),
      momentum: layer.trainingNumber("momentum", in: 0...1))
    // Inference does not depend on these.
    layer.ignore("fused", "renorm_clipping", "renorm_momentum")
    try layer.require(
      "virtual_batch_size", toBe: .null, because: "it splits the batch even when the model runs")
    let usesBatch = try usesBatch(&layer, inputs, isRenormalized: isRenormalized)
    let shape = try weightShape(layer, axes, inputs[0])
    var weights: [ValueID] = []
    for slot in operation.inputs.dropFirst() {
      let isTrainable = slot.name == "gamma" || slot.name == "beta"
      if usesBatch, !isTrainable {
        try layer.ignoreWeight(slot.name, shape: shape)
        continue
      }
      weights.append(
        try layer.weight(slot.name, shape: shape, isTrainable: isTrainable, keepsType: true))
    }
    if isRenormalized {  // Renormalization has further statistics for training.
      for role in ["moving_stddev", "renorm_mean", "renorm_stddev"] {
        try layer.ignoreWeight(role, shape: shape)
      }
    }
    if usesBatch { return try operation.addOfBatch(to: &layer, inputs[0], axes, weights) }
    return axes.count == 1
      ? try layer.add(operation, inputs + weights)
      : try operation.addArithmetic(to: &layer, inputs[0], weights)
  }

  /// The smallest epsilon of `tf.nn.fused_batch_norm` (`nn_impl.py`), up to TensorFlow 2.11.
  private static let fusedEpsilon = 1.001e-5

  /// Whether Keras computed with `tf.nn.fused_batch_norm` of TensorFlow up to 2.11 (on a CPU).
  private static func isFused(_ layer: KerasLayer, _ axes: [Int], _ input: ValueID) -> Bool {
    let version = layer.version
    let type = layer.graph.type(of: input)
    guard layer.backend == .tensorflow, version.major == 2, version < KerasVersion(2, 12),
      axes.count == 1, type.elementType != .float64
    else { return false }
    let isInTensorFlow = version.suffix.hasPrefix("-tf") || version >= KerasVersion(2, 4)
    guard isInTensorFlow else {
      return version >= KerasVersion(2, 2) && type.rank == 4 && axes[0] == 3
    }
    return (type.rank == 4 && [1, 3].contains(axes[0]))
      || (type.rank == 5 && version >= KerasVersion(2, 6) && [1, 4].contains(axes[0]))
  }

  /// The axes with separate statistics for each index, counted from 0, in the order written.
  private static func axes(
    _ layer: inout KerasLayer, _ inputs: [ValueID]
  ) throws(WeighbridgeError) -> [Int] {
    try layer.axes("axis", of: layer.graph.type(of: try layer.onlyInput(inputs)))
  }

  /// The shape of each weight: one axis, or, for several axes, the input's rank.
  private static func weightShape(
    _ layer: KerasLayer, _ axes: [Int], _ input: ValueID
  ) throws(WeighbridgeError) -> [Int] {
    let type = layer.graph.type(of: input)
    let dimensions = try layer.dimensions(axes, of: type)
    guard axes.count > 1 else { return dimensions }
    var shape = type.shape.map { _ in 1 }
    for (axis, dimension) in zip(axes, dimensions) { shape[axis] = dimension }
    return shape
  }

  /// Adds the normalization as arithmetic with weights of the input's rank; `axis` is not used.
  private func addArithmetic(
    to layer: inout KerasLayer, _ input: ValueID, _ weights: [ValueID]
  ) throws(WeighbridgeError) -> [ValueID] {
    var remaining = weights[...]
    let gamma = hasScale ? remaining.popFirst() : nil
    let beta = hasCenter ? remaining.popFirst() : nil
    let (mean, variance) = (remaining[remaining.startIndex], remaining[remaining.startIndex + 1])
    let type = layer.graph.type(of: input).elementType
    let castInput = try layer.cast(
      input, to: layer.graph.type(of: mean).elementType, role: "weights_type")

    let epsilonOffset = Rescaling(scale: [1], offset: [epsilon])
    var factor = try layer.add(epsilonOffset, [variance], role: "variance_epsilon")
    factor = try layer.add(UnaryMath(.reciprocalSquareRoot), factor, role: "factor")
    if let gamma { factor = try layer.add(Multiply(), factor + [gamma], role: "scaled_factor") }
    let centered = try layer.add(Subtract(), [castInput, mean], role: "centered")
    let isCast = layer.graph.type(of: castInput).elementType != type
    var outputs = try layer.add(
      Multiply(), centered + factor, role: beta != nil || isCast ? "normalized" : "")
    if let beta { outputs = try layer.add(Add(), outputs + [beta], role: isCast ? "shifted" : "") }
    return isCast ? try layer.add(Cast(to: type), outputs) : outputs
  }

  /// The only axis that the layer normalizes, counted from 0, and its size.
  static func channels(
    _ layer: inout KerasLayer, _ inputs: [ValueID]
  ) throws(WeighbridgeError) -> (axis: Int, count: Int) {
    let axes = try axes(&layer, inputs)
    guard axes.count == 1 else { throw .unsupported("axis=\(axes), and one axis is expected") }
    return (axes[0], try layer.dimensions(axes, of: layer.graph.type(of: inputs[0]))[0])
  }
}
