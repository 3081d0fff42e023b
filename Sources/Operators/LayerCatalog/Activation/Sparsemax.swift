import Bytes
import GraphIR

/// max(x - τ, 0) with a τ for which most elements along one or more axes are 0.
///
/// Any shape in, the same out. Of the elements in falling order, x₁ >= x₂ >= ..., the first k are
/// those for which 1 + k xₖ exceeds their sum cₖ = x₁ + ... + xₖ, and τ = (c₁ + ... + cₖ - 1) / k.
/// This is Keras' function. The sparsemax that it is named after (Martins and Astudillo 2016) has
/// τ = (cₖ - 1) / k, which is the same where k is 1; only then do the outputs add up to 1.
package struct Sparsemax: LanewiseOperator {
  /// The axes along which the elements are sorted, rising, at least one.
  package let axes: [Int]

  package static let kind = "sparsemax"
  package static let version = 1

  /// Makes the operator.
  package init(axes: [Int]) { self.axes = axes }
}

extension Sparsemax {
  package func apply(_ lane: ArraySlice<Double>) -> [Double] {
    if lane.contains(where: \.isNaN) { return lane.map { _ in .nan } }
    var (sum, total, count) = (0.0, 0.0, 0.0)
    for (index, element) in lane.sorted(by: >).enumerated() {
      sum += element
      guard element > (sum - 1) / Double(index + 1) else { continue }
      (total, count) = (total + sum, count + 1)
    }
    let threshold = (total - 1) / count
    return lane.map { max($0 - threshold, 0) }
  }

  package var decomposition: Decomposition { .primitive }
}
