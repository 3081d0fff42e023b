import Bytes
import ConversionCore
import CoreMLFormat
import GraphIR
import LayerCatalog
import ProtobufWire

/// Normalizations, scaling and shifting by weights, and constants.
enum CoreMLNormalizations: CoreMLFamily {
  static let rows: [CoreMLRow] = [
    CoreMLRow(BatchNormalization.self) { (operation, builder) throws(WeighbridgeError) in
      try builder.batchNormalization(operation)
    },
    CoreMLRow(native: LayerNormalization.self) { (operation, builder) throws(WeighbridgeError) in
      guard operation.normalizesLastAxes(rank: builder.type().rank), operation.hasScale,
        operation.hasCenter, operation.epsilon > 0
      else { return nil }
      let shape = try builder.dimensions(builder.type(1))
      return try builder.add(
        "layerNormalization", [try builder.input()],
        [
          "normalizedShape": .integers(shape), "eps": .double(operation.epsilon),
          "gamma": try builder.weights(1), "beta": try builder.weights(2),
        ])
    },
    CoreMLRow(native: LocalResponseNormalization.self) {
      (operation, builder) throws(WeighbridgeError) in
      guard operation.omitted == nil, operation.axis == 1, builder.type().rank == 4,
        operation.before == operation.after, operation.bias > 0
      else { return nil }
      let size = operation.before + operation.after + 1
      return try builder.add(
        "lrn", [try builder.input()],
        [
          "alpha": .double(operation.alpha * Double(size)), "beta": .double(operation.beta),
          "localSize": .integer(size), "k": .double(operation.bias),
        ])
    },
  ]

  static let nodes: [String: CoreMLLayerImport.Build] = [
    "batchnorm": { (layer) throws(WeighbridgeError) in [try layer.batchNormalization()] },
    "mvn": { (layer) throws(WeighbridgeError) in [try layer.meanVarianceNormalization()] },
    "l2normalize": { (layer) throws(WeighbridgeError) in [try layer.l2Normalization()] },
    "lrn": { (layer) throws(WeighbridgeError) in [try layer.localResponseNormalization()] },
    "layerNormalization": { (layer) throws(WeighbridgeError) in
      [try layer.layerNormalization()]
    },
    "scale": { (layer) throws(WeighbridgeError) in [try layer.scale()] },
    "bias": { (layer) throws(WeighbridgeError) in
      let images = try layer.images(try layer.input())
      let bias = try layer.imageConstant("bias", "bias", shape: layer.integers("shape"))
      return [try layer.tensor(layer.add(Add(), [images.value, bias]), like: images)]
    },
    "loadConstant": { (layer) throws(WeighbridgeError) in
      let shape = layer.integers("shape")
      guard shape.count == 3 else {
        throw layer.malformed(
          "has the shape \(shape), expected the sizes of channels, height, width")
      }
      let value = try layer.weight("data", "data", shape: shape)
      return [CoreMLBlob(value, [.channel, .height, .width], rank: 5)]
    },
    "loadConstantND": { (layer) throws(WeighbridgeError) in
      let shape = layer.integers("shape")
      return [try layer.fullRankBlob(try layer.weight("data", "data", shape: shape))]
    },
  ]
}

extension CoreMLNetworkBuilder {
  /// Adds Core ML's batch normalization for its channel axis, or a product and a sum for another.
  fileprivate mutating func batchNormalization(
    _ operation: BatchNormalization
  ) throws(WeighbridgeError) -> String {
    let statistics = operands.count - 2
    let (mean, variance) = (try tensor(statistics), try tensor(statistics + 1))
    let count = mean.count
    let hasChannels = operation.axis == 1 && (axes == .images || type().rank == 4)
    // Core ML treats an epsilon of 0 as unset.
    guard hasChannels, operation.epsilon > 0 else {
      return try affine(operation).name
    }
    let inputs = NormalizationInputs(
      hasScale: operation.hasScale, hasCenter: operation.hasCenter)
    let gamma =
      try inputs.scale.map { (position) throws(WeighbridgeError) in try weights(position) }
      ?? weights([Double](repeating: 1, count: count))
    let beta =
      try inputs.offset.map { (position) throws(WeighbridgeError) in try weights(position) }
      ?? weights([Double](repeating: 0, count: count))
    return try add(
      "batchnorm", [try input()],
      [
        "channels": .integer(count), "epsilon": .double(operation.epsilon), "gamma": gamma,
        "beta": beta, "mean": weights(mean), "variance": weights(variance),
      ])
  }
}

extension CoreMLLayerImport {
  fileprivate mutating func batchNormalization() throws(WeighbridgeError) -> CoreMLBlob {
    let channels = integer("channels")
    let epsilon = double("epsilon", zeroMeans: 1e-5)
    let computesStatistics = flag("computeMeanVar")
    let isInstanceNormalization = flag("instanceNormalization")
    guard !computesStatistics || isInstanceNormalization else {
      throw unsupported(
        "computes its statistics from the whole batch (computeMeanVar without instanceNormalization); "
          + "stored statistics and those of each instance can be read")
    }
    let blob = try input()
    if computesStatistics { return try instanceNormalization(blob, channels, epsilon) }
    var axes = blob.axes
    if !axes.contains(.channel) { axes = Set(axes + [.channel]).sorted() }
    let value = try value(blob, axes)
    var weights: [ValueID] = []
    for role in ["gamma", "beta", "mean", "variance"] {
      weights.append(try weight(role, role, shape: [channels]))
    }
    let operation = BatchNormalization(
      axis: axes.firstIndex(of: .channel) ?? 0, epsilon: epsilon, hasScale: true,
      hasCenter: true)
    return CoreMLBlob(try add(operation, [value] + weights), axes, rank: blob.rank)
  }

