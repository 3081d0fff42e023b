import Bytes
import ConversionCore
import GraphIR
import LayerCatalog
import ONNXFormat

/// Fourier transforms of signals.
enum ONNXSpectra: ONNXFamily {
  static let rows: [ONNXRow] = [
    ONNXRow(outputsOf: STFT.self) {
      (operation, builder) throws(WeighbridgeError) in
      guard builder.opset >= 17 else {
        throw .unsupported(
          "is a Fourier transform, which ONNX has from opset 17 on (\(APIName.exportOpset))")
      }
      return builder.fourierTransform(operation)
    }
  ]

  static let nodes: [String: ONNXLayer.Build] = [
    "BlackmanWindow": { (layer) throws(WeighbridgeError) in
      [try layer.window(of: [0.42, -0.5, 0.08])]
    },
    "DFT": { (layer) throws(WeighbridgeError) in [try layer.discreteTransform()] },
    "HammingWindow": { (layer) throws(WeighbridgeError) in
      [try layer.window(of: [25.0 / 46, -21.0 / 46])]
    },
    "HannWindow": { (layer) throws(WeighbridgeError) in [try layer.window(of: [0.5, -0.5])] },
    "MelWeightMatrix": { (layer) throws(WeighbridgeError) in [try layer.melWeights()] },
    "STFT": { (layer) throws(WeighbridgeError) in [try layer.fourierTransform()] },
  ]
}

extension ONNXGraphBuilder {
  fileprivate mutating func fourierTransform(_ operation: STFT) -> [String] {
    let (input, type) = (input(), type())
    let sampleAxis = type.rank - 1
    let sampleCount = dimensions(input, type, sampleAxis..<type.rank)
    let shape = concatenate([integers([-1]), sampleCount, integers([1])], axis: 0)
    let signals = add("Reshape", [input, shape])
    let step = number(Double(operation.step), .int64)
    let spectra = add("STFT", [signals, step, numbers(operation.frameFactors)])
    return [0, 1].map { part in
      let component = add("Gather", [spectra, number(Double(part), .int64)], ["axis": .integer(3)])
      guard sampleAxis != 1 else { return component }
      if sampleAxis == 0 { return squeeze(component, [0]) }
      let leading = dimensions(input, type, 0..<sampleAxis)
      let frameDimensions = dimensions(component, 1..<3)
      return add("Reshape", [component, concatenate([leading, frameDimensions], axis: 0)])
    }
  }
}

extension ONNXLayer {
  /// Adds the spectra of frames, `[signals, frames, frequencies, 2]`, of signals
  /// `[signals, samples, 1]`.
  fileprivate mutating func fourierTransform() throws(WeighbridgeError) -> ONNXValue {
    let signals = try input()
    let isOneSided = try flag("onesided", default: true)
    guard let step = try constant(1)?.integers.first, step >= 1 else {
      throw malformed("has no constant frame step, and only a constant one can be read")
    }
    let window = try optional(2)
    let windowLength = window.flatMap { type($0).shape.first?.value }
    guard let length = try constant(3)?.integers.first ?? windowLength,
      (1...1 << 20).contains(length),
      window.map({ type($0).shape == [.fixed(length)] }) ?? true
    else {
      throw malformed(
        "has a frame_length that is not the length of its window, expected the same, from 1 to 2^20"
      )
    }
    var realSignals = signals
    if type(signals).rank == 3 {
      guard type(signals).shape[2].value == 1 else {
        throw unsupported("transforms complex numbers, and only real signals can be read")
      }
      realSignals = try apply(Squeeze(axes: [2]), to: signals, role: "signals")
    }
    guard type(realSignals).rank == 2 else {
      throw malformed("transforms \(type(signals)), expected [signals, samples, 1]")
    }
    let factors = window?.tensor?.doubles
    var spectra: [ONNXValue]
    if window == nil || factors != nil,
      let transform = STFT(frameFactors: factors, fftLength: length, step: step)
    {
      spectra = try apply(transform, [realSignals], role: "transform")
    } else {
      spectra = try framedTransform(realSignals, window, length: length, step: step)
    }
    if !isOneSided { spectra = try bothSides(spectra, length: length) }
    var parts: [ONNXValue] = []
    for (part, name) in zip(spectra, ["real", "imaginary"]) {
      parts.append(try apply(ExpandDims(axes: [3]), to: part, role: name))
    }
    return try apply(Concatenate(axis: 3), parts)[0]
  }

