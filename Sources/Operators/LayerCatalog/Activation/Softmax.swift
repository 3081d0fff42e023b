package import Bytes
package import GraphIR

/// e^x divided by its sum along one or more axes (Bridle 1990).
///
/// Any shape; the output has the same shape. The largest element is subtracted first, so that e^x
/// cannot overflow; this does not change the result.
package struct Softmax: LanewiseOperator {
  /// The axes along which the outputs add up to 1, ascending, at least one.
  package let axes: [Int]

  package static let kind = "softmax"
  package static let version = 1

  package static let declaration = OperatorDeclaration<Self>.lanewise(
    """
    m = max over i of x[i]
    y[i] = exp(x[i] - m) / (sum over j of exp(x[j] - m))
    """, "The axes along which the outputs add up to 1.")

  /// Creates the operator.
  package init(axes: [Int]) { self.axes = axes }
}

extension Softmax {
  package func outputTypes(of inputs: [TensorType]) throws(ShapeError) -> [TensorType] {
    try laneTypes(of: inputs)
  }

  package func evaluate(
    _ inputs: [Tensor], workers: Workers
  ) throws(WeighbridgeError) -> [Tensor] {
    [inputs[0].mappingLanes(along: axes, workers: workers, apply)]
  }

  /// Returns the softmax of a lane.
  func apply(_ lane: ArraySlice<Double>) -> [Double] {
    // A NaN propagates through the sum, whatever `max` returns for it.
    let largest = lane.max() ?? 0
    let exponentials = lane.map { ($0 - largest).exponential }
    let sum = exponentials.reduce(0, +)
    return exponentials.map { $0 / sum }
  }

  package var decomposition: Decomposition {
    if axes.count == 1 { return .primitive }
    return Composition.of { [self] (make) throws(WeighbridgeError) in
      let reduction = { Reduce($0, axes: axes, keepDims: true) }
      let largest = try make(reduction(.maximum), make.inputs[0])
      let exponentials = try make(
        Exponential(), try make.difference(make.inputs[0], largest))
      return try make.quotient(exponentials, try make(reduction(.sum), exponentials))
    }
  }
}
