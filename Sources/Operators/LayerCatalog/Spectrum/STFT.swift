package import Bytes
package import GraphIR

/// The short-time Fourier transform: the discrete Fourier transforms of frames of a signal, each
/// multiplied by a window (Gabor 1946).
///
/// - input: `[..., samples]`, with at least `fft_length` samples
/// - outputs: the real and the imaginary parts, `[..., frames, frequencies]` each
package struct STFT: ArithmeticOperator, PrimitiveOperator {
  /// A window function.
  package enum WindowFunction: String, Hashable, Sendable, CaseIterable {
    case hann, hamming, rectangular
  }

  /// The number of samples in a frame, 1 to 2^20.
  package let fftLength: Int
  /// The number of samples in the window, 1 to `fftLength`.
  package let windowLength: Int
  /// The number of samples between the starts of two frames, at least 1.
  package let step: Int
  /// The window function.
  package let window: WindowFunction

  package static let kind = "stft"
  package static let version = 1

  package static let declaration = OperatorDeclaration<Self>(
    """
    first = floor((fft_length - frame_length) / 2)
    a[m] = 2 * pi * m / frame_length
    real[t, k] = sum over m from 0 to frame_length - 1 of
      w[m] * input[t * frame_step + first + m] * cos(2 * pi * k * (first + m) / fft_length)
    imaginary[t, k] = the same with -sin in place of cos
    k from 0 to floor(fft_length / 2), t from 0 to floor((samples - fft_length) / frame_step)
    """,
    inputs: [.data("input", .float)],
    outputs: [.like("input", as: "real"), .like("input", as: "imaginary")],
    attributes: AttributeSchema(
      Self.init(fftLength:windowLength:step:window:),
      .integer(
        "fft_length", \.fftLength, "The length of a frame in samples.", .atLeast(1),
        .atMost(Double(1 << 20))),
      .integer(
        "frame_length", \.windowLength, "The length of the window in samples.", .atLeast(1),
        .atMostThat(of: "fft_length")),
      .integer(
        "frame_step", \.step, "The distance between the starts of adjacent frames in samples.",
        .atLeast(1)),
      .choice("window", \.window, "The window function w.") {
        switch $0 {
        case .hann: "w[m] = 0.5 - 0.5 cos(a[m])"
        case .hamming: "w[m] = 0.54 - 0.46 cos(a[m])"
        case .rectangular: "w[m] = 1"
        }
      }))

  /// Creates the operator.
  package init(fftLength: Int, windowLength: Int, step: Int, window: WindowFunction) {
    self.fftLength = fftLength
    self.windowLength = windowLength
    self.step = step
    self.window = window
  }
}

extension STFT {
  package var frequencyCount: Int { fftLength / 2 + 1 }

  package func outputTypes(of inputs: [TensorType]) throws(ShapeError) -> [TensorType] {
    guard let samples = inputs[0].shape.last, inputs[0].elementType.isFloat else {
      throw ShapeError("takes a signal of floating-point numbers, not \(inputs[0])")
    }
    let frames = try samples.map { (count) throws(ShapeError) in
      guard count >= fftLength else {
        throw ShapeError("the signal has \(count) samples, fewer than a frame of \(fftLength)")
      }
      return (count - fftLength) / step + 1
    }
    let output = inputs[0].with(
      shape: inputs[0].shape.dropLast() + [frames, .fixed(frequencyCount)])
    return [output, output]
  }

  package func evaluate(
    _ inputs: [Tensor], workers: Workers
  ) throws(WeighbridgeError) -> [Tensor] {
    let shape = try outputShape(of: inputs)
    let (samples, frames) = (inputs[0].shape.last ?? 0, shape[shape.count - 2])
    let signal = inputs[0].doubles
    let factors = windowFactors
    let first = (fftLength - windowLength) / 2
    let transform = RealFourierTransform(count: fftLength)
    let spectra = workers.map(shape.dropLast().reduce(1, *)) { frame in
      let start = frame / frames * samples + frame % frames * step + first
      var windowed = [Double](repeating: 0, count: fftLength)
      for index in 0..<windowLength {
        windowed[first + index] = signal[start + index] * factors[index]
      }
      return transform(windowed)
    }
    let type = inputs[0].elementType
    return [
      Tensor(type, shape: shape, spectra.flatMap { spectrum in spectrum.map { $0.x } }),
      Tensor(type, shape: shape, spectra.flatMap { spectrum in spectrum.map { $0.y } }),
    ]
  }

