package import Bytes
package import GraphIR

/// max(x - τ, 0), with a τ for which most elements along one or more axes are 0.
///
/// Any shape; the output has the same shape. This is Keras' function. In the sparsemax that it is
/// named after (Martins and Astudillo 2016), τ = (c - 1) / k, where c is the sum of the k largest
/// elements. The two are the same where k is 1; only then do the outputs add up to 1.
package struct Sparsemax: LanewiseOperator, FormulaOperator {
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
  /// Sorts the elements in descending order; the first k of them are above the threshold. Several
  /// axes are merged first.
  package func formula(_ make: inout Composition) throws(WeighbridgeError) -> ValueID {
    let x = make.inputs[0]
    guard axes.count > 1 else { return try sorted(x, axis: axes[0], &make) }
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
      try sorted(lanes, axis: others.count, &make))
    return try make.transposed(result, order.inversePermutation)
  }

  private func sorted(
    _ x: ValueID, axis: Int, _ make: inout Composition
  ) throws(WeighbridgeError) -> ValueID {
    let (type, size) = (make.type(x), try make.size(x, axis: axis))
    let sum = Reduce(.sum, axes: [axis], keepDims: true)
    let sorted = try make(Sort(axis: axis, isDescending: true, count: nil), x)
    let sums = try make(CumSum(axis: axis, isExclusive: false, isReversed: false), sorted)
    var shape = [Int](repeating: 1, count: type.rank)
    shape[axis] = size
    let ranks = try make.constant(
      Tensor(type.elementType, shape: shape, (0..<size).map { Double($0 + 1) }))
    let bound = try make.offset(try make.product(ranks, sorted), by: 1)
    let isInSupport = try make(Comparison(.greater), bound, sums)
    let count = try make(sum, try make(Cast(to: type.elementType), isInSupport))
    let total = try make(sum, try make.chosen(isInSupport, sums, try make.number(0, like: sums)))
    let threshold = try make.quotient(try make.offset(total, by: -1), count)
    // The sum of all is NaN if one element is.
    let whole = try make(sum, x)
    let isNumber = try make(Comparison(.equal), whole, whole)
    return try make.positivePart(
      try make.difference(x, try make.chosen(isNumber, threshold, whole)))
  }
}
