import Bytes
import GraphIR

/// max(x - τ, 0), with a τ for which most elements along one or more axes are 0.
///
/// Any shape; the output has the same shape. This is Keras' function. In the sparsemax that it is
/// named after (Martins and Astudillo 2016), τ = (c - 1) / k, where c is the sum of the k largest
/// elements. The two are the same where k is 1; only then do the outputs add up to 1.
package struct Sparsemax: LanewiseOperator, PrimitiveOperator {
  /// The axes along which the elements are sorted, ascending, at least one.
  package let axes: [Int]

  package static let kind = "sparsemax"
  package static let version = 1

  package static let declaration = OperatorDeclaration<Self>.lanewise(
    """
    s = x in descending order, from index 0
    c[k] = s[0] + ... + s[k]
    K = all k with s[k] > (c[k] - 1) / (k + 1)
    t = ((sum over k in K of c[k]) - 1) / (number of elements of K)
    y[i] = max(x[i] - t, 0); all are NaN if one x[i] is
    """, "The axes along which the elements are sorted.")

  /// Creates the operator.
  package init(axes: [Int]) { self.axes = axes }
}

extension Sparsemax {
  package func apply(_ lane: ArraySlice<Double>) -> [Double] {
    if lane.contains(where: \.isNaN) { return lane.map { _ in .nan } }
    var (sum, sumOfSums, count) = (0.0, 0.0, 0.0)
    for (index, element) in lane.sorted(by: >).enumerated() {
      sum += element
      guard element > (sum - 1) / Double(index + 1) else { continue }
      (sumOfSums, count) = (sumOfSums + sum, count + 1)
    }
    let threshold = (sumOfSums - 1) / count
    return lane.map { max($0 - threshold, 0) }
  }
}
