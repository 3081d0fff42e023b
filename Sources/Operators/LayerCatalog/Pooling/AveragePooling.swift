package import Bytes
package import GraphIR

/// The mean of each window.
///
/// - input: `[batch, spatial..., channels]` or `[batch, channels, spatial...]`, by `layout`
/// - output: the same axes, with the spatial sizes that follow from the window
package struct AveragePooling: ArithmeticOperator, PrimitiveOperator {
  /// The window that slides over the spatial axes.
  package let window: Window
  /// Whether padding counts as elements of value 0; otherwise the mean is only over the elements
  /// inside the input.
  package let countIncludePad: Bool
  /// The order of the input's and output's axes.
  package let layout: DataLayout

  package static let kind = "average_pooling"
  package static let version = 1

  package static let declaration = OperatorDeclaration<Self>(
    """
    y = (sum of the elements of the window that lie inside the input) / n
    n = number of elements of the window inside the input, or, if count_include_pad,
        inside the input with its padding
    """,
    of: .float,
    attributes: AttributeSchema(
      Self.init(window:countIncludePad:layout:),
      .part(\.window, Window.schema),
      .boolean(
        "count_include_pad", \.countIncludePad, "Whether padding counts as elements of value 0.",
        .rule(
          """
          true where padding is explicit and not below the effective window size along an axis, \
          so that a window may hold padding only
          """)),
      .layout(\.layout)
    ).checked {
      !$0.countIncludePad && $0.window.mayLieInPadding
        ? "a window that lies in the padding has no mean" : nil
    })

  /// Creates the operator.
  package init(window: Window, countIncludePad: Bool, layout: DataLayout) {
    self.window = window
    self.countIncludePad = countIncludePad
    self.layout = layout
  }
}

extension AveragePooling {
  package func outputTypes(of inputs: [TensorType]) throws(ShapeError) -> [TensorType] {
    [try window.pooledType(of: inputs[0], layout: layout)]
  }

  package func evaluate(
    _ inputs: [Tensor], workers: Workers
  ) throws(WeighbridgeError) -> [Tensor] {
    let input = try PaddedPlanes(
      inputs[0], layout: layout, window: window, padding: 0, workers: workers)
    let ones = [Double](repeating: 1, count: input.tapOffsets.count)
    let counts = try counts(inputs[0])
    let planes = workers.map(input.batch * input.channels) { index in
      let plane = input.plane(image: index / input.channels, channel: index % input.channels)
      var sums = [Double](repeating: 0, count: input.resultCount)
      input.accumulate(plane, weights: ones[...], into: &sums)
      for index in sums.indices { sums[index] /= counts[index] }
      return sums
    }
    return [input.output(planes, channels: input.channels, like: inputs[0], layout: layout)]
  }

  /// The number of elements that count in each window: the sum over the window in a plane of ones.
  private func counts(_ input: Tensor) throws(WeighbridgeError) -> [Double] {
    let spatial = layout.spatialAxes(rank: input.shape.count).map { input.shape[$0] }
    let plane = [Double](repeating: 1, count: spatial.reduce(1, *))
    let ones = try PaddedPlanes(
      Tensor(.float32, shape: [1, 1] + spatial, plane), layout: .channelsFirst, window: window,
      padding: countIncludePad ? 1 : 0, workers: Workers(count: 1))
    let weights = [Double](repeating: 1, count: ones.tapOffsets.count)
    var counts = [Double](repeating: 0, count: ones.resultCount)
    ones.accumulate(ones.plane(image: 0, channel: 0), weights: weights[...], into: &counts)
    return counts
  }

  package func permutingAxes(_ axes: [Int]) -> AveragePooling? {
    guard axes.count == window.size.count + 2, let layout = layout.permuted(by: axes) else {
      return nil
    }
    return AveragePooling(window: window, countIncludePad: countIncludePad, layout: layout)
  }
}