  /// The window's factors for the samples of a whole frame.
  package var frameFactors: [Double] {
    let (first, factors) = ((fftLength - windowLength) / 2, windowFactors)
    return (0..<fftLength).map { sample in
      factors.indices.contains(sample - first) ? factors[sample - first] : 0
    }
  }

  /// Finds the transform whose window has these factors for the samples of a whole frame, within
  /// the precision of float32; `nil` if there is none.
  ///
  /// - Parameter frameFactors: `nil` for a rectangular window.
  package init?(frameFactors: [Double]?, fftLength: Int, step: Int) {
    guard (1...1 << 20).contains(fftLength), step >= 1 else { return nil }
    let factors = frameFactors ?? [Double](repeating: 1, count: fftLength)
    let nonzero = factors.indices.filter { factors[$0] != 0 }
    let span = nonzero.isEmpty ? 1 : nonzero[nonzero.count - 1] - nonzero[0] + 1
    // The first factor of a Hann window is zero, so the window is longer than its nonzero factors.
    for length in span...span + 2 where length <= fftLength {
      for window in WindowFunction.allCases {
        let transform = STFT(
          fftLength: fftLength, windowLength: length, step: step, window: window)
        let differences = zip(transform.frameFactors, factors).map { abs($0 - $1) }
        if differences.allSatisfy({ $0 <= 1e-6 }) {
          self = transform
          return
        }
      }
    }
    return nil
  }

  private var windowFactors: [Double] {
    let cosines = (0..<windowLength).map { index in
      (2 * Double.pi * Double(index) / Double(windowLength)).cosine
    }
    switch window {
    case .hann: return cosines.map { 0.5 - 0.5 * $0 }
    case .hamming: return cosines.map { 0.54 - 0.46 * $0 }
    case .rectangular: return cosines.map { _ in 1 }
    }
  }

  /// The last axis is that of the signal, and the outputs have one more axis.
  package func permutingAxes(_ axes: [Int]) -> STFT? { nil }
}

/// As products of frames with a matrix.
extension STFT {
  /// The largest number of elements in a constant of the decomposition.
  private static var maximumConstantCount: Int { 1 << 24 }

  package var decomposition: Decomposition {
    Composition.outputs { [self] (make) throws(WeighbridgeError) in
      let (x, axis) = (make.inputs[0], make.type(make.inputs[0]).rank - 1)
      let samples = try make.size(x, axis: axis)
      guard samples >= fftLength else {
        throw .malformed("the signal has \(samples) samples, fewer than a frame of \(fftLength)")
      }
      let (first, frames) = ((fftLength - windowLength) / 2, (samples - fftLength) / step + 1)
      let count = max(frames, 2 * frequencyCount)
      guard count <= Self.maximumConstantCount / windowLength else {
        throw .unsupported(
          "transforms frames of \(fftLength) samples, too many for a product with a matrix")
      }
      let positions = (0..<frames).flatMap { frame in
        (0..<windowLength).map { Double(frame * step + first + $0) }
      }
      let windows = try make(
        Gather(axis: axis), x,
        try make.constant(Tensor(.int32, shape: [frames, windowLength], positions)))
      let spectra = try make(
        Dense(hasBias: false), windows, try make.constant(matrix(make.type(x).elementType)))
      return try make.split(spectra, into: 2, axis: axis + 1)
    }
  }

  /// A row for the real and one for the imaginary part of each frequency.
  private func matrix(_ type: ElementType) -> Tensor {
    let (first, factors) = ((fftLength - windowLength) / 2, windowFactors)
    let parts: [@Sendable (Double) -> Double] = [{ $0.cosine }, { -$0.sine }]
    let rows = parts.flatMap { part in
      (0..<frequencyCount).flatMap { frequency in
        factors.enumerated().map { index, factor in
          let turns = Double(frequency * (first + index) % fftLength) / Double(fftLength)
          return factor * part(2 * Double.pi * turns)
        }
      }
    }
    return Tensor(type, shape: [2 * frequencyCount, windowLength], rows)
  }
}
