import Bytes
import DarknetFormat
import GraphIR

/// The settings of a convolution that several sections have.
struct DarknetWindow {
  var filters: Int
  var size: Int
  var strideX: Int
  var strideY: Int
  var padding: Int
  var dilation = 1
  var groups = 1

  /// The window as the operators take it.
  var window: Window {
    let before = [padding * dilation, padding * dilation]
    return Window(
      size: [size, size], strides: [strideY, strideX], dilation: [dilation, dilation],
      padding: .explicit(before: before, after: before))
  }
}

/// `[convolutional]`, `[deconvolutional]`, `[local]`.
enum DarknetConvolutions {
  static let builders: [String: DarknetLayer.Build] = [
    "convolutional": convolutional,
    "deconvolutional": deconvolutional,
  ]

  private static let convolutional: DarknetLayer.Build = {
    (layer) throws(WeighbridgeError) in
    let normalizes = try layer.flag("batch_normalize")
    let alsoNormalizes = try layer.flag("cbn")
    let isBinary = try layer.flag("xnor")
    var window = try layer.darknetWindow(filters: "filters", defaultSize: 1)
    let antialiasing = try layer.integer("antialiasing", default: 0)
    let activation = try layer.activationName(default: "logistic")
    let isFlipped = try layer.flag("flipped")
    try layer.checkLoading()
    let strides = (window.strideX, window.strideY)
    if isBinary { window.groups = 1 }
    if antialiasing != 0 { (window.strideX, window.strideY) = (1, 1) }
    let shared = try layer.sharedWeights()
    var output = try layer.convolved(
      layer.input, window, normalizes: normalizes || alsoNormalizes, activation: activation,
      form: .init(isFlipped: isFlipped, isBinary: isBinary), shared: shared)
    if antialiasing != 0 {
      output = try layer.blurred(
        output, strides: strides, isWide: antialiasing != 2)
    }
    return output
  }

  /// Of pjreddie's darknet. Its kernels are `[in, out, height, width]`, which is the operator's
  /// order. (The fork itself cannot load its weights: it divides by 0 on the way.)
  private static let deconvolutional: DarknetLayer.Build = {
    (layer) throws(WeighbridgeError) in
    let normalizes = try layer.flag("batch_normalize")
    let window = try layer.darknetWindow(filters: "filters", defaultSize: 1)
    let activation = try layer.activationName(default: "logistic")
    try layer.checkLoading()
    let channels = try layer.picture(layer.input).channels
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
}

extension DarknetLayer {
  /// How the numbers of a convolution's kernel are meant.
  struct KernelForm {
    /// Whether the file has them as `[in, height, width, out]`.
    var isFlipped = false
    /// Whether they and the input count by their signs only.
    var isBinary = false
  }

  /// Reads the settings of a window.
  ///
  /// `pad` is a flag: it puts half of the size on each side, whatever `padding` says.
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
    // Where the two do not agree, darknet reads and writes beyond its buffers.
    guard size == 1 || dilation == 1 || 2 * padding == size - 1 else {
      throw unsupported(
        "dilation=\(dilation) with a padding of \(padding): darknet dilates the padding too and "
          + "computes the output's size without it, so only half of an odd size works")
    }
    return DarknetWindow(
      filters: filters, size: size, strideX: strideX, strideY: strideY, padding: padding,
      dilation: size == 1 ? 1 : dilation, groups: max(1, groups))
  }

  /// Reads `stride_x` and `stride_y`, which count where they are positive.
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

