package import Bytes
package import GraphIR

/// Stretches the contrast of each channel of each image, so that the darkest element becomes `low`
/// and the brightest `high`. A channel whose elements are all equal remains unchanged.
///
/// - input: `[batch, height, width, channels]`
/// - output: the input's shape
package struct AutoContrast: ArithmeticOperator, PrimitiveOperator {
  /// The smallest element of the output.
  package let low: Double
  /// The largest element of the output.
  package let high: Double

  package static let kind = "auto_contrast"
  package static let version = 1

  package static let declaration = OperatorDeclaration<Self>(
    """
    lo, hi = the smallest and the largest element of the channel of the image
    y = x if lo = hi, or x is NaN
    y = min(max(low + (x - lo) * ((high - low) / (hi - lo)), low), high) otherwise
    """,
    of: .float,
    attributes: AttributeSchema(
      Self.init(low:high:),
      .real("low", \.low, "The smallest element of the output.", .finite),
      .real("high", \.high, "The largest element of the output.", .finite, .aboveThat(of: "low"))))

  /// Creates the operator.
  package init(low: Double, high: Double) {
    self.low = low
    self.high = high
  }
}

extension AutoContrast {
  package func outputTypes(of inputs: [TensorType]) throws(ShapeError) -> [TensorType] {
    guard inputs[0].rank == 4, inputs[0].elementType.isFloat else {
      throw ShapeError("takes images of floating-point numbers, not \(inputs[0])")
    }
    return [inputs[0]]
  }

  package func evaluate(
    _ inputs: [Tensor], workers: Workers
  ) throws(WeighbridgeError) -> [Tensor] {
    let transposed = inputs[0].permuted([0, 3, 1, 2])
    let (elements, size) = (transposed.doubles, transposed.shape[2] * transposed.shape[3])
    let planes = workers.map(transposed.shape[0] * transposed.shape[1]) { index in
      stretched(elements[index * size..<(index + 1) * size])
    }
    let output = Tensor(inputs[0].elementType, shape: transposed.shape, planes.flatMap { $0 })
    return [output.permuted([0, 2, 3, 1])]
  }

  private func stretched(_ plane: ArraySlice<Double>) -> [Double] {
    guard let darkest = plane.min(), let brightest = plane.max(), darkest < brightest else {
      return Array(plane)
    }
    let factor = (high - low) / (brightest - darkest)
    return plane.map { $0.isNaN ? $0 : min(max(low + ($0 - darkest) * factor, low), high) }
  }

  /// Height and width may be swapped.
  package func permutingAxes(_ axes: [Int]) -> AutoContrast? {
    axes.first == 0 && axes.last == 3 ? self : nil
  }
}
