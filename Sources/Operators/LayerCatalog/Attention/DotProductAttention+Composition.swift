import Bytes
import GraphIR

// Matrix products over `[batch..., heads, positions, features]`.
extension DotProductAttention {
  /// Adds the nodes of the attention, and returns its outputs.
  func composed(_ make: inout Composition) throws(WeighbridgeError) -> [ValueID] {
    let rank = make.type(make.inputs[0]).rank
    let order = batchAxes(rank) + [rank - 2] + axes + [rank - 1]
    let headAxis = order.count - axes.count - 2
    let headCount = try make.size(make.inputs[0], axis: rank - 2)
    // The sizes of the position axes of query, key and value; `nil` where one is dynamic.
    var (matrices, sizes): ([ValueID], [[Int?]]) = ([], [])
    for input in make.inputs.prefix(3) {
      var x = try make.transposed(input, order)
      let ownHeadCount = try make.size(x, axis: headAxis)
      if ownHeadCount != headCount {
        x = try make(Repeat(axis: headAxis, count: headCount / max(1, ownHeadCount)), x)
      }
      let ownSizes = axes.map { make.type(input).shape[$0].value }
      sizes.append(ownSizes)
      matrices.append(try reshaped(x, headAxis, [ownSizes], merges: true, features: 1, &make))
    }
    let products = try make.matrixProduct(matrices[0], matrices[1], transposeB: true)
    let querySizes = sizes[0]
    let weightSizes = [querySizes, sizes[1]]
    let mask = try mergedMask(headAxis, weightSizes, &make)
    let attentionWeights = try masking.attentionWeights(
      try make.linear(products, scale: scale), mask: mask, &make)
    let means = try masking.means(attentionWeights, of: matrices[2], &make)
    let result = try make.transposed(
      try reshaped(means, headAxis, [querySizes], merges: false, features: 1, &make),
      order.inversePermutation)
    guard returnsAttentionWeights else { return [result] }
    return [
      result,
      try reshaped(
        attentionWeights, headAxis, weightSizes, merges: false, features: 0, &make),
    ]
  }

  /// The mask with one axis for the queries and one for the keys.
  private func mergedMask(
    _ headAxis: Int, _ sizes: [[Int?]], _ make: inout Composition
  ) throws(WeighbridgeError) -> ValueID? {
    guard masking.hasMask else { return nil }
    if axes.count == 1 { return make.inputs[3] }
    let known = sizes.flatMap { $0 }.compactMap { $0 }
    guard known.count == 2 * axes.count else { throw dynamicSizes }
    let target = [Int](repeating: -1, count: headAxis + 1) + known
    return try reshaped(
      try make(BroadcastTo(target: target), make.inputs[3]), headAxis, sizes, merges: true,
      features: 0, &make)
  }

  /// Merges each list of position axes after the heads into one axis, or splits these axes again.
  ///
  /// - Parameters:
  ///   - sizes: The sizes of the position axes in each list; `nil` where one is dynamic.
  ///   - merges: Whether the axes are merged; they are split otherwise.
  ///   - features: 1 if there is an axis of features after the positions, otherwise 0.
  private func reshaped(
    _ x: ValueID, _ headAxis: Int, _ sizes: [[Int?]], merges: Bool, features: Int,
    _ make: inout Composition
  ) throws(WeighbridgeError) -> ValueID {
    if axes.count == 1 { return x }
    let newSizes = sizes.flatMap { list -> [Int?] in
      guard merges else { return list }
      return [list.contains(nil) ? nil : list.reduce(1) { $0 * ($1 ?? 1) }]
    }
    if newSizes.count(where: { $0 == nil }) > 1 {
      guard sizes.count == 2, !merges, sizes.allSatisfy({ $0.count { $0 == nil } < 2 }) else {
        throw dynamicSizes
      }
      // One list at a time, since a reshape can leave only one size open.
      let rows = try reshaped(x, headAxis, [sizes[0]], merges: false, features: 1, &make)
      return try reshaped(
        rows, headAxis + axes.count, [sizes[1]], merges: false, features: features, &make)
    }
    let leading = (0...headAxis).map { ReshapeAxes.Size.axis($0) }
    let trailing = features == 1 ? [ReshapeAxes.Size.axis(make.type(x).rank - 1)] : []
    let positions = newSizes.map { $0.map { ReshapeAxes.Size.fixed($0) } ?? .rest }
    return try make(ReshapeAxes(leading + positions + trailing), x)
  }

  private var dynamicSizes: WeighbridgeError {
    WeighbridgeError(.unsupported, "the sizes of the axes \(axes) must be known")
  }
}