  /// Adds a convolution as darknet stores it: biases, the numbers of the batch normalisation, the
  /// kernel.
  ///
  /// - Parameters:
  ///   - prefix: What stands before the roles: empty, or for example `input/`.
  ///   - shared: The weights in place of those of the file.
  mutating func convolved(
    _ value: ValueID, _ window: DarknetWindow, normalizes: Bool, activation: String,
    form: KernelForm = KernelForm(), shared: [String: ValueID]? = nil, prefix: String = ""
  ) throws(WeighbridgeError) -> ValueID {
    let channels = try picture(value).channels
    guard channels % window.groups == 0, window.filters % window.groups == 0 else {
      throw malformed(
        "\(channels) channels and \(window.filters) filters cannot be put in "
          + "\(window.groups) groups")
    }
    let before = network.weights.taken
    let bias: ValueID
    var statistics: Statistics?
    let kernel: ValueID
    if let shared {
      bias = try Self.shared(normalizes ? "beta" : "bias", of: shared)
      if normalizes { statistics = try Self.sharedStatistics(of: shared) }
      kernel = try Self.shared("kernel", of: shared)
      result.weights = shared
    } else {
      bias = try weight(
        normalizes ? "\(prefix)beta" : "\(prefix)bias", shape: [window.filters])
      if normalizes { statistics = try self.statistics(prefix, count: window.filters) }
      kernel = try convolutionKernel(window, channels: channels, form, prefix: prefix)
    }
    result.numbersPerFilter = (network.weights.taken - before) / window.filters
    let role = prefix.isEmpty ? "" : String(prefix.dropLast())
    let source =
      form.isBinary ? try add(Binarization(), [value], role: "\(prefix)binarize") : value
    let operation = Convolution(
      window: window.window, groups: window.groups, hasBias: !normalizes,
      layout: .channelsFirst)
    var output = try add(
      operation, [source, kernel] + (normalizes ? [] : [bias]), role: role)
    if let statistics {
      output = try normalized(
        output, statistics, beta: bias, role: "\(prefix)batch_normalization")
    }
    return try activated(output, activation, role: "\(prefix)activation")
  }

  private mutating func convolutionKernel(
    _ window: DarknetWindow, channels: Int, _ form: KernelForm, prefix: String
  ) throws(WeighbridgeError) -> ValueID {
    let shape = [window.filters, channels / window.groups, window.size, window.size]
    let fanIn = try Checked.product(shape[1...], of: "the size of a filter")
    let isWhole = network.weights.shortage == nil
    return try kernel(
      "\(prefix)kernel", shape: form.isFlipped ? [fanIn, window.filters] : shape, fanIn: fanIn
    ) { stored in
      let turned =
        form.isFlipped
        ? stored.permuted([1, 0]).splitting(1, into: Array(shape[1...])) : stored
      return form.isBinary && isWhole ? Self.binarized(turned) : turned
    }
  }

  /// Each number's sign times the mean magnitude of its filter.
  private static func binarized(_ kernel: Tensor) -> Tensor {
    var numbers = kernel.doubles
    let size = kernel.shape[1...].reduce(1, *)
    for start in stride(from: 0, to: numbers.count, by: max(1, size)) {
      let mean = numbers[start..<start + size].reduce(0) { $0 + $1.magnitude } / Double(size)
      for index in start..<start + size { numbers[index] = numbers[index] > 0 ? mean : -mean }
    }
    return Tensor(.float32, shape: kernel.shape, numbers)
  }

  private static func shared(
    _ role: String, of weights: [String: ValueID]
  ) throws(WeighbridgeError) -> ValueID {
    guard let value = weights[role] else {
      throw WeighbridgeError(
        .malformed, "share_index names a layer that is no such convolution: it has no \(role)")
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
    let channels = try picture(value).channels
    let size = isWide ? 3 : 2
    let weights =
      isWide ? [1.0, 2, 1, 2, 4, 2, 1, 2, 1].map { $0 / 16 } : [0.25, 0.25, 0.25, 0.25]
    let one = Tensor(.float32, shape: [1, 1, size, size], weights)
    let kernel = try constant(
      "blur/kernel", one.broadcast(to: [channels, 1, size, size]).contiguous())
    let window = DarknetWindow(
      filters: channels, size: size, strideX: strides.x, strideY: strides.y,
      padding: isWide ? 1 : 0)
    let operation = Convolution(
      window: window.window, groups: channels, hasBias: false, layout: .channelsFirst)
    return try add(operation, [value, kernel], role: "blur")
  }
}
