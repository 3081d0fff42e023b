import Bytes
import ConversionCore
import DarknetFormat
import GraphIR
import LayerCatalog

/// The convolution settings that several sections share.
struct DarknetWindow {
  var filters: Int
  var size: Int
  var strideX: Int
  var strideY: Int
  var padding: Int
  var dilation = 1
  var groups = 1

  /// The window of the operator.
  var window: Window {
    let before = [padding * dilation, padding * dilation]
    return Window(
      size: [size, size], strides: [strideY, strideX], dilation: [dilation, dilation],
      padding: .explicit(before: before, after: before))
  }
}

/// `[convolutional]`, `[deconvolutional]`, `[local]`.
enum DarknetConvolutions {
  static let sections: [String: DarknetSectionForm] = [
    "convolutional": DarknetSectionForm(build: convolutional) {
      (layer, section) throws(WeighbridgeError) in
      guard !layer.has("binarize") else {
        throw .unsupported(
          "has a binarized kernel (xnor=1), and darknet needs the numbers that it was made of")
      }
      section.flag("batch_normalize", layer.has("batch_normalization"))
      let (convolution, node) = try layer.node(Convolution.self, "")
      section.set("filters", try layer.inputShape(node, 1)[0])
      let blur = layer.has("blur") ? try layer.operation(Convolution.self, "blur") : nil
      section.set(
        window: convolution.window, strides: blur?.window.strides, groups: convolution.groups)
      if let blur { section.set("antialiasing", blur.window.size[0] == 3 ? 1 : 2) }
      if let sharedSection = layer.sectionIndices[node.inputs[1]] {
        section.set("share_index", sharedSection)
      }
      section.set("activation", try layer.activation())
    },
    "deconvolutional": DarknetSectionForm(build: deconvolutional) {
      (layer, section) throws(WeighbridgeError) in
      section.flag("batch_normalize", layer.has("batch_normalization"))
      let (convolution, node) = try layer.node(TransposedConvolution.self)
      section.set("filters", try layer.inputShape(node, 1)[1])
      section.set(window: convolution.window)
      section.set("activation", try layer.activation())
    },
    "local": DarknetSectionForm(build: local) { (layer, section) throws(WeighbridgeError) in
      let (convolution, node) = try layer.node(LocallyConnected.self)
      let kernel = try layer.inputShape(node, 1)
      section.set("filters", kernel[2])
      section.set("size", kernel[4])
      section.set("stride", convolution.strides[0])
      section.set("pad", convolution.before[0])
      section.set("activation", try layer.activation())
    },
  ]

  private static let convolutional: DarknetLayer.Build = {
    (layer) throws(WeighbridgeError) in
    let normalizes = try layer.flag("batch_normalize")
    let usesCBN = try layer.flag("cbn")  // cross-iteration batch normalization
    let isBinary = try layer.flag("xnor")
    var window = try layer.darknetWindow(filters: "filters", defaultSize: 1)
    let antialiasing = try layer.integer("antialiasing", default: 0)
    let activation = try layer.activationName(default: "logistic")
    let isFlipped = try layer.flag("flipped")
    try layer.checkLoading()
    let strides = (window.strideX, window.strideY)
    if isBinary { window.groups = 1 }
    if antialiasing != 0 { (window.strideX, window.strideY) = (1, 1) }
    layer.decideOnSkippedStep(window)
    let channels = try layer.image(layer.input).channels
    let weights: DarknetLayer.ConvolutionWeights
    if let shared = try layer.sharedWeights() {
      guard !isBinary else {
        throw layer.unsupported(
          "has share_index and xnor=1, and a shared kernel cannot be binarized")
      }
      try layer.checkGroups(window, channels: channels)
      weights = try layer.convolutionWeights(
        of: shared, window, normalizes: normalizes || usesCBN)
      layer.result.weights = shared
    } else if isBinary {
      return try layer.binaryConvolution(
        window, normalizes: normalizes || usesCBN, isFlipped: isFlipped,
        activation: activation)
    } else {
      weights = try layer.convolutionWeights(
        "", window, channels: channels, normalizes: normalizes || usesCBN,
        isFlipped: isFlipped)
    }
    let output = try layer.convolved(layer.input, weights, activation: activation)
    if antialiasing == 0 { return output }
    return try layer.blurred(output, strides: strides, isWide: antialiasing != 2)
  }

