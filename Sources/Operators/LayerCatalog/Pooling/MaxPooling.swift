package import Bytes
package import GraphIR

/// The largest element of each window.
///
/// - input: `[batch, spatial..., channels]` or `[batch, channels, spatial...]`, by `layout`
/// - output: the same axes, with the spatial sizes that follow from the window
///
/// Padding and NaN are ignored, as in TensorFlow on a CPU; if a window contains nothing else, the
/// result is minus infinity (TensorFlow: the lowest finite number).
package struct MaxPooling: ExactOperator, PrimitiveOperator {
  /// The window that slides over the spatial axes.
  package let window: Window
  /// The order of the input's and output's axes.
  package let layout: DataLayout

  package static let kind = "max_pooling"
  package static let version = 1

  package static let declaration = OperatorDeclaration<Self>(
    """
    y = the largest element of the window inside the input that is not NaN; -infinity if there \
    is none
    """,
    of: .float,
    attributes: AttributeSchema(
      Self.init(window:layout:),
      .part(\.window, Window.schema),
      .layout(\.layout)))

  /// Creates the operator.
  package init(window: Window, layout: DataLayout) {
    self.window = window
    self.layout = layout
  }
}

extension MaxPooling {
  package func outputTypes(of inputs: [TensorType]) throws(ShapeError) -> [TensorType] {
    [try window.pooledType(of: inputs[0], layout: layout)]
  }

  package func evaluate(
    _ inputs: [Tensor], workers: Workers
  ) throws(WeighbridgeError) -> [Tensor] {
    let input = try PaddedPlanes(
      inputs[0], layout: layout, window: window, padding: -.infinity, workers: workers)
    let ones = [Double](repeating: 1, count: input.tapOffsets.count)
    let planes = workers.map(input.batch * input.channels) { index in
      let plane = input.plane(image: index / input.channels, channel: index % input.channels)
      var largest = [Double](repeating: -.infinity, count: input.resultCount)
      input.combine(plane, weights: ones[...], into: &largest) { largest, element, _ in
        element > largest ? element : largest
      }
      return largest
    }
    return [input.output(planes, channels: input.channels, like: inputs[0], layout: layout)]
  }

  package func permutingAxes(_ axes: [Int]) -> MaxPooling? {
    guard axes.count == window.size.count + 2, let layout = layout.permuted(by: axes) else {
      return nil
    }
    return MaxPooling(window: window, layout: layout)
  }
}
