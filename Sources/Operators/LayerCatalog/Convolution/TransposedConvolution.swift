package import Bytes
package import GraphIR

/// The transpose of a ``Convolution``, also called deconvolution (Zeiler et al. 2010): where a
/// convolution combines several elements into one, this distributes one element over several.
///
/// - input: `[batch, spatial..., channels]` or `[batch, channels, spatial...]`, by `layout`
/// - kernel: `[channels, out/groups, spatial...]`
/// - bias: `[out]`
/// - output: the input's layout, with `out` channels
package struct TransposedConvolution: ImageOperator, PrimitiveOperator {
  /// The window; its size is the kernel's, and its padding (which is explicit) is cropped from both
  /// ends of the output.
  package let window: Window
  /// The number of elements that are appended to each spatial axis before cropping, filled with the
  /// bias.
  package let outputPadding: [Int]
  /// The number of groups into which the input's channels are split; at least 1.
  package let groups: Int
  /// Whether there is a bias.
  package let hasBias: Bool
  /// The order of the input's and output's axes.
  package let layout: DataLayout

  package static let kind = "transposed_convolution"
  package static let version = 1

  package static let declaration = OperatorDeclaration<Self>(
    """
    In channels-first order, with input positions i and window elements k along all spatial axes:
    g = floor(o / (out / groups)); c runs over the in / groups channels from g * (in / groups) on
    output[n, o, p] = bias[o] + sum over c, i, k with p = i * strides + k * dilation - \
    padding_before of
      input[n, c, i] * kernel[c, o mod (out / groups), k]
    size = (input size - 1) * strides + (window - 1) * dilation + 1 + output_padding
           - padding_before - padding_after, at least 1
    """,
    inputs: [.data("input", .float), .weight("kernel"), .weight("bias", .when("bias"))],
    outputs: [.like("input")],
    attributes: AttributeSchema(
      Self.init(window:outputPadding:groups:hasBias:layout:),
      .part(\.window, Window.schema(paddings: [.explicit])),
      .integers(
        "output_padding", \.outputPadding,
        "The number of elements by which the end of the output is extended.",
        .countOf("window"), .atLeast(0), .sizeLimit),
      .integer(
        "groups", \.groups, "The number of groups of channels; divides in and out.",
        .atLeast(1)),
      .boolean("bias", \.hasBias, "Whether there is a bias; 0 otherwise."),
      .layout(\.layout)))

  /// Creates the operator.
  package init(
    window: Window, outputPadding: [Int], groups: Int, hasBias: Bool, layout: DataLayout
  ) {
    self.window = window
    self.outputPadding = outputPadding
    self.groups = groups
    self.hasBias = hasBias
    self.layout = layout
  }
}

extension TransposedConvolution {
  package func outputTypes(of inputs: [TensorType]) throws(ShapeError) -> [TensorType] {
    let (input, kernel) = (inputs[0], inputs[1])
    guard input.rank == window.size.count + 2, input.elementType.isFloat else {
      throw ShapeError(
        "takes floating-point numbers with \(window.size.count.counted("spatial axis")), not \(input)"
      )
    }
    let channelAxis = layout.channelAxis(rank: input.rank)
    guard let shape = kernel.fixedShape, shape.count == input.rank,
      Array(shape[2...]) == window.size, shape[0] % groups == 0
    else { throw ShapeError("the kernel \(kernel) does not fit a window of \(window.size)") }
    guard input.shape[channelAxis].agrees(with: .fixed(shape[0])) else {
      throw ShapeError(
        "the kernel takes \(shape[0].counted("channel")), but the input has \(input.shape[channelAxis])"
      )
    }
    let (out, overflow) = shape[1].multipliedReportingOverflow(by: groups)
    guard !overflow, !hasBias || inputs[2].shape == [.fixed(out)] else {
      throw ShapeError(
        "\(shape[1]) output channels in each of \(groups.counted("group")) do not fit the bias")
    }
    var output = try input.mappingSpatialAxes(layout, count: window.size.count) {
      (axis, dimension) throws(ShapeError) in try outputDimension(axis, of: dimension)
    }
    output.shape[channelAxis] = .fixed(out)
    return [output]
  }

  /// The size of an axis of the output before cropping.
  private func uncroppedDimension(_ axis: Int, of dimension: Int) -> Int {
    (dimension - 1) * window.strides[axis] + window.effectiveSize(axis) + outputPadding[axis]
  }

  /// The numbers of elements that are cropped from both ends of an axis.
  private func borders(_ axis: Int) -> (before: Int, after: Int) {
    guard case .explicit(let before, let after) = window.padding else { return (0, 0) }
    return (before[axis], after[axis])
  }