  /// Only in pjreddie's darknet. Its kernels are `[in, out, height, width]`, as in the operator.
  /// (The fork itself cannot load its weights, since it divides by 0.)
  private static let deconvolutional: DarknetLayer.Build = {
    (layer) throws(WeighbridgeError) in
    let normalizes = try layer.flag("batch_normalize")
    let window = try layer.darknetWindow(filters: "filters", defaultSize: 1)
    let activation = try layer.activationName(default: "logistic")
    try layer.checkLoading()
    let channels = try layer.image(layer.input).channels
    let bias = try layer.weight(normalizes ? "beta" : "bias", shape: [window.filters])
    let statistics =
      normalizes ? try layer.statistics("", count: window.filters) : nil
    let kernel = try layer.kernel(
      "kernel", shape: [channels, window.filters, window.size, window.size],
      fanIn: channels * window.size * window.size)
    let operation = TransposedConvolution(
      window: window.window, outputPadding: [0, 0], groups: 1, hasBias: !normalizes,
      layout: .channelsFirst)
    var output = try layer.add(
      operation, [layer.input, kernel] + (normalizes ? [] : [bias]))
    if let statistics {
      output = try layer.normalized(
        output, statistics, beta: bias, role: "batch_normalization")
    }
    return try layer.activated(output, activation)
  }

  /// A convolution with a kernel for each position; the biases are `[out, height, width]`.
  private static let local: DarknetLayer.Build = { (layer) throws(WeighbridgeError) in
    let filters = try layer.integer("filters", default: 1, in: 1...1 << 24)
    let size = try layer.integer("size", default: 1, in: 1...1 << 12)
    let stride = try layer.integer("stride", default: 1, in: 1...1 << 12)
    let padding = try layer.integer("pad", default: 0, in: 0...1 << 12)
    let activation = try layer.activationName(default: "logistic")
    try layer.checkLoading()
    let dimensions = try layer.image(layer.input)
    let effectiveSize = padding == 0 ? size : 1
    guard padding == 0 || size == 2 * padding + 1 else {
      throw layer.unsupported(
        "has pad=\(padding) with size=\(size): darknet computes the output's size as if half of the "
          + "size were padded, and pads with that number")
    }
    guard dimensions.height >= effectiveSize, dimensions.width >= effectiveSize else {
      throw layer.malformed("a window of \(size) does not fit \(layer.shape(of: layer.input))")
    }
    let outputSize = [
      (dimensions.height - effectiveSize) / stride + 1,
      (dimensions.width - effectiveSize) / stride + 1,
    ]
    let bias = try layer.weight("bias", shape: [filters] + outputSize) { $0.permuted([1, 2, 0]) }
    let kernel = try layer.kernel(
      "kernel", shape: outputSize + [filters, dimensions.channels, size, size],
      fanIn: dimensions.channels * size * size)
    let operation = LocallyConnected(
      dimensions: [dimensions.height, dimensions.width], strides: [stride, stride],
      before: [padding, padding], hasBias: true, layout: .channelsFirst)
    let output = try layer.add(operation, [layer.input, kernel, bias])
    return try layer.activated(output, activation)
  }
}

