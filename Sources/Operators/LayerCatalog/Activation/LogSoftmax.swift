import Bytes
import GraphIR

/// The logarithm of the softmax: x minus the logarithm of the sum of e^x along one or more axes.
///
/// Any shape in, the same out. The largest element is subtracted first, as for ``Softmax``.
package struct LogSoftmax: LanewiseOperator {
  /// The axes along which the outputs' e^y add up to 1, ascending, at least one.
  package let axes: [Int]

  package static let kind = "log_softmax"
  package static let version = 1

  package static let declaration = OperatorDeclaration<Self>.lanewise(
    """
    m = max over i of x[i]
    y[i] = x[i] - m - log(sum over j of exp(x[j] - m))
    """, "The axes along which exp(y) adds up to 1.")

  /// Makes the operator.
  package init(axes: [Int]) { self.axes = axes }
}

extension LogSoftmax {
  package func apply(_ lane: ArraySlice<Double>) -> [Double] {
    // A NaN propagates through the sum, whatever `max` returns for it.
    let largest = lane.max() ?? 0
    let logarithm = lane.reduce(0) { $0 + ($1 - largest).exponential }.logarithm
    return lane.map { $0 - largest - logarithm }
  }

  package var decomposition: Decomposition {
    Composition.of { [self] (make) throws(WeighbridgeError) in
      let total = Reduce(.logarithmOfSum, axes: axes, keepDims: true)
      return try make.difference(make.inputs[0], try make(total, make.inputs[0]))
    }
  }
}
