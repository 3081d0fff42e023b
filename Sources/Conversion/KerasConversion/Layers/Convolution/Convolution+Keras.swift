import Bytes
import ConversionCore
import GraphIR
import JSON
import KerasFormat
import LayerCatalog

/// Keras: `Conv1D`, `Conv2D`, `Conv3D`, `DepthwiseConv1D`, `DepthwiseConv2D`, `SeparableConv1D`,
/// `SeparableConv2D`.
///
/// Keras' kernels are `[spatial..., in/groups, out]`; those of depthwise layers are
/// `[spatial..., in, multiplier]` and produce output channel `in * multiplier + m`.
extension Convolution: KerasMapped {
  static let keras = KerasMapping(
    [
      KerasLayerClass.spatial("Conv", shape: { .image(axes: $0, isGrouped: true) }, standard),
      KerasLayerClass.spatial("DepthwiseConv", 1...2, shape: { .image(axes: $0) }, depthwise),
      KerasLayerClass.spatial("SeparableConv", 1...2, shape: { .image(axes: $0) }, separable),
    ].flatMap { $0.distributed(.weights) })
  static let kerasRow = row { (operation, builder) throws(WeighbridgeError) in
    let window = operation.window
    try builder.check(window)
    let kernel = try builder.tensor(1)
    let axes = window.size.count
    let isDepthwise =
      operation.groups > 1 && kernel.shape[1] == 1 && axes < 3
      && Set(window.strides).count == 1
    let (paddingName, borders) =
      isDepthwise
      ? try builder.depthwisePadding(window, builder.type())
      : try builder.padding(window, builder.type())
    let input = try builder.padded(borders)
    var settings = builder.settings(window, paddingName)
    settings["use_bias"] = .bool(operation.hasBias)
    guard isDepthwise else {
      settings["filters"] = .integer(kernel.shape[0])
      settings["groups"] = .integer(operation.groups)
      let transposed = kernel.permuted(Array(2..<axes + 2) + [1, 0])
      return try builder.layer(
        "Conv\(axes)D", settings, [input],
        weights: [KerasLayerWeight(name: "kernel", tensor: transposed)]
          + builder.bias(operation.hasBias))
    }
    let multiplier = kernel.shape[0] / operation.groups
    settings["depth_multiplier"] = .integer(multiplier)
    let splitKernel = kernel.splitting(0, into: [operation.groups, multiplier])
    let transposed = splitKernel.permuted(Array(3..<axes + 3) + [0, 1, 2]).reshaped(
      window.size + [operation.groups, multiplier])
    let name = builder.format == .archive ? "kernel" : "depthwise_kernel"
    return try builder.layer(
      "DepthwiseConv\(axes)D", settings, [input],
      weights: [KerasLayerWeight(name: name, tensor: transposed)] + builder.bias(operation.hasBias))
  }

  private static func standard(
    _ layer: inout KerasLayer, _ inputs: [ValueID], axes: Int
  ) throws(WeighbridgeError) -> [ValueID] {
    let filters = try layer.integer("filters")
    let groups = try layer.integer("groups", default: 1)
    let hasBias = try layer.flag("use_bias", default: true)
    let layout = try layer.dataLayout()
    let window = try window(&layer, axes: axes)
    let folded = try foldedInput(&layer, inputs, axes: axes, layout)
    let inputs = [folded.value]
    let channels = try layer.channels(of: inputs, layout: layout)
    guard groups >= 1 else { throw .malformed("has groups=\(groups), expected at least 1") }
    guard channels % groups == 0, filters % groups == 0, filters >= 1 else {
      throw .malformed(
        "has \(channels) channels and \(filters) filters, which must be multiples of the "
          + "\(groups.counted("group"))")
    }
    layer.ignore("lora_rank", "lora_alpha")  // Keras' own files contain the sum.
    let isFlipped = layer.flipsKernels
    let kernel = try layer.weight("kernel", shape: window.size + [channels / groups, filters]) {
      $0.permuted([axes + 1, axes] + Array(0..<axes)).flipped(from: 2, if: isFlipped)
    }
    let role = folded.levels.isEmpty ? "" : "convolution"
    let output = try layer.addConvolution(
      inputs + [kernel], channels: filters, hasBias: hasBias, layout, role: role
    ) { Convolution(window: window, groups: groups, hasBias: $0, layout: layout) }
    return try layer.addActivation(to: try layer.unfolded(output, folded.levels))
  }