  /// Adds the real and the imaginary parts, `[signals, frames, frequencies]`, of frames that are multiplied by
  /// any window.
  private mutating func framedTransform(
    _ signals: ONNXValue, _ window: ONNXValue?, length: Int, step: Int
  ) throws(WeighbridgeError) -> [ONNXValue] {
    guard let samples = type(signals).shape[1].value, samples >= length else {
      throw unsupported(
        "has a window of its own for \(type(signals)), and only signals of a known length of at least \(length) can be "
          + "read with others than those of Hann and Hamming")
    }
    let count = (samples - length) / step + 1
    let size = try Checked.product([count, length, 8], of: "all frames")
    try network.countConstant(TensorType(.int64, [count, length]), byteCount: size)
    let places = newConstant(
      Tensor(
        .int64, shape: [count, length],
        (0..<count).flatMap { frame in (0..<length).map { Double(frame * step + $0) } }), "places")
    var frames = try apply(Gather(axis: 1), to: signals, places, role: "frames")
    if let window {
      let row = try apply(
        ReshapeAxes([.fixed(1), .fixed(1), .fixed(length)]), to: window, role: "window")
      frames = try apply(Multiply(), to: frames, row, role: "windowed")
    }
    let transform = STFT(
      fftLength: length, windowLength: length, step: length, window: .rectangular)
    var parts: [ONNXValue] = []
    for (position, part) in try apply(transform, [frames], role: "transform").enumerated() {
      parts.append(try apply(Squeeze(axes: [2]), to: part, role: "part_\(position)"))
    }
    return parts
  }

  /// Adds the other half of the spectra of real signals: the conjugates in reverse order.
  private mutating func bothSides(
    _ parts: [ONNXValue], length: Int
  ) throws(WeighbridgeError) -> [ONNXValue] {
    let half = length / 2 + 1
    let order = newConstant(
      Tensor(
        .int64, shape: [length], (0..<length).map { Double($0 < half ? $0 : length - $0) }),
      "frequencies")
    var whole: [ONNXValue] = []
    for (position, part) in parts.enumerated() {
      whole.append(try apply(Gather(axis: 2), to: part, order, role: "side_\(position)"))
    }
    let signs = newConstant(
      Tensor(
        type(whole[1]).elementType, shape: [1, 1, length],
        (0..<length).map { $0 < half ? 1 : -1 }), "signs")
    whole[1] = try apply(Multiply(), to: whole[1], signs, role: "conjugates")
    return whole
  }

  /// Computes the weights with which frequencies count for bands of equal width in mel,
  /// `[frequencies, bands]` (ONNX, Operators.md, MelWeightMatrix).
  fileprivate mutating func melWeights() throws(WeighbridgeError) -> ONNXValue {
    let number = try integer("output_datatype", default: 1)
    var settings: [Double] = []
    for position in 0..<5 {
      guard let tensor = try constant(position), tensor.count == 1 else {
        throw malformed("has no number as input \(position), and five numbers are expected")
      }
      settings.append(tensor.doubles[0])
    }
    guard let bands = Int(exactly: settings[0]), let length = Int(exactly: settings[1]),
      (1...1 << 16).contains(bands), (1...1 << 20).contains(length), settings[2] >= 1,
      0 <= settings[3], settings[3] <= settings[4], settings[4] <= settings[2] / 2
    else {
      throw malformed(
        "makes weights of \(settings), expected numbers of bands and samples, a sample rate, and frequencies from 0 to "
          + "half of it")
    }
    let frequencies = length / 2 + 1
    let size = try Checked.product([frequencies, bands, 8], of: "a matrix")
    try network.countConstant(TensorType(.float64, [frequencies, bands]), byteCount: size)
    let logarithm = UnaryMath(.logarithm10)
    let ends = settings[3...].map { 2595 * logarithm.apply(1 + $0 / 700) }
    let step = (ends[1] - ends[0]) / Double(bands + 2)
    let edges = (0..<bands + 2).map { index in
      let mel = ends[0] + Double(index) * step
      let hertz = 700 * (BinaryMath(.power).apply(10, mel / 2595, .float64) - 1)
      return min(frequencies - 1, Int((Double(length + 1) * hertz / settings[2]).rounded(.down)))
    }
    var weights = [Double](repeating: 0, count: frequencies * bands)
    for band in 0..<bands {
      let (lower, center, upper) = (edges[band], edges[band + 1], edges[band + 2])
      if lower == center { weights[center * bands + band] = 1 }
      for place in lower..<max(lower, center) + 1 where center > lower {
        weights[place * bands + band] = Double(place - lower) / Double(center - lower)
      }
      for place in center..<max(center, upper) {
        weights[place * bands + band] = Double(upper - place) / Double(upper - center)
      }
    }
    let matrix = newConstant(Tensor(.float64, shape: [frequencies, bands], weights), "weights")
    return try cast(matrix, toTypeNumbered: number)
  }
}
