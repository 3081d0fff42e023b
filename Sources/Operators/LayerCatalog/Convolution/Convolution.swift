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
      throw ShapeError("takes \(window.size.count) spatial axes, not \(input)")
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
        "the kernel takes \(kernelShape[1]) channels in each of \(groups) groups, "
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
    let input = try PaddedPlanes(inputs[0], layout: layout, window: window, padding: 0)
    let kernel = inputs[1].doubles
    let bias = hasBias ? inputs[2].doubles : nil
    let (outChannels, groupChannels) = (inputs[1].shape[0], inputs[1].shape[1])
    let outPerGroup = outChannels / groups
    let taps = input.tapOffsets.count
    let planes = workers.map(input.batch * outChannels) { index in
      let (image, outChannel) = (index / outChannels, index % outChannels)
      var sums = [Double](repeating: bias?[outChannel] ?? 0, count: input.resultCount)
      for channel in 0..<groupChannels {
        let inChannel = (outChannel / outPerGroup) * groupChannels + channel
        let plane = input.plane(image: image, channel: inChannel)
        let start = (outChannel * groupChannels + channel) * taps
        let weights = kernel[start..<start + taps]
        input.accumulate(plane, weights: weights, into: &sums)
      }
      return sums
    }
    return [input.output(planes, channels: outChannels, like: inputs[0], layout: layout)]
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
