import Bytes
import GraphIR
import LayerCatalog

/// The enlargement of images whose sizes are not known by a filter, as a convolution.
///
/// All elements with the same position between those of the input have the same weights, so each of
/// these positions is a channel of a convolution, whose result is divided by that of ones: that
/// leaves out what lies beyond the border, and the rest of the weights adds up to 1.
struct FilteredUpsampling {
  private let filter: ResizingInterpolation
  private let factors: [Int]
  private let layout: DataLayout

  init(_ filter: ResizingInterpolation, _ factors: [Int], _ layout: DataLayout) {
    (self.filter, self.factors, self.layout) = (filter, factors, layout)
  }

  /// Adds the nodes.
  ///
  /// - Throws: ``WeighbridgeError/Code/unsupported`` for factors with which TensorFlow's weights
  ///   depend on the size, and for an unknown number of channels.
  func add(
    to layer: inout KerasLayer, _ input: ValueID
  ) throws(WeighbridgeError) -> [ValueID] {
    let type = layer.graph.type(of: input)
    let channels = type.shape[layout.channelAxis(rank: 4)].value
    guard let channels, channels >= 1, type.elementType == .float32 || type.elementType == .float64,
      factors.allSatisfy({ $0 <= 64 })
    else {
      throw .unsupported(
        "upsamples \(type) by \(filter.rawValue) with the factors \(factors), expected at most "
          + "64 of float32 or float64 images with known channels")
    }
    if filter == .area {
      let operation = Upsampling(factors: factors, interpolation: .nearest, layout: layout)
      return try layer.add(operation, [input])
    }
    // Other coordinates are rounded in float32, more so the larger they are.
    let isExact = factors.allSatisfy { $0 & ($0 - 1) == 0 }
    guard filter == .bicubic || isExact else {
      throw .unsupported(
        "upsampling by \(filter.rawValue) with factors \(factors) of \(type); where the sizes are "
          + "not known, only powers of two are supported")
    }
    let taps = factors.map(taps)
    let (order, back) = ([0, 2, 3, 1], [0, 3, 1, 2])
    let isFirst = layout == .channelsFirst
    let image =
      isFirst ? try layer.add(Transpose(axes: order), [input], role: "transpose")[0] : input
    let one = Slice([.init(axis: 3, start: 0, stop: 1, step: 1)])
    let line = try layer.add(one, [image], role: "one_channel")
    let ones = try layer.add(FullLike(value: 1), line, role: "ones")[0]
    let sums = try convolved(&layer, image, channels, taps, "sums")
    let totals = try convolved(&layer, ones, 1, taps, "totals")
    let quotient = try layer.add(BinaryMath(.divide), [sums, totals], role: "quotient")
    let output = try interleaved(&layer, quotient)
    return isFirst
      ? try layer.add(Transpose(axes: back), output) : try layer.add(Identity(), output)
  }

  /// The weights of the input's elements around one, for each position within it.
  private func taps(_ factor: Int) -> (first: Int, weights: [[Double]]) {
    let middle = 64
    let samples = (0..<factor).map {
      filter.sample(
        middle * factor + $0, from: 2 * middle, to: 2 * middle * factor, antialiases: false)
    }
    let first = samples.map(\.first).min() ?? middle
    let end = samples.map { $0.first + $0.weights.count }.max() ?? middle
    let weights = samples.map { sample in
      (first..<end).map { index in
        let place = index - sample.first
        return sample.weights.indices.contains(place) ? sample.weights[place] : 0
      }
    }
    return (first - middle, weights)
  }

  /// The weighted sums `[batch, height, width, channels, position, position]`.
  private func convolved(
    _ layer: inout KerasLayer, _ input: ValueID, _ channels: Int,
    _ taps: [(first: Int, weights: [[Double]])], _ role: String
  ) throws(WeighbridgeError) -> ValueID {
    let size = taps.map { $0.weights[0].count }
    let window = Window(
      size: size, strides: [1, 1], dilation: [1, 1],
      padding: .explicit(
        before: taps.map { -$0.first }, after: taps.map { $0.weights[0].count - 1 + $0.first }))
    var kernel: [Double] = []
    for rows in taps[0].weights {
      for columns in taps[1].weights {
        for row in rows { kernel += columns.map { row * $0 } }
      }
    }
    let positions = factors[0] * factors[1]
    guard try Checked.product([channels, kernel.count], of: "the filter") <= 1 << 24 else {
      throw .limitExceeded("needs a filter of \(channels) times \(kernel.count.counted("number"))")
    }
    let all = (0..<channels).flatMap { _ in kernel }
    let type = layer.graph.type(of: input).elementType
    let weights = try layer.constant(
      "\(role)_kernel", Tensor(type, shape: [channels * positions, 1] + size, all))
    let operation = Convolution(
      window: window, groups: channels, hasBias: false, layout: .channelsLast)
    let sums = try layer.add(operation, [input, weights], role: role)
    let split = ReshapeAxes([
      .axis(0), .axis(1), .axis(2), .fixed(channels), .fixed(factors[0]), .fixed(factors[1]),
    ])
    return try layer.add(split, sums, role: "\(role)_positions")[0]
  }

  /// Puts the positions between the elements, `[batch, height, width, channels]`.
  private func interleaved(
    _ layer: inout KerasLayer, _ value: [ValueID]
  ) throws(WeighbridgeError) -> [ValueID] {
    let turned = try layer.add(Transpose(axes: [0, 1, 4, 2, 5, 3]), value, role: "turned")
    let rows = ReshapeAxes([.axis(0), .rest, .axis(3), .axis(4), .axis(5)])
    let merged = try layer.add(rows, turned, role: "rows")
    return try layer.add(
      ReshapeAxes([.axis(0), .axis(1), .rest, .axis(4)]), merged, role: "columns")
  }
}