  private mutating func instanceNormalization(
    _ blob: CoreMLBlob, _ channels: Int, _ epsilon: Double
  ) throws(WeighbridgeError) -> CoreMLBlob {
    ignore("mean", "variance")
    let images = try images(blob)
    var value = try add(
      LayerNormalization(axes: [2, 3], epsilon: epsilon, hasScale: false, hasCenter: false),
      [images.value], role: "statistics")
    let gamma = try imageConstant("gamma", "gamma", shape: [channels])
    value = try add(Multiply(), [value, gamma], role: "scale")
    let beta = try imageConstant("beta", "beta", shape: [channels])
    return try tensor(add(Add(), [value, beta]), like: images)
  }

  /// Adds a weight of the shape `[1]`, `[channels]`, `[1, height, width]` or
  /// `[channels, height, width]` as `[1, channels, height, width]`.
  fileprivate mutating func imageConstant(
    _ role: String, _ name: String, shape: [Int]
  ) throws(WeighbridgeError) -> ValueID {
    guard [1, 3].contains(shape.count) else {
      throw malformed("\(name) has the shape \(shape), expected 1 or 3 axes")
    }
    let tensor = try tensor(name, shape: shape)
    return try addWeight(
      role, tensor.reshaped([1] + shape + (shape.count == 1 ? [1, 1] : [])))
  }

  fileprivate mutating func meanVarianceNormalization() throws(WeighbridgeError) -> CoreMLBlob {
    let images = try images(try input())
    let axes = flag("acrossChannels") ? [1, 2, 3] : [2, 3]
    let epsilon = double("epsilon", zeroMeans: 1e-6)
    guard !flag("normalizeVariance") else {
      let operation = LayerNormalization(
        axes: axes, epsilon: epsilon, hasScale: false, hasCenter: false)
      return try tensor(add(operation, [images.value]), like: images)
    }
    let mean = try add(
      Reduce(.mean, axes: axes, keepDims: true), [images.value], role: "mean")
    return try tensor(add(Subtract(), [images.value, mean]), like: images)
  }

  /// Adds x / sqrt(sum(x^2) + epsilon), summed over channels, height and width.
  fileprivate mutating func l2Normalization() throws(WeighbridgeError) -> CoreMLBlob {
    let epsilon = double("epsilon", zeroMeans: 1e-6)
    let images = try images(try input())
    var factor = try add(UnaryMath(.square), [images.value], role: "squares")
    factor = try add(Reduce(.sum, axes: [1, 2, 3], keepDims: true), [factor], role: "sum")
    factor = try add(Rescaling(scale: [1], offset: [epsilon]), [factor], role: "epsilon")
    factor = try add(UnaryMath(.reciprocalSquareRoot), [factor], role: "factor")
    return try tensor(add(Multiply(), [images.value, factor]), like: images)
  }

  fileprivate mutating func localResponseNormalization() throws(WeighbridgeError) -> CoreMLBlob {
    let images = try images(try input())
    let size = integer("localSize")
    guard size >= 1 else { throw malformed("has the localSize \(size), expected at least 1") }
    let operation = LocalResponseNormalization(
      axis: 1, before: (size - 1) / 2, after: size / 2, alpha: double("alpha") / Double(size),
      beta: double("beta"), bias: double("k", zeroMeans: 1), omitted: nil)
    return try tensor(add(operation, [images.value]), like: images)
  }

  fileprivate mutating func layerNormalization() throws(WeighbridgeError) -> CoreMLBlob {
    let blob = try input()
    let shape = integers("normalizedShape")
    guard !shape.isEmpty, shape.count <= blob.rank else {
      throw malformed(
        "has the normalizedShape \(shape), expected 1 to \(blob.rank.counted("size")) for an input of rank "
          + "\(blob.rank)")
    }
    let operation = LayerNormalization(
      axes: Array(blob.rank - shape.count..<blob.rank), epsilon: double("eps", zeroMeans: 1e-5),
      hasScale: true, hasCenter: true)
    let weights = [
      try weight("gamma", "gamma", shape: shape), try weight("beta", "beta", shape: shape),
    ]
    return try fullRankBlob(add(operation, [fullRank(blob)] + weights))
  }

  fileprivate mutating func scale() throws(WeighbridgeError) -> CoreMLBlob {
    let images = try images(try input())
    let scale = try imageConstant("scale", "scale", shape: integers("shapeScale"))
    let shape = integers("shapeBias")
    guard flag("hasBias") else {
      ignore("bias")
      return try tensor(add(Multiply(), [images.value, scale]), like: images)
    }
    let product = try add(Multiply(), [images.value, scale], role: "product")
    let bias = try imageConstant("bias", "bias", shape: shape)
    return try tensor(add(Add(), [product, bias]), like: images)
  }
}