extension DarknetLayer {
  /// Reads the settings of a window.
  ///
  /// `pad` is a flag: it pads each side by half of the size and overrides `padding`.
  mutating func darknetWindow(
    filters key: String, defaultSize: Int, defaultPad: Bool = false
  ) throws(WeighbridgeError) -> DarknetWindow {
    let filters = try integer(key, default: 1, in: 1...1 << 24)
    let size = try integer("size", default: defaultSize, in: 1...1 << 16)
    let stride = try integer("stride", default: 1, in: 1...1 << 16)
    let (strideX, strideY) = try strides(default: stride)
    let explicit = try integer("padding", default: 0, in: 0...1 << 16)
    let padding = try flag("pad", default: defaultPad) ? size / 2 : explicit
    let groups = try integer("groups", default: 1, in: 0...1 << 24)
    let dilation = try integer("dilation", default: 1, in: 1...1 << 16)
    // In all other cases, darknet reads and writes beyond its buffers.
    guard size == 1 || dilation == 1 || 2 * padding == size - 1 else {
      throw unsupported(
        "has dilation=\(dilation) with a padding of \(padding): darknet dilates the padding too and "
          + "computes the output's size without it, so only half of an odd size works")
    }
    return DarknetWindow(
      filters: filters, size: size, strideX: strideX, strideY: strideY, padding: padding,
      dilation: size == 1 ? 1 : dilation, groups: max(1, groups))
  }

  /// Records that darknet without cuDNN computes something else for a convolution of size 1: it
  /// multiplies the image as it is, without skipping or padding its elements. pjreddie's does so
  /// always, AlexeyAB's if the stride along x is 1.
  mutating func decideOnSkippedStep(_ window: DarknetWindow) {
    let isTakenAsIs = window.size == 1 && (fork == .pjreddie || window.strideX == 1)
    guard isTakenAsIs, (window.strideX, window.strideY, window.padding) != (1, 1, 0) else { return }
    decide(
      "a convolution of size 1 with stride_x=\(window.strideX), stride_y=\(window.strideY) and "
        + "padding=\(window.padding) is computed as it is meant, and as cuDNN does; on a CPU "
        + "\(fork.title) skips the step that applies the strides and the padding, and gives other "
        + "numbers")
  }

  /// Reads `stride_x` and `stride_y`, which override the stride if they are positive.
  mutating func strides(default stride: Int) throws(WeighbridgeError) -> (x: Int, y: Int) {
    let strideX = try integer("stride_x", default: -1, in: -1...1 << 16)
    let strideY = try integer("stride_y", default: -1, in: -1...1 << 16)
    return (strideX < 1 ? stride : strideX, strideY < 1 ? stride : strideY)
  }

  /// The weights of the layer that `share_index` names.
  mutating func sharedWeights() throws(WeighbridgeError) -> [String: ValueID]? {
    guard let reference = try optionalInteger("share_index", in: -1_000_000...1 << 24) else {
      return nil
    }
    _ = try output(reference, key: "share_index")
    return network.layers[reference < 0 ? index + reference : reference].weights
  }

  /// The weights of a convolution.
  struct ConvolutionWeights {
    let prefix: String
    let window: DarknetWindow
    /// The bias of each channel; with a batch normalization, its beta.
    let bias: ValueID
    let kernel: ValueID
    let statistics: Statistics?
  }

  /// Takes the weights of a convolution in the order of the file: biases, batch normalization,
  /// kernel.
  ///
  /// - Parameters:
  ///   - prefix: The prefix of the roles: empty, or for example `input/`.
  ///   - isFlipped: Whether the file stores the kernel as `[in, height, width, out]`.
  mutating func convolutionWeights(
    _ prefix: String, _ window: DarknetWindow, channels: Int, normalizes: Bool,
    isFlipped: Bool = false
  ) throws(WeighbridgeError) -> ConvolutionWeights {
    try checkGroups(window, channels: channels)
    let takenBefore = network.weights.taken
    let bias = try weight(
      normalizes ? "\(prefix)beta" : "\(prefix)bias", shape: [window.filters])
    let statistics = normalizes ? try statistics(prefix, count: window.filters) : nil
    let shape = [window.filters, channels / window.groups, window.size, window.size]
    let fanIn = try Checked.product(shape[1...], of: "the size of a filter")
    let kernel = try kernel(
      "\(prefix)kernel", shape: isFlipped ? [fanIn, window.filters] : shape, fanIn: fanIn
    ) { stored in
      isFlipped
        ? stored.permuted([1, 0]).splitting(1, into: Array(shape[1...])) : stored
    }
    result.parametersPerFilter = (network.weights.taken - takenBefore) / window.filters
    return ConvolutionWeights(
      prefix: prefix, window: window, bias: bias, kernel: kernel, statistics: statistics)
  }

