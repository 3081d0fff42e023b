package import Bytes
package import GraphIR

/// The logarithm of the softmax: x minus the logarithm of the sum of e^x along one or more axes.
///
/// Any shape; the output has the same shape. The largest element is subtracted first, as in
/// ``Softmax``.
package struct LogSoftmax: LanewiseOperator, FormulaOperator {
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
  package func formula(_ make: inout Composition) throws(WeighbridgeError) -> ValueID {
    let reduction = { Reduce($0, axes: axes, keepDims: true) }
    let x = make.inputs[0]
    let shifted = try make.difference(x, try make(reduction(.maximum), x))
    let sum = try make(reduction(.sum), try make(Exponential(), shifted))
    return try make.difference(shifted, try make(UnaryMath(.logarithm), sum))
  }
}
