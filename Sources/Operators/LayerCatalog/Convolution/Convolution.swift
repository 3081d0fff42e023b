package import Bytes
package import GraphIR

/// A convolution over any number of spatial axes (a cross-correlation, as is common in neural
/// networks: the kernel is not flipped).
///
/// - input: `[batch, spatial..., channels]` or `[batch, channels, spatial...]`, by `layout`
/// - kernel: `[out, in/groups, spatial...]`
/// - bias: `[out]`
/// - output: the input's layout, with `out` channels
package struct Convolution: PrimitiveOperator {
  /// The window; its size is the kernel's.
  package let window: Window
  /// The number of groups into which the input's channels are split; at least 1.
  package let groups: Int
  /// Whether there is a bias.
  package let hasBias: Bool
  /// The order of the input's and output's axes.
  package let layout: DataLayout

  package static let kind = "convolution"
  package static let version = 1

  package static let declaration = OperatorDeclaration<Self>(
    """
    In channels-first order, with positions p and window elements k along all spatial axes:
    g = floor(o / (out / groups))
    output[n, o, p] = bias[o] + sum over c, k of
      kernel[o, c, k] * input[n, g * (in / groups) + c, p * strides + k * dilation - before]
    Elements outside of the input are 0.
    """,
    inputs: [.data("input", .float), .weight("kernel"), .weight("bias", .when("bias"))],
    outputs: [.like("input")],
    attributes: AttributeSchema(
      Self.init(window:groups:hasBias:layout:),
      .part(\.window, Window.schema),
      .integer(
        "groups", \.groups, "The number of groups of channels; divides in and out.",
        .atLeast(1)),
      .boolean("bias", \.hasBias, "Whether there is a bias; 0 otherwise."),
      .layout(\.layout)))

  /// Creates the operator.
  package init(window: Window, groups: Int, hasBias: Bool, layout: DataLayout) {
    self.window = window
    self.groups = groups
    self.hasBias = hasBias
    self.layout = layout
  }
}

extension Convolution {
  package func outputTypes(of inputs: [TensorType]) throws(ShapeError) -> [TensorType] {
    let (input, kernel) = (inputs[0], inputs[1])
    guard input.rank == window.size.count + 2, input.elementType.isFloat else {
      throw ShapeError(
        "takes floating-point numbers with \(window.size.count.counted("spatial axis")), not \(input)"
      )
    }
    let channels = input.shape[layout.channelAxis(rank: input.rank)]
    guard let kernelShape = kernel.fixedShape, kernelShape.count == input.rank,
      Array(kernelShape[2...]) == window.size, kernelShape[0] % groups == 0
    else {
      throw ShapeError("the kernel \(kernel) does not fit a window of \(window.size)")
    }
    let expected = kernelShape[1].multipliedReportingOverflow(by: groups)
    guard !expected.overflow, channels.agrees(with: .fixed(expected.partialValue)) else {
      throw ShapeError(
        "the kernel takes \(kernelShape[1].counted("channel")) in each of \(groups.counted("group")), "
          + "and the input has \(channels)")
    }
    if hasBias, inputs[2].shape != [.fixed(kernelShape[0])] {
      throw ShapeError("the bias \(inputs[2]) does not fit \(kernelShape[0]) output channels")
    }
    var shape = input.shape
    shape[layout.channelAxis(rank: input.rank)] = .fixed(kernelShape[0])
    let spatial = layout.spatialAxes(rank: input.rank)
    shape.replaceSubrange(spatial, with: try window.outputDimensions(Array(input.shape[spatial])))
    return [input.with(shape: shape)]
  }

  package func evaluate(
    _ inputs: [Tensor], workers: Workers
  ) throws(WeighbridgeError) -> [Tensor] {
    let input = try PaddedPlanes(
      inputs[0], layout: layout, window: window, padding: 0, workers: workers)
    let (outChannels, channels) = (inputs[1].shape[0], inputs[1].shape[1])
    let bias = hasBias ? inputs[2].doubles : nil
    guard outChannels / groups >= 4 else {
      let planes = planes(input, inputs[1], bias, workers)
      return [input.output(planes, channels: outChannels, like: inputs[0], layout: layout)]
    }
    let (count, size) = (input.batch * groups, outChannels / groups)
    let kernels = { @Sendable (product: Int, range: Range<Int>) in
      let first = product % groups * size
      let range = range.lowerBound + first..<range.upperBound + first
      return Vectors(rowsOf: inputs[1].slice(range, along: 0), after: bias?[range])
    }
    let windows = { @Sendable (product: Int, range: Range<Int>) in
      let first = product % groups * channels
      return input.windows(
        range, image: product / groups, channels: first..<first + channels, hasOne: hasBias)
    }
    let length = channels * input.tapOffsets.count
    if layout == .channelsLast, groups == 1 {
      let sums = MatrixProduct(
        count: count, rowCount: input.outputPlaneSize, columnCount: size, length: length
      ).elements(workers: workers, rows: windows, columns: kernels)
      let shape = [input.batch] + input.outputDimensions + [outChannels]
      return [Tensor(inputs[0].elementType, shape: shape, sums)]
    }
    let sums = MatrixProduct(
      count: count, rowCount: size, columnCount: input.outputPlaneSize, length: length
    ).elements(workers: workers, rows: kernels, columns: windows)
    let shape = [input.batch, outChannels] + input.outputDimensions
    return [
      Tensor(inputs[0].elementType, shape: shape, sums)
        .permuted(layout.axesFromChannelsFirst(rank: shape.count))
    ]
  }

  /// The output's planes, for so few channels in a group that a window would be gathered in vain.
  private func planes(
    _ input: PaddedPlanes, _ kernel: Tensor, _ bias: [Double]?, _ workers: Workers
  ) -> [[Double]] {
    let (outChannels, channels) = (kernel.shape[0], kernel.shape[1])
    let (weights, taps) = (kernel.doubles, input.tapOffsets.count)
    return workers.map(input.batch * outChannels) { index in
      let (image, outChannel) = (index / outChannels, index % outChannels)
      var sums = [Double](repeating: bias?[outChannel] ?? 0, count: input.resultCount)
      for channel in 0..<channels {
        let inChannel = outChannel / (outChannels / groups) * channels + channel
        let start = (outChannel * channels + channel) * taps
        input.accumulate(
          input.plane(image: image, channel: inChannel), weights: weights[start..<start + taps],
          into: &sums)
      }
      return sums
    }
  }

  package var tolerance: Tolerance { .standard(for: .float32) }

  /// Each element of the output is a sum over all axes of the kernel except the first.
  package var cost: OperatorCost { .products { [$1[0] + $0[1].dropFirst()] } }

  package func permutingAxes(_ axes: [Int]) -> Convolution? {
    guard axes.count == window.size.count + 2, let layout = layout.permuted(by: axes) else {
      return nil
    }
    return Convolution(window: window, groups: groups, hasBias: hasBias, layout: layout)
  }
}
