import Bytes
import ConversionCore
import GraphIR
import JSON
import LayerCatalog

/// Keras: `Conv1DTranspose`, `Conv2DTranspose`, `Conv3DTranspose`, whose kernels are
/// `[spatial..., out, in]`; Keras 1: `Deconvolution2D`.
extension TransposedConvolution: KerasMapped {
  static let keras = KerasMapping(
    KerasLayerClass.spatial(
      "Conv", suffix: "Transpose", shape: { .image(axes: $0, channelAxis: $0 + 1) }
    ) { (layer, inputs, axes) throws(WeighbridgeError) in
      try layer.require("groups", toBe: 1, because: "Keras has no grouped transposed convolution")
      return try add(&layer, inputs, takesInputsFirst: false) {
        (layer, _) throws(WeighbridgeError) in try window(&layer, axes: axes)
      }
    }.distributed(.weights) + [.plain("Deconvolution2D (Keras 1)", deconvolution)])
  /// Keras' layer without padding, followed by a `Cropping` layer.
  static let kerasRow = row { (operation, builder) throws(WeighbridgeError) in
    let window = operation.window
    try builder.check(window)
    guard operation.groups == 1 else {
      throw .unsupported("has several groups, and Keras' transposed convolution has one")
    }
    var (before, after) = ([Int](repeating: 0, count: window.size.count), [Int]())
    var type = builder.outputType
    if case .explicit(let leading, let trailing) = window.padding {
      (before, after) = (leading, trailing)
    }
    if after.isEmpty { after = before }
    for axis in window.size.indices {
      let effectiveSize = (window.size[axis] - 1) * window.dilation[axis] + 1
      after[axis] += max(0, window.strides[axis] - effectiveSize) - operation.outputPadding[axis]
      guard after[axis] >= 0 else {
        throw .unsupported(
          "has output_padding=\(operation.outputPadding), with which the output is longer than the "
            + "window reaches; less can be read")
      }
      let borders = before[axis] + after[axis]
      type.shape[axis + 1] =
        type.shape[axis + 1].value.map { Dimension.fixed($0 + borders) } ?? .unknown
    }
    let kernel = try builder.tensor(1)
    let axes = window.size.count
    var settings = builder.settings(window, "valid")
    settings["filters"] = .integer(kernel.shape[1])
    settings["use_bias"] = .bool(operation.hasBias)
    let transposed = kernel.permuted(Array(2..<axes + 2) + [1, 0])
    let uncropped = try builder.layer(
      "Conv\(axes)DTranspose", settings,
      weights: [KerasLayerWeight(name: "kernel", tensor: transposed)]
        + builder.bias(operation.hasBias),
      type: type)
    if (before + after).allSatisfy({ $0 == 0 }) { return uncropped }
    return try builder.padOrCrop(
      "Cropping", "cropping", Borders(before: before, after: after), uncropped)
  }

  /// Adds a layer.
  ///
  /// - Parameters:
  ///   - takesInputsFirst: Whether the last axes of the kernel are `[in, out]` instead of
  ///     `[out, in]`.
  ///   - readWindow: Reads the window and the output padding, for images of a layout.
  static func add(
    _ layer: inout KerasLayer, _ inputs: [ValueID], takesInputsFirst: Bool,
    _ readWindow: (inout KerasLayer, DataLayout) throws(WeighbridgeError) -> (
      Window, outputPadding: [Int]
    )
  ) throws(WeighbridgeError) -> [ValueID] {
    let filters = try layer.integer("filters")
    let hasBias = try layer.flag("use_bias", default: true)
    let layout = try layer.dataLayout()
    let channels = try layer.channels(of: inputs, layout: layout)
    guard filters >= 1 else { throw .malformed("filters=\(filters), expected at least 1") }
    let (window, outputPadding) = try readWindow(&layer, layout)
    let (axes, isFlipped) = (window.size.count, layer.flipsKernels)
    let channelShape = takesInputsFirst ? [channels, filters] : [filters, channels]
    let order = takesInputsFirst ? [axes, axes + 1] : [axes + 1, axes]
    let kernel = try layer.weight("kernel", shape: window.size + channelShape) {
      $0.permuted(order + Array(0..<axes)).flipped(from: 2, if: isFlipped)
    }
    let output = try layer.addConvolution(
      inputs + [kernel], channels: filters, hasBias: hasBias, layout
    ) {
      TransposedConvolution(
        window: window, outputPadding: outputPadding, groups: 1, hasBias: $0, layout: layout)
    }
    return try layer.addActivation(to: output)
  }

  private static func window(
    _ layer: inout KerasLayer, axes: Int
  ) throws(WeighbridgeError) -> (Window, outputPadding: [Int]) {
    let ones = [Int](repeating: 1, count: axes)
    let size = try layer.integers("kernel_size", count: axes)
    let strides = try layer.integers("strides", count: axes, default: ones)
    let dilation = try dilation(&layer, strides: strides)
    let padding = try layer.choice("padding", default: KerasPadding.valid)
    let zeros = ones.map { _ in 0 }
    let plain = Window(
      size: size, strides: strides, dilation: dilation,
      padding: .explicit(before: zeros, after: zeros))
    if let problem = plain.problem { throw .malformed(problem) }
    if padding == .same { try layer.requireTransposedPadding(size, strides) }
    return try plain.croppingOutput(by: try borders(&layer, plain, padding))
  }