  private func outputDimension(_ axis: Int, of dimension: Int) throws(ShapeError) -> Int {
    // With this and the window's own limits, nothing below can overflow.
    guard (1...1 << 32).contains(dimension) else {
      throw ShapeError(
        "an axis of \(dimension) elements cannot be upsampled by a transposed convolution")
    }
    let (before, after) = borders(axis)
    let result = uncroppedDimension(axis, of: dimension) - before - after
    guard result >= 1 else {
      throw ShapeError("cropping \(before) and \(after) leaves no output for \(dimension) elements")
    }
    return result
  }

  package func evaluate(
    _ inputs: [Tensor], workers: Workers
  ) throws(WeighbridgeError) -> [Tensor] {
    _ = try outputShape(of: inputs)  // rejects sizes too large for any memory
    let input = inputs[0].permuted(layout.axesToChannelsFirst(rank: inputs[0].shape.count))
    let uncropped = input.shape[2...].enumerated().map { uncroppedDimension($0, of: $1) }
    let outChannels = inputs[1].shape[1] * groups
    _ = try Checked.product(
      [input.shape[0], outChannels] + uncropped + [8], of: "the size of the output")
    let isFinite = inputs[1].doubles.allSatisfy(\.isFinite)
    let elements =
      isFinite
      ? try elements(inputs, uncropped: uncropped, workers: workers)
      : scattered(inputs, input, uncropped: uncropped, workers: workers)
    var output = Tensor(
      inputs[0].elementType, shape: [input.shape[0], outChannels] + uncropped, elements)
    for (axis, dimension) in uncropped.enumerated() {
      let (before, after) = borders(axis)
      output = output.slice(before..<dimension - after, along: axis + 2)
    }
    return [output.permuted(layout.axesFromChannelsFirst(rank: output.shape.count))]
  }

  /// The elements of the uncropped output by the definition, `[batch, channels, spatial...]`.
  private func scattered(
    _ inputs: [Tensor], _ input: Tensor, uncropped: [Int], workers: Workers
  ) -> [Double] {
    let outPerGroup = inputs[1].shape[1]
    let outChannels = outPerGroup * groups
    let scatter = Scatter(
      elements: input.doubles, weights: inputs[1].doubles, channels: input.shape[1],
      groupChannels: input.shape[1] / groups, outPerGroup: outPerGroup,
      planeSize: uncropped.reduce(1, *),
      elementOffsets: offsets(Array(input.shape[2...]), window.strides, in: uncropped),
      tapOffsets: offsets(window.size, window.dilation, in: uncropped))
    let bias = hasBias ? inputs[2].doubles : [Double](repeating: 0, count: outChannels)
    let planes = workers.map(input.shape[0] * outChannels) { index in
      let outChannel = index % outChannels
      return scatter.plane(
        image: index / outChannels, outChannel: outChannel, bias: bias[outChannel])
    }
    return planes.flatMap { $0 }
  }

  /// The offsets of all combinations of indices in an uncropped plane, `steps` elements apart.
  private func offsets(_ dimensions: [Int], _ steps: [Int], in uncropped: [Int]) -> [Int] {
    PaddedPlanes.offsets(dimensions, zip(Tensor.rowMajorStrides(uncropped), steps).map(*))
  }

  /// Scatters the input's elements, multiplied by the kernel, over the uncropped output planes.
  private struct Scatter: Sendable {
    let elements: [Double]
    let weights: [Double]
    let channels: Int
    let groupChannels: Int
    let outPerGroup: Int
    let planeSize: Int
    /// The offset of each input element in an output plane.
    let elementOffsets: [Int]
    /// The offset of each element of the window, relative to its first element.
    let tapOffsets: [Int]

    func plane(image: Int, outChannel: Int, bias: Double) -> [Double] {
      var sums = [Double](repeating: bias, count: planeSize)
      let first = outChannel / outPerGroup * groupChannels
      for channel in first..<first + groupChannels {
        let start = (image * channels + channel) * elementOffsets.count
        let kernel = (channel * outPerGroup + outChannel % outPerGroup) * tapOffsets.count
        for (index, elementOffset) in elementOffsets.enumerated() {
          let element = elements[start + index]
          for (tap, tapOffset) in tapOffsets.enumerated() {
            sums[elementOffset + tapOffset] += element * weights[kernel + tap]
          }
        }
      }
      return sums
    }
  }

  package var tolerance: Tolerance { .standard(for: .float32) }

  /// Each element of the input is multiplied by the kernel without its first axis.
  package var cost: OperatorCost { .products { inputs, _ in [inputs[0] + inputs[1].dropFirst()] } }

  package func permutingAxes(_ axes: [Int]) -> TransposedConvolution? {
    guard axes.count == window.size.count + 2, let layout = layout.permuted(by: axes) else {
      return nil
    }
    return TransposedConvolution(
      window: window, outputPadding: outputPadding, groups: groups, hasBias: hasBias,
      layout: layout)
  }
}
