import Bytes
import GraphIR

/// max(x - τ, 0), with a τ for which most elements along one or more axes are 0.
///
/// Any shape; the output has the same shape. This is Keras' function. In the sparsemax that it is
/// named after (Martins and Astudillo 2016), τ = (c - 1) / k, where c is the sum of the k largest
/// elements. The two are the same where k is 1; only then do the outputs add up to 1.
package struct Sparsemax: LanewiseOperator {
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

  /// Sorts the elements in descending order; the first k of them are above the threshold. Several
  /// axes are merged first.
  package var decomposition: Decomposition {
    Composition.of { [self] (make) throws(WeighbridgeError) in
      axes.count == 1 ? try sorted(&make) : try merged(&make)
    }
  }

  private func merged(_ make: inout Composition) throws(WeighbridgeError) -> ValueID {
    let x = make.inputs[0]
    let others = (0..<make.type(x).rank).filter { !axes.contains($0) }
    let order = others + axes
    let kept = others.indices.map { ReshapeAxes.Size.axis($0) }
    var sizes: [Int] = []
    for axis in axes { sizes.append(try make.size(x, axis: axis)) }
    let lanes = try make(
      ReshapeAxes(kept + [.fixed(try Checked.product(sizes, of: "the size of a lane"))]),
      try make.transposed(x, order))
    let result = try make(
      ReshapeAxes(kept + sizes.map { .fixed($0) }),
      try make(Sparsemax(axes: [others.count]), lanes))
    return try make.transposed(result, order.inversePermutation)
  }

  private func sorted(_ make: inout Composition) throws(WeighbridgeError) -> ValueID {
    let (x, type) = (make.inputs[0], make.type(make.inputs[0]))
    let size = try make.size(x, axis: axes[0])
    let sum = Reduce(.sum, axes: axes, keepDims: true)
    let sorted = try make(Sort(axis: axes[0], isDescending: true, count: nil), x)
    let sums = try make(CumSum(axis: axes[0], isExclusive: false, isReversed: false), sorted)
    var shape = [Int](repeating: 1, count: type.rank)
    shape[axes[0]] = size
    let ranks = try make.constant(
      Tensor(type.elementType, shape: shape, (0..<size).map { Double($0 + 1) }))
    let bound = try make.offset(try make.product(ranks, sorted), by: 1)
    let isInSupport = try make(Comparison(.greater), bound, sums)
    let count = try make(sum, try make(Cast(to: type.elementType), isInSupport))
    let total = try make(sum, try make.chosen(isInSupport, sums, try make.number(0, like: sums)))
    let threshold = try make.quotient(try make.offset(total, by: -1), count)
    return try make.positivePart(try make.difference(x, threshold))
  }
}
