import Bytes
import ConversionCore
import GraphIR
import LayerCatalog

/// Convolutions, also those that TensorFlow.js joins with what follows.
enum TensorFlowConvolutions {
  static let nodes: TensorFlowOperators.Table = [
    "Conv2D": { (layer) throws(WeighbridgeError) in [try layer.convolution()] },
    "Conv2DBackpropInput": { (layer) throws(WeighbridgeError) in
      [try layer.transposedConvolution()]
    },
    "Conv3D": { (layer) throws(WeighbridgeError) in [try layer.convolution()] },
    "Conv3DBackpropInputV2": { (layer) throws(WeighbridgeError) in
      [try layer.transposedConvolution()]
    },
    "DepthwiseConv2dNative": { (layer) throws(WeighbridgeError) in
      [try layer.depthwiseConvolution()]
    },
    "FusedBatchNorm": normalization, "FusedBatchNormV2": normalization,
    "FusedBatchNormV3": normalization,
    "FusedDepthwiseConv2dNative": { (layer) throws(WeighbridgeError) in
      try layer.fused { (layer) throws(WeighbridgeError) in try layer.depthwiseConvolution() }
    },
    "_FusedConv2D": { (layer) throws(WeighbridgeError) in
      try layer.fused { (layer) throws(WeighbridgeError) in try layer.convolution() }
    },
  ]

  private static let normalization: TensorFlowLayer.Build = { (layer) throws(WeighbridgeError) in
    guard try !layer.flag("is_training", default: true) else {
      throw layer.unsupported(
        "normalizes by the statistics of its batch, as in training; save the model for inference")
    }
    layer.ignore("exponential_avg_factor")
    let inputs = try layer.inputs()
    guard inputs.count == 5 else { throw layer.malformed("has \(inputs.count) inputs, expected 5") }
    let operation = BatchNormalization(
      axis: try layer.layout().channelAxis(rank: layer.type(inputs[0]).rank),
      epsilon: try layer.real("epsilon", default: Double(Float(0.0001))), hasScale: true,
      hasCenter: true)
    return try layer.apply(operation, inputs)
  }
}

extension TensorFlowLayer {
  /// What the padding of a window is called.
  private mutating func padding(
    _ layout: DataLayout, rank: Int
  ) throws(WeighbridgeError) -> WindowPadding {
    let borders = try integers("explicit_paddings")
    switch try string("padding", default: "") {
    case "SAME": return .same
    case "VALID": return .valid
    case "EXPLICIT" where borders.count == 2 * rank:
      let axes = layout.spatialAxes(rank: rank)
      return .explicit(
        before: axes.map { borders[2 * $0] }, after: axes.map { borders[2 * $0 + 1] })
    case let name: throw unsupported("has the padding \(name), expected SAME, VALID or EXPLICIT")
    }
  }

  /// The numbers of an attribute with one for each axis, of which those of the batch and the
  /// channels are 1.
  private mutating func spatial(
    _ name: String, _ layout: DataLayout, rank: Int
  ) throws(WeighbridgeError) -> [Int] {
    let numbers = try integers(name)
    if numbers.isEmpty { return [Int](repeating: 1, count: rank - 2) }
    let axes = layout.spatialAxes(rank: rank)
    guard numbers.count == rank,
      numbers.indices.allSatisfy({ axes.contains($0) || numbers[$0] == 1 })
    else {
      throw unsupported(
        "has \(name) \(numbers), expected \(rank) numbers with 1 for the batch and the channels")
    }
    return axes.map { numbers[$0] }
  }

  /// Reads a window.
  ///
  /// - Parameter size: Its size; `nil` where an attribute has it.
  mutating func window(
    _ size: [Int]?, _ layout: DataLayout, rank: Int
  ) throws(WeighbridgeError) -> Window {
    let stated = try spatial("ksize", layout, rank: rank)
    let window = Window(
      size: size ?? stated, strides: try spatial("strides", layout, rank: rank),
      dilation: try spatial("dilations", layout, rank: rank),
      padding: try padding(layout, rank: rank))
    if let problem = window.problem { throw malformed(problem) }
    return window
  }

  /// Returns the kernel with axes in another order.
  private func kernel(_ axes: [Int]) throws(WeighbridgeError) -> SourceValue {
    let kernel = try input(1)
    guard type(kernel).rank == axes.count else {
      throw malformed("has the kernel \(type(kernel)), and one of \(axes.count) axes is expected")
    }
    return try derived(kernel, "") { $0.permuted(axes) }
  }

  private func channels(
    _ image: SourceValue, _ layout: DataLayout, rank: Int
  ) throws(WeighbridgeError) -> Int {
    guard type(image).rank == rank,
      let channels = type(image).shape[layout.channelAxis(rank: rank)].value, channels > 0
    else {
      throw unsupported(
        "takes \(type(image)), expected \(rank) axes and a known number of channels")
    }
    return channels
  }

  /// Adds a convolution, whose kernel is `[spatial..., in/groups, out]`.
  fileprivate mutating func convolution() throws(WeighbridgeError) -> SourceValue {
    let (image, layout) = (try input(0), try layout())
    let rank = type(try input(1)).rank
    guard (3...5).contains(rank) else {
      throw malformed("has a kernel of \(rank) axes, expected 3 to 5")
    }
    let kernel = try kernel([rank - 1, rank - 2] + Array(0..<rank - 2))
    let (channels, shape) = (
      try channels(image, layout, rank: rank), type(kernel).fixedShape ?? []
    )
    guard shape[1] > 0, channels % shape[1] == 0 else {
      throw malformed("has the kernel \(type(kernel)), which does not fit \(type(image))")
    }
    let window = try window(Array(shape[2...]), layout, rank: rank)
    let operation = Convolution(
      window: window, groups: channels / shape[1], hasBias: false, layout: layout)
    return try apply(operation, [image, kernel])[0]
  }

