import Bytes
import GraphIR

/// The logarithm of the softmax: x minus the logarithm of the sum of e^x along one or more axes.
///
/// Any shape; the output has the same shape. The largest element is subtracted first, as in
/// ``Softmax``.
package struct LogSoftmax: LanewiseOperator {
  /// The axes along which e^y of the outputs y adds up to 1, ascending, at least one.
  package let axes: [Int]

  package static let kind = "log_softmax"
  package static let version = 1

  package static let declaration = OperatorDeclaration<Self>.lanewise(
    """
    m = max over i of x[i]
    y[i] = x[i] - m - log(sum over j of exp(x[j] - m))
    """, "The axes along which exp(y) adds up to 1.")

  /// Creates the operator.
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
      let logSumExp = Reduce(.logSumExp, axes: axes, keepDims: true)
      return try make.difference(make.inputs[0], try make(logSumExp, make.inputs[0]))
    }
  }
}