  /// The numbers of elements that are cropped from the output at both ends of an axis, and padded
  /// at its end.
  struct Border {
    let before: Int
    let after: Int
    let padding: Int

    /// - Parameter surplus: The difference between the full length and the output's length.
    init(surplus: Int, effectiveSize: Int, isSame: Bool, _ backend: KerasProducer.Backend) {
      before =
        switch backend {
        case _ where !isSame: 0
        case .tensorflow: max(0, surplus) / 2
        case .theano: effectiveSize / 2
        case .cntk: (effectiveSize - 1) / 2
        }
      after = max(0, surplus - before)
      padding = max(0, before - surplus)
    }

    /// - Parameters:
    ///   - dimension: The size of an axis of the input.
    ///   - length: The size of the output's axis.
    /// - Returns: `nil` when the window has more or fewer positions than `dimension` on `length`
    ///   elements, or its padding is explicit.
    init?(from dimension: Int, to length: Int, _ window: Window, axis: Int) {
      guard window.padding == .valid || window.padding == .same,
        (try? window.placement(axis, dimension: length))?.count == dimension
      else { return nil }
      let (stride, effectiveSize) = (window.strides[axis], window.effectiveSize(axis))
      self.init(
        surplus: (dimension - 1) * stride + effectiveSize - length, effectiveSize: effectiveSize,
        isSame: window.padding == .same, .tensorflow)
    }
  }

  private static func borders(
    _ layer: inout KerasLayer, _ window: Window, _ padding: KerasPadding
  ) throws(WeighbridgeError) -> [Border] {
    // Empty where the setting is absent or null, which differs from 0.
    let written = try layer.integers("output_padding", count: window.size.count, default: [])
    let borders = try window.size.indices.map { (axis) throws(WeighbridgeError) in
      try border(
        padding, effectiveSize: window.effectiveSize(axis), stride: window.strides[axis],
        outputPadding: written.isEmpty ? nil : written[axis], layer.backend)
    }
    return borders
  }

  /// Reads the dilation, which Keras uses only in two dimensions, equal along both axes and with
  /// strides of 1. (In one dimension it calls a kernel that TensorFlow does not have for a CPU; in
  /// three it ignores it.)
  private static func dilation(
    _ layer: inout KerasLayer, strides: [Int]
  ) throws(WeighbridgeError) -> [Int] {
    let ones = strides.map { _ in 1 }
    let dilation = try layer.integers("dilation_rate", count: strides.count, default: ones)
    let isPossible =
      dilation == ones
      || (strides == ones && dilation.count == 2 && dilation[0] == dilation[1])
    guard isPossible else {
      throw .unsupported(
        "dilation_rate=\(dilation) with strides=\(strides): Keras dilates a transposed convolution "
          + "only in two dimensions, by one rate, with strides of 1")
    }
    return dilation
  }

  /// Keras first determines the length of the output, then uses the gradient of the convolution
  /// with an input of that length. Here `surplus` is the difference between the full length,
  /// without padding, and that length.
  ///
  /// - Throws: ``WeighbridgeError/Code/malformed`` when no convolution maps such an output to this
  ///   layer's input; Keras fails when such a model runs.
  private static func border(
    _ padding: KerasPadding, effectiveSize: Int, stride: Int, outputPadding: Int?,
    _ backend: KerasProducer.Backend
  ) throws(WeighbridgeError) -> Border {
    let surplus: Int
    switch (padding, outputPadding) {
    case (.valid, nil): surplus = min(0, effectiveSize - stride)
    case (.same, nil): surplus = effectiveSize - stride
    case (.valid, let extra?): surplus = try checked(0, minus: extra)
    case (.same, let extra?): surplus = try checked(effectiveSize / 2 * 2, minus: extra)
    }
    // There must be no space for another position after the last one.
    let remainder = padding == .valid ? -surplus : effectiveSize - 1 - surplus
    guard (0..<stride).contains(remainder) else {
      throw .malformed(
        "output_padding=\(outputPadding ?? 0) does not fit a kernel that reaches over "
          + "\(effectiveSize.counted("element")) and a stride of \(stride)")
    }
    return Border(surplus: surplus, effectiveSize: effectiveSize, isSame: padding == .same, backend)
  }

  private static func checked(_ number: Int, minus other: Int) throws(WeighbridgeError) -> Int {
    guard (0...1 << 24).contains(other) else {
      throw .malformed(
        "output_padding=\(other), expected 0 "
          + "to 2^24")
    }
    return number - other
  }
}

extension Window {
  /// The window of a transposed convolution whose output is cropped by borders, and the output
  /// padding.
  ///
  /// - Throws: ``WeighbridgeError/Code/malformed`` for borders that no window has.
  func croppingOutput(
    by borders: [TransposedConvolution.Border]
  ) throws(WeighbridgeError) -> (Window, outputPadding: [Int]) {
    let window = with(
      padding: .explicit(before: borders.map(\.before), after: borders.map(\.after)))
    if let problem = window.problem { throw .malformed(problem) }
    return (window, borders.map(\.padding))
  }
}
