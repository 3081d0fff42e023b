import Bytes
import ConversionCore
import GraphIR
import JSON
import KerasFormat
import LayerCatalog

/// Keras 3: `MelSpectrogram`, and `STFTSpectrogram`, whose weights are the coefficients of the
/// transform, so that it becomes convolutions.
extension STFT: KerasMapped {
  static let keras = KerasMapping([
    .plain("MelSpectrogram", mel), .plain("STFTSpectrogram", KernelSpectrogram.build),
  ])
  static let kerasRow: KerasRow? = KerasRow(nativeOutputsOf: STFT.self) {
    (operation, builder) throws(WeighbridgeError) in
    let isWhole = operation.windowLength == operation.fftLength
    let isRectangular = operation.window == .rectangular
    guard builder.format == .archive, isRectangular ? isWhole : operation.windowLength % 2 == 0,
      builder.outputType.elementType.byteCount >= 4
    else { return nil }
    return builder.operation(
      "STFT", in: "math", [try builder.argument(builder[0])],
      [
        "sequence_length": .integer(operation.windowLength),
        "sequence_stride": .integer(operation.step), "fft_length": .integer(operation.fftLength),
        "window": isRectangular ? .null : .string(operation.window.rawValue), "center": false,
      ], types: builder.scope.outputTypes)
  }

  private static let mel: KerasMapping.Build = { (layer, inputs) throws(WeighbridgeError) in
    let (input, type) = try layer.typedInput(inputs)
    guard type.rank >= 1 else {
      throw .malformed("takes signals [..., samples], and not \(type)")
    }
    let length = try layer.integer("fft_length", default: 2048)
    let transform = STFT(
      fftLength: length,
      windowLength: try layer.integer("sequence_length", default: length),
      step: try layer.integer("sequence_stride", default: 512), window: try window(&layer))
    if let problem = transform.problem { throw .malformed(problem) }
    guard transform.window == .rectangular || transform.windowLength.isMultiple(of: 2) else {
      throw .unsupported(
        "has a window of \(transform.windowLength) samples, and of an odd number the "
          + "backends of Keras "
          + "make different ones")
    }
    // The layer's type, to which it does not cast integers.
    let own: ElementType = type.elementType.isFloat ? type.elementType : .float32
    let outputType = layer.types?.compute ?? own
    let computeType: ElementType = outputType == .float64 ? .float64 : .float32
    let signal = try layer.cast(input, to: computeType, role: "signal")
    let half = length / 2
    let borders = [Int](repeating: 0, count: type.rank - 1) + [half]
    let pad = Pad(before: borders, after: borders, mode: .reflect)
    let padded = try layer.add(pad, [signal], role: "padded")
    let parts = try layer.add(transform, padded, role: "transform")
    let magnitudes = try layer.add(BinaryMath(.hypotenuse), parts, role: "sizes")
    let exponent = try layer.real("mag_exp", default: 2)
    let power = try layer.constant(
      "mag_exp", Tensor(computeType, shape: borders.map { _ in 1 } + [1], [exponent]))
    let powers = try layer.add(BinaryMath(.power), magnitudes + [power], role: "powers")
    var outputs = try addBands(&layer, to: powers[0], transform.frequencyCount, computeType)
    outputs = try addDecibels(&layer, to: outputs[0])
    let isCast = outputType != computeType
    let (frames, bands) = (type.rank - 1, type.rank)
    outputs = try layer.add(
      Transpose(axes: Array(0..<frames) + [bands, frames]), outputs,
      role: isCast ? "transposed" : "")
    return isCast ? try layer.add(Cast(to: outputType), outputs) : outputs
  }

  private static func window(
    _ layer: inout KerasLayer
  ) throws(WeighbridgeError) -> WindowFunction {
    let isNull = layer.unreadSettings["window"] == .null
    guard let written = layer.take("window") else { return isNull ? .rectangular : .hann }
    guard let function = written.string.flatMap(WindowFunction.init(rawValue:)),
      function != .rectangular
    else {
      throw layer.unexpected("window", written, "hann, hamming or null")
    }
    return function
  }