  /// The input, with all axes before the spatial ones merged: since 2.4, Keras 2 takes more than the
  /// batch there.
  private static func foldedInput(
    _ layer: inout KerasLayer, _ inputs: [ValueID], axes: Int, _ layout: DataLayout
  ) throws(WeighbridgeError) -> (value: ValueID, levels: [ValueID]) {
    let (input, type) = try layer.typedInput(inputs)
    let count = type.rank - axes - 2
    guard count > 0, layout == .channelsLast, layer.version >= KerasVersion(2, 4),
      layer.version.major < 3
    else { return (input, []) }
    return try layer.folded(input, count)
  }

  private static func depthwise(
    _ layer: inout KerasLayer, _ inputs: [ValueID], axes: Int
  ) throws(WeighbridgeError) -> [ValueID] {
    let multiplier = try layer.integer("depth_multiplier", default: 1)
    let hasBias = try layer.flag("use_bias", default: true)
    let layout = try layer.dataLayout()
    let window = try window(&layer, axes: axes)
    // Keras writes these settings of the superclass; a depthwise layer does not use them.
    layer.ignore("filters", "groups")
    let channels = try layer.channels(of: inputs, layout: layout)
    let kernel = try depthwiseKernel(&layer, window, channels, multiplier, role: "kernel")
    let output = try layer.addConvolution(
      inputs + [kernel], channels: channels * multiplier, hasBias: hasBias, layout
    ) { Convolution(window: window, groups: channels, hasBias: $0, layout: layout) }
    return try layer.addActivation(to: output)
  }

  private static func separable(
    _ layer: inout KerasLayer, _ inputs: [ValueID], axes: Int
  ) throws(WeighbridgeError) -> [ValueID] {
    let filters = try layer.integer("filters")
    let multiplier = try layer.integer("depth_multiplier", default: 1)
    let hasBias = try layer.flag("use_bias", default: true)
    let layout = try layer.dataLayout()
    try dropIgnoredDilation(&layer, axes: axes)
    let window = try window(&layer, axes: axes)
    try layer.require("groups", toBe: 1, because: "Keras has no grouped separable convolution")
    let channels = try layer.channels(of: inputs, layout: layout)
    let depthwiseOperation = Convolution(
      window: window, groups: channels, hasBias: false, layout: layout)
    let kernel = try depthwiseKernel(
      &layer, window, channels, multiplier, role: "depthwise_kernel")
    let intermediate = try layer.add(depthwiseOperation, inputs + [kernel], role: "depthwise")
    let ones = [Int](repeating: 1, count: axes)
    let pointwiseWindow = Window(size: ones, strides: ones, dilation: ones, padding: .valid)
    let pointwise = try layer.weight(
      "pointwise_kernel", shape: ones + [channels * multiplier, filters]
    ) { $0.permuted([axes + 1, axes] + Array(0..<axes)) }
    let output = try layer.addConvolution(
      intermediate + [pointwise], channels: filters, hasBias: hasBias, layout, role: "pointwise"
    ) { Convolution(window: pointwiseWindow, groups: 1, hasBias: $0, layout: layout) }
    return try layer.addActivation(to: output)
  }

  /// Keras up to 2.0.8 writes the dilation of a separable convolution but ignores it; the Keras
  /// inside TensorFlow uses it.
  private static func dropIgnoredDilation(
    _ layer: inout KerasLayer, axes: Int
  ) throws(WeighbridgeError) {
    guard layer.version < KerasVersion(2, 0, 9), !layer.version.suffix.hasPrefix("-tf") else {
      return
    }
    let ones = [Int](repeating: 1, count: axes)
    let dilation = try layer.integers("dilation_rate", count: axes, default: ones)
    guard dilation != ones else { return }
    guard !layer.writer.isVersionAssumed else {
      throw .unsupported(
        "dilation_rate=\(dilation), which Keras up to 2.0.8 ignores, and the file does not "
          + "name its "
          + "version; say which with \(APIName.kerasVersion) (2.0.8 or 2.0.9)")
    }
    layer.decideOnce("dilation_rate=\(dilation) is ignored, as Keras \(layer.version) does")
  }

