import Bytes
import GraphIR
import JSON
import LayerCatalog

/// `STFTSpectrogram` of Keras 3: spectra of each channel, computed by convolutions with kernels
/// from the file.
///
/// Everything is computed as `[batch, channels, frames, frequencies]`.
enum KernelSpectrogram {
  private enum Mode: String, CaseIterable {
    case log, magnitude, psd, real, imag, angle, stft
  }

  static let build: KerasMapping.Build = { (layer, inputs) throws(WeighbridgeError) in
    let mode = try layer.choice("mode", default: Mode.log)
    let layout = try layer.dataLayout()
    let expands = try layer.flag("expand_dims", default: false)
    let parts = try addParts(&layer, try layer.onlyInput(inputs), mode, layout)
    let spectra = try addSpectra(&layer, parts, mode)
    return try inKerasOrder(&layer, spectra, layout, expands: expands)
  }

  /// The number of frequencies of a transform: that of the setting, or of the next power of two.
  private static func frequencyCount(
    _ layer: inout KerasLayer, frameLength: Int
  ) throws(WeighbridgeError) -> Int {
    guard (1...1 << 20).contains(frameLength) else {
      throw .malformed("frame_length=\(frameLength), expected at least 1")
    }
    var power = 1
    while power < frameLength { power *= 2 }
    let length = try layer.integer("fft_length", default: power)
    guard (frameLength...1 << 21).contains(length) else {
      throw .malformed("fft_length=\(length), expected at least the frames' \(frameLength)")
    }
    return length / 2 + 1
  }

  /// Adds the real and the imaginary parts, or only the requested one.
  private static func addParts(
    _ layer: inout KerasLayer, _ input: ValueID, _ mode: Mode, _ layout: DataLayout
  ) throws(WeighbridgeError) -> [ValueID] {
    guard layer.graph.type(of: input).rank == 3 else {
      throw .malformed("takes signals of several channels")
    }
    let length = try layer.integer("frame_length", default: 256)
    let frequencies = try frequencyCount(&layer, frameLength: length)
    let step = try layer.integer("frame_step", default: max(1, length / 2))
    let padding = try layer.choice("padding", default: KerasPadding.valid)
    layer.ignore("window", "periodic", "scaling")  // The kernels include them.
    let window = Window(
      size: [length], strides: [step], dilation: [1], padding: padding == .same ? .same : .valid)
    if let problem = window.problem { throw .malformed(problem) }

    let signals =
      layout == .channelsFirst
      ? input : try layer.add(Transpose(axes: [0, 2, 1]), [input], role: "channels_first")[0]
    let folded = try layer.add(FlattenTime(), [signals], role: "signals")
    let lines = try layer.add(ExpandDims(axes: [2]), folded, role: "lines")
    let convolution = Convolution(
      window: window, groups: 1, hasBias: false, layout: .channelsLast)
    var parts: [ValueID] = []
    for (part, other) in [("real", Mode.imag), ("imag", Mode.real)] where mode != other {
      let kernel = try layer.weight("\(part)_kernel", shape: [length, 1, frequencies]) {
        $0.permuted([2, 1, 0])
      }
      let frames = try layer.add(convolution, lines + [kernel], role: "\(part)_lines")
      parts += try layer.add(UnflattenTime(), frames + [signals], role: part)
    }
    return parts
  }

  /// Adds the spectra computed from the parts.
  private static func addSpectra(
    _ layer: inout KerasLayer, _ parts: [ValueID], _ mode: Mode
  ) throws(WeighbridgeError) -> ValueID {
    switch mode {
    case .real, .imag: return parts[0]
    case .angle:
      return try layer.add(BinaryMath(.arcTangent2), parts.reversed(), role: "angle")[0]
    case .stft: return try layer.add(Concatenate(axis: 3), parts, role: "parts")[0]
    case .log, .magnitude, .psd: break
    }
    var squares: [ValueID] = []
    for (number, part) in parts.enumerated() {
      squares += try layer.add(UnaryMath(.square), [part], role: "square_\(number)")
    }
    let power = try layer.add(Add(), squares, role: "power")
    if mode == .psd { return try addDensity(&layer, power) }
    let bound = Clip(minimum: Double(Float(1e-7)), maximum: .infinity)
    let boundedPower = try layer.add(bound, power, role: "bounded_power")
    let magnitude = try layer.add(UnaryMath(.squareRoot), boundedPower, role: "magnitude")
    if mode == .magnitude { return magnitude[0] }
    let boundedMagnitude = try layer.add(bound, magnitude, role: "bounded_magnitude")
    return try layer.add(UnaryMath(.logarithm), boundedMagnitude, role: "log")[0]
  }

  /// Doubles the power of all frequencies except the lowest and the highest, which have no mirror
  /// image.
  private static func addDensity(
    _ layer: inout KerasLayer, _ power: [ValueID]
  ) throws(WeighbridgeError) -> ValueID {
    let count = layer.graph.type(of: power[0]).shape[3].value ?? 0
    guard count >= 2 else { throw .malformed("has \(count) frequencies, and mode=psd needs 2") }
    var factors = [Double](repeating: 2, count: count)
    (factors[0], factors[count - 1]) = (1, 1)
    return try layer.add(Rescaling(scale: factors, offset: [0]), power, role: "density")[0]
  }

  /// Returns the spectra in Keras' axis order; without `expand_dims`, the frequencies of all
  /// channels are concatenated.
  private static func inKerasOrder(
    _ layer: inout KerasLayer, _ spectra: ValueID, _ layout: DataLayout, expands: Bool
  ) throws(WeighbridgeError) -> [ValueID] {
    if expands {
      let order = layout == .channelsFirst ? [0, 1, 2, 3] : [0, 2, 3, 1]
      return try layer.add(Transpose(axes: order), [spectra])
    }
    let order = layout == .channelsFirst ? [0, 1, 3, 2] : [0, 2, 1, 3]
    let transposed = try layer.add(Transpose(axes: order), [spectra], role: "transposed")
    return try layer.add(
      ReshapeAxes(
        layout == .channelsFirst
          ? [.axis(0), .rest, .axis(3)] : [.axis(0), .axis(1), .rest]), transposed)
  }
}