  /// Adds a convolution of each channel, whose kernel is `[height, width, in, multiplier]`.
  fileprivate mutating func depthwiseConvolution() throws(WeighbridgeError) -> SourceValue {
    let (image, layout) = (try input(0), try layout())
    let channels = try channels(image, layout, rank: 4)
    let stored = try kernel([2, 3, 0, 1])
    let shape = type(stored).fixedShape ?? []
    guard shape[0] == channels else {
      throw malformed("has the kernel \(type(try input(1))), which does not fit \(type(image))")
    }
    let out = try Checked.product(shape[..<2], of: "the number of channels")
    let kernel = try derived(stored, "") { $0.reshaped([out, 1] + shape[2...]) }
    let window = try window(Array(shape[2...]), layout, rank: 4)
    let operation = Convolution(
      window: window, groups: channels, hasBias: false, layout: layout)
    return try apply(operation, [image, kernel])[0]
  }

  /// Adds a transposed convolution, whose kernel is `[spatial..., out, in]` and whose output's shape
  /// is the first input.
  fileprivate mutating func transposedConvolution() throws(WeighbridgeError) -> SourceValue {
    let (image, layout) = (try input(2), try layout())
    let rank = type(try input(1)).rank
    guard (3...5).contains(rank), type(image).rank == rank else {
      throw malformed("has a kernel of \(rank) axes for \(type(image)), expected as many")
    }
    let kernel = try kernel([rank - 1, rank - 2] + Array(0..<rank - 2))
    let window = try window(Array((type(kernel).fixedShape ?? [])[2...]), layout, rank: rank)
    guard window.padding == .same || window.padding == .valid else {
      throw unsupported("enlarges an image with explicit padding, expected SAME or VALID")
    }
    let sizes = try input(0).dimensions ?? []
    guard sizes.count == rank else {
      throw unsupported("enlarges an image to \(sizes.count) sizes, expected \(rank) known ones")
    }
    let targets = layout.spatialAxes(rank: rank).compactMap { sizes[$0].number }
    return try transposedConvolution([image, kernel], window, to: targets, layout)
  }

  /// Adds what TensorFlow.js and its optimizer join: an operation, and those that follow it.
  mutating func fused(
    _ body: (inout Self) throws(WeighbridgeError) -> SourceValue
  ) throws(WeighbridgeError) -> [SourceValue] {
    ignore("num_args", "num_host_args")
    guard try string("filter_format", default: "HWIO") == "HWIO" else {
      throw unsupported("has a kernel in another order than HWIO, which is expected")
    }
    let steps = try strings("fused_ops")
    let (epsilon, slope) = (
      try real("epsilon", default: Double(Float(0.0001))),
      try real("leakyrelu_alpha", default: Double(Float(0.2)))
    )
    guard !steps.isEmpty else { return [try body(&self)] }
    var value = try intermediate(body)
    var next = 2
    for (position, step) in steps.enumerated() {
      let role = position == steps.count - 1 ? "" : step
      switch step {
      case "BiasAdd":
        // TensorFlow.js also joins an addition of a tensor with all axes.
        let bias = try input(next)
        value =
          type(bias).rank == 1
          ? try biased(value, bias, try layout(), role: role)
          : try apply(Add(), try aligned([value, bias]), role: role)[0]
        next += 1
      case "FusedBatchNorm":
        let statistics = [
          try input(next), try input(next + 1), try input(next + 2), try input(next + 3),
        ]
        next += 4
        let operation = BatchNormalization(
          axis: try layout().channelAxis(rank: type(value).rank), epsilon: epsilon, hasScale: true,
          hasCenter: true)
        value = try apply(operation, [value] + statistics, role: role)[0]
      case "Prelu":
        value = try prelu(value, try input(next), role: role)
        next += 1
      default:
        let operation: (any CatalogOperator)? =
          step == "LeakyRelu" ? LeakyReLU(slope: slope) : TensorFlowActivations.functions[step]?()
        guard let operation else {
          throw unsupported("is joined with \(step), which cannot be read")
        }
        value = try apply(operation, to: value, role: role)
      }
    }
    return [value]
  }

  /// Adds a number for each channel.
  mutating func biased(
    _ value: SourceValue, _ bias: SourceValue, _ layout: DataLayout, role: String = ""
  ) throws(WeighbridgeError) -> SourceValue {
    guard type(bias).rank == 1 else {
      throw malformed("has the bias \(type(bias)), and one number for each channel is expected")
    }
    let after = layout == .channelsLast ? 0 : max(0, type(value).rank - 2)
    let shaped =
      after == 0
      ? bias : try apply(ExpandDims(axes: Array(1...after)), to: bias, role: "bias")
    return try apply(Add(), try aligned([value, shaped]), role: role)[0]
  }

  mutating func prelu(
    _ value: SourceValue, _ slopes: SourceValue, role: String = ""
  ) throws(WeighbridgeError) -> SourceValue {
    let (rank, type) = (type(value).rank, type(slopes))
    guard rank > 0, type.rank < rank || type.rank == rank && type.shape.first == 1 else {
      throw unsupported(
        "has slopes \(type) for each image of a batch, and only slopes that all images share can "
          + "be read")
    }
    let alpha = try derived(slopes, "") { tensor in
      let sizes = tensor.shape.count >= rank ? tensor.shape.dropFirst() : tensor.shape[...]
      return tensor.reshaped([Int](repeating: 1, count: rank - 1 - sizes.count) + sizes)
    }
    return try apply(PReLU(), [value, alpha], role: role)[0]
  }
}