  /// Takes a kernel `[spatial..., in, multiplier]`, as `[in * multiplier, 1, spatial...]`.
  private static func depthwiseKernel(
    _ layer: inout KerasLayer, _ window: Window, _ channels: Int, _ multiplier: Int, role: String
  ) throws(WeighbridgeError) -> ValueID {
    let axes = window.size.count
    guard multiplier >= 1 else {
      throw .malformed(
        "depth_multiplier=\(multiplier), expected at "
          + "least 1")
    }
    try checkTheano(layer, window, isSeparable: role != "kernel")
    try checkCNTK(layer, window)
    if layer.version.major < 3 { try layer.checkDepthwise(window) }
    return try layer.weight(role, shape: window.size + [channels, multiplier]) {
      $0.permuted([axes, axes + 1] + Array(0..<axes))
        .reshaped([channels * multiplier, 1] + window.size)
    }
  }

  /// CNTK 2.7 applies all kernels to the first channel where an even-sized one is padded; on CNTK,
  /// Keras treats a dilation as strides.
  private static func checkCNTK(
    _ layer: KerasLayer, _ window: Window
  ) throws(WeighbridgeError) {
    guard layer.backend == .cntk else { return }
    guard window.dilation.allSatisfy({ $0 == 1 }) else {
      throw .unsupported(
        "dilation_rate=\(window.dilation), which Keras computes wrongly on CNTK; "
          + "\(APIName.kerasBackend) tensorflow reads the layer as it was meant")
    }
    guard window.padding != .valid,
      window.size.contains(where: { $0 % 2 == 0 })
    else { return }
    throw .unsupported(
      "kernel_size=\(window.size) with padding=same, which CNTK computes wrongly in groups; "
        + "\(APIName.kerasBackend) tensorflow reads the layer as it was meant")
  }

  /// From Keras 2.2 on, these kernels are not flipped on Theano either.
  private static func checkTheano(
    _ layer: KerasLayer, _ window: Window, isSeparable: Bool
  ) throws(WeighbridgeError) {
    guard layer.backend == .theano else { return }
    let isOdd = window.size.indices.allSatisfy { window.effectiveSize($0) % 2 == 1 }
    guard layer.version >= KerasVersion(2, 2) else {
      throw .unsupported("how Keras before 2.2 computes it on Theano is not known")
    }
    guard !isSeparable || isOdd || window.padding == .valid else {
      throw .unsupported("how Keras pads it on Theano is known only for kernels of odd sizes")
    }
  }

  private enum Padding: String, CaseIterable { case valid, same, causal }

  private static func window(
    _ layer: inout KerasLayer, axes: Int
  ) throws(WeighbridgeError) -> Window {
    try layer.kernelWindow(axes: axes) { (layer, plain) throws(WeighbridgeError) in
      switch try layer.choice("padding", default: Padding.valid) {
      case .valid: return .valid
      case .same: return try layer.samePadding(of: plain)
      case .causal:
        // Keras pads only before the input, so that no output depends on a later input.
        return .explicit(
          before: plain.size.indices.map { plain.effectiveSize($0) - 1 },
          after: plain.size.map { _ in 0 })
      }
    }
  }
}

extension Window {
  /// The same window with another padding.
  func with(padding: WindowPadding) -> Window {
    Window(size: size, strides: strides, dilation: dilation, padding: padding)
  }
}

extension KerasLayer {
  /// Refuses strides with a dilation: TensorFlow divides the input by the dilation, and moves by the strides in each part, so
  /// that the positions are others. (The layers of newer versions of Keras refuse both together, too, up to 3.14.)
  func checkDepthwise(_ window: Window) throws(WeighbridgeError) {
    guard backend == .tensorflow, window.strides.contains(where: { $0 > 1 }),
      window.dilation.contains(where: { $0 > 1 })
    else { return }
    throw .unsupported(
      "strides=\(window.strides) with a dilation of \(window.dilation), of which TensorFlow computes "
        + "other positions in a depthwise convolution; one of the two can be above 1")
  }

  /// The window of a kernel: `kernel_size`, `strides` and `dilation_rate`.
  ///
  /// - Parameter readPadding: Reads the padding, given the window without it.
  mutating func kernelWindow(
    axes: Int, _ readPadding: (inout KerasLayer, Window) throws(WeighbridgeError) -> WindowPadding
  ) throws(WeighbridgeError) -> Window {
    let ones = [Int](repeating: 1, count: axes)
    let plain = Window(
      size: try integers("kernel_size", count: axes),
      strides: try integers("strides", count: axes, default: ones),
      dilation: try integers("dilation_rate", count: axes, default: ones), padding: .valid)
    if let problem = plain.problem { throw malformed(problem) }
    let window = plain.with(padding: try readPadding(&self, plain))
    if let problem = window.problem { throw malformed(problem) }
    return window
  }
}