  func checkGroups(_ window: DarknetWindow, channels: Int) throws(WeighbridgeError) {
    guard channels % window.groups == 0, window.filters % window.groups == 0 else {
      throw malformed(
        "\(channels) channels and \(window.filters) filters cannot be put in "
          + "\(window.groups) groups")
    }
  }

  /// Adds a convolution with its batch normalization and activation.
  mutating func convolved(
    _ value: ValueID, _ weights: ConvolutionWeights, activation: String = "linear"
  ) throws(WeighbridgeError) -> ValueID {
    let prefix = weights.prefix
    let operation = Convolution(
      window: weights.window.window, groups: weights.window.groups,
      hasBias: weights.statistics == nil, layout: .channelsFirst)
    var output = try add(
      operation,
      [value, weights.kernel] + (weights.statistics == nil ? [weights.bias] : []),
      role: prefix.isEmpty ? "" : String(prefix.dropLast()))
    if let statistics = weights.statistics {
      output = try normalized(
        output, statistics, beta: weights.bias, role: "\(prefix)batch_normalization")
    }
    return try activated(output, activation, role: "\(prefix)activation")
  }

  /// The weights of a convolution that shares those of another layer.
  func convolutionWeights(
    of shared: [String: ValueID], _ window: DarknetWindow, normalizes: Bool
  ) throws(WeighbridgeError) -> ConvolutionWeights {
    ConvolutionWeights(
      prefix: "", window: window,
      bias: try Self.shared(normalizes ? "beta" : "bias", of: shared),
      kernel: try Self.shared("kernel", of: shared),
      statistics: normalizes ? try Self.sharedStatistics(of: shared) : nil)
  }

  private static func shared(
    _ role: String, of weights: [String: ValueID]
  ) throws(WeighbridgeError) -> ValueID {
    guard let value = weights[role] else {
      throw .malformed(
        "takes by share_index the weights of a layer that has no \(role), and only those of a like convolution "
          + "can be taken")
    }
    return value
  }

  private static func sharedStatistics(
    of weights: [String: ValueID]
  ) throws(WeighbridgeError) -> Statistics {
    Statistics(
      gamma: try shared("gamma", of: weights), mean: try shared("mean", of: weights),
      variance: try shared("variance", of: weights))
  }

  /// Adds the fixed blur of `antialiasing`: 3x3 binomial weights, or the mean of 2x2.
  mutating func blurred(
    _ value: ValueID, strides: (x: Int, y: Int), isWide: Bool
  ) throws(WeighbridgeError) -> ValueID {
    let channels = try image(value).channels
    let size = isWide ? 3 : 2
    let weights =
      isWide ? [1.0, 2, 1, 2, 4, 2, 1, 2, 1].map { $0 / 16 } : [0.25, 0.25, 0.25, 0.25]
    let filter = Tensor(.float32, shape: [1, 1, size, size], weights)
    let kernel = try constant(
      "blur/kernel", filter.broadcast(to: [channels, 1, size, size]).contiguous())
    let window = DarknetWindow(
      filters: channels, size: size, strideX: strides.x, strideY: strides.y,
      padding: isWide ? 1 : 0)
    let operation = Convolution(
      window: window.window, groups: channels, hasBias: false, layout: .channelsFirst)
    return try add(operation, [value, kernel], role: "blur")
  }
}