  /// Adds the power in each band of the mel scale.
  private static func addBands(
    _ layer: inout KerasLayer, to powers: ValueID, _ frequencies: Int, _ type: ElementType
  ) throws(WeighbridgeError) -> [ValueID] {
    let rate = try layer.real("sampling_rate", default: 16000)
    let count = try layer.integer("num_mel_bins", default: 128)
    let low = try layer.real("min_freq", default: 20)
    let high = try layer.real("max_freq", default: (rate / 2).rounded(.towardZero))
    guard count >= 1, rate > 0, low >= 0, high > low,
      try Checked.product([count, frequencies], of: "the size of the bands") <= 1 << 26
    else {
      throw .malformed(
        "has \(count) bands from \(low) to \(high) Hz at a sampling rate of \(rate) Hz, expected at "
          + "least one band, and ascending frequencies")
    }
    let bands = MelScale.bands(
      count, frequencies: frequencies, samplingRate: rate, range: (low, high))
    let kernel = try layer.constant(
      "bands", Tensor(type, shape: [count, frequencies], bands))
    return try layer.add(Dense(hasBias: false), [powers, kernel], role: "band_powers")
  }

  /// Adds the levels in decibels, each at most `top_db` below the highest one.
  private static func addDecibels(
    _ layer: inout KerasLayer, to powers: ValueID
  ) throws(WeighbridgeError) -> [ValueID] {
    let minimumPower = try layer.real("min_power", default: 1e-10)
    let reference = max(try layer.real("ref_power", default: 1).magnitude, minimumPower)
    let range = try layer.real("top_db", default: 80)
    guard try layer.flag("power_to_db", default: true) else { return [powers] }
    guard minimumPower > 0 else {
      throw .malformed(
        "min_power=\(minimumPower), expected a "
          + "positive number")
    }
    layer.decideOnce("Levels are bounded by the highest one of all signals that run together.")
    let clip = Clip(minimum: minimumPower, maximum: .infinity)
    var levels = try layer.add(clip, [powers], role: "bounded_powers")
    levels = try layer.add(UnaryMath(.logarithm10), levels, role: "logarithms")
    let decibels = Rescaling(scale: [10], offset: [-10 * reference.logarithm10])
    levels = try layer.add(decibels, levels, role: "levels")
    let axes = Array(0..<layer.graph.type(of: levels[0]).rank)
    var lowest = try layer.add(
      Reduce(.maximum, axes: axes, keepDims: true), levels, role: "highest_level")
    lowest = try layer.add(
      Rescaling(scale: [1], offset: [-range]), lowest, role: "lowest_level")
    return try layer.add(Maximum(), levels + lowest, role: "bounded_levels")
  }
}

/// The mel scale of frequencies (Stevens, Volkmann and Newman 1937), as defined in the Hidden
/// Markov Model Toolkit: mel = 1127 ln(1 + hertz / 700).
enum MelScale {
  /// The position on the scale of a frequency in hertz.
  static func mel(_ hertz: Double) -> Double { 1127 * (hertz / 700).logarithmOfOnePlus }

  /// The weights of triangular bands that half overlap and are equally wide on the scale,
  /// `[bands, frequencies]`. The lowest frequency, 0, is in none of them.
  ///
  /// - Parameters:
  ///   - frequencies: Their number, at equal distances from 0 to half of the sampling rate.
  ///   - range: The lowest band's lower end and the highest one's upper end, in hertz.
  static func bands(
    _ count: Int, frequencies: Int, samplingRate: Double, range: (low: Double, high: Double)
  ) -> [Double] {
    let (low, high) = (mel(range.low), mel(range.high))
    let width = (high - low) / Double(count + 1)
    let positions = (0..<frequencies).map { number in
      mel(samplingRate / 2 * Double(number) / Double(max(1, frequencies - 1)))
    }
    return (0..<count).flatMap { band in
      let start = low + width * Double(band)
      return positions.enumerated().map { number, position in
        let (rising, falling) = ((position - start) / width, 2 - (position - start) / width)
        return number == 0 ? 0 : max(0, min(rising, falling))
      }
    }
  }
}
