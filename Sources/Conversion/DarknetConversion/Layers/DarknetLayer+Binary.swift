import Bytes
import ConversionCore
import DarknetFormat
import GraphIR
import LayerCatalog

/// `xnor=1`: a convolution of the signs of the input with the signs of the kernel, in which each
/// filter is multiplied by its mean magnitude (Rastegari et al. 2016).
///
/// AlexeyAB's darknet counts equal bits, which pads with -1; if the strides differ, and in
/// pjreddie's, the padding is 0. If the number of channels is a multiple of 32, AlexeyAB's counts
/// different bits instead, and the bits that fill up the last 64 count as equal: the result is then
/// -(sum + 2 fillBits) times the mean magnitude. The graph computes the same as darknet.
extension DarknetLayer {
  mutating func binaryConvolution(
    _ window: DarknetWindow, normalizes: Bool, isFlipped: Bool, activation: String
  ) throws(WeighbridgeError) -> ValueID {
    let channels = try image(input).channels
    let stored = try takeBinary(
      window, channels: channels, normalizes: normalizes, isFlipped: isFlipped)
    let countsBits = fork == .alexeyab && window.strideX == window.strideY
    let kernel = BinaryKernel(
      stored.kernel, isInverted: countsBits && channels % 32 == 0, padsWithMinusOne: countsBits,
      isComplete: network.weights.isComplete)
    decide("the kernel is binarized, as xnor=1 says")
    var signs = try add(Binarization(), [input], role: "binarize")
    // Padding x + 1 with 0 is padding x with -1; the offsets compensate for the added 1.
    if countsBits { signs = try scaled(signs, by: 1, plus: 1, role: "shift") }
    let operation = Convolution(
      window: window.window, groups: 1, hasBias: true, layout: .channelsFirst)
    let weights = [
      try constant("kernel", kernel.kernel),
      try constant(
        "offsets", normalizes ? kernel.offsets : kernel.offsets(adding: stored.bias)),
    ]
    var output = try add(operation, [signs] + weights)
    if let statistics = stored.statistics {
      let beta = try constant("beta", stored.bias)
      output = try normalized(output, statistics, beta: beta, role: "batch_normalization")
    }
    return try activated(output, activation)
  }

  /// Takes the weights of a binary convolution in the order of the file.
  private mutating func takeBinary(
    _ window: DarknetWindow, channels: Int, normalizes: Bool, isFlipped: Bool
  ) throws(WeighbridgeError) -> (bias: Tensor, statistics: Statistics?, kernel: Tensor) {
    let bias = try network.weights.take(
      "bias", shape: [window.filters], layer: index, range: -0.1...0.1)
    let statistics = normalizes ? try statistics("", count: window.filters) : nil
    let shape = [window.filters, channels, window.size, window.size]
    let fanIn = try Checked.product(shape[1...], of: "the size of a filter")
    let stored = try network.weights.take(
      "kernel", shape: isFlipped ? [fanIn, window.filters] : shape, layer: index,
      range: -1...1)
    let kernel =
      isFlipped ? stored.permuted([1, 0]).splitting(1, into: Array(shape[1...])) : stored
    return (bias, statistics, kernel)
  }
}

/// The kernel of a binary convolution in floating point, and the offset of each filter's sum.
private struct BinaryKernel {
  let kernel: Tensor
  private(set) var offsets: Tensor

  /// - Parameter isComplete: Whether the stored values are not placeholders.
  init(_ stored: Tensor, isInverted: Bool, padsWithMinusOne: Bool, isComplete: Bool) {
    let filters = stored.shape[0]
    guard isComplete else {
      kernel = stored
      offsets = Tensor(.float32, shape: [1], [0]).broadcast(to: [filters])
      return
    }
    var values = stored.doubles
    let size = max(1, values.count / max(1, filters))
    let fillBits = Double((64 - size % 64) % 64)
    var filterOffsets: [Double] = []
    for start in stride(from: 0, to: values.count, by: size) {
      let range = start..<start + size
      let mean = values[range].reduce(0) { $0 + $1.magnitude } / Double(size)
      let positiveValue = isInverted ? -mean : mean
      for index in range {
        values[index] = values[index] > 0 ? positiveValue : -positiveValue
      }
      let sum = padsWithMinusOne ? -values[range].reduce(0, +) : 0
      filterOffsets.append(isInverted ? sum - 2 * fillBits * mean : sum)
    }
    kernel = Tensor(.float32, shape: stored.shape, values)
    offsets = Tensor(.float32, shape: [filters], filterOffsets)
  }

  func offsets(adding bias: Tensor) -> Tensor {
    guard offsets.isContiguous, bias.isContiguous else { return bias }
    return Tensor(
      .float32, shape: offsets.shape, zip(offsets.doubles, bias.doubles).map(+))
  }
}
