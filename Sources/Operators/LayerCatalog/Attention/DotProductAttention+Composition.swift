import Bytes
import GraphIR

// Matrix products over `[batch..., heads, positions, features]`.
extension DotProductAttention {
  /// Adds the nodes of the attention, and returns its outputs.
  func composed(_ make: inout Composition) throws(WeighbridgeError) -> [ValueID] {
    let rank = make.type(make.inputs[0]).rank
    let order = batchAxes(rank) + [rank - 2] + axes + [rank - 1]
    let head = order.count - axes.count - 2
    let count = try make.size(make.inputs[0], axis: rank - 2)
    var (matrices, places): ([ValueID], [[Int?]]) = ([], [])
    for input in make.inputs.prefix(3) {
      var x = try make.transposed(input, order)
      let own = try make.size(x, axis: head)
      if own != count { x = try make(Repeat(axis: head, count: count / max(1, own)), x) }
      places.append(axes.map { make.type(input).shape[$0].value })
      matrices.append(try reshaped(x, head, [places.last ?? []], merges: true, features: 1, &make))
    }
    let products = try make.matrixProduct(matrices[0], matrices[1], transposeB: true)
    let pairs = [places[0], places[1]]
    let mask = try maskValues(head, pairs, &make)
    let shares = try masking.shares(
      try make.linear(products, scale: scale), mask: mask, &make)
    let means = try make.matrixProduct(shares, matrices[2])
    let result = try make.transposed(
      try reshaped(means, head, [places[0]], merges: false, features: 1, &make),
      order.indices.sorted { order[$0] < order[$1] })
    guard returnsAttentionWeights else { return [result] }
    return [result, try reshaped(shares, head, pairs, merges: false, features: 0, &make)]
  }

  /// The mask with one axis for the queries and one for the keys.
  private func maskValues(
    _ head: Int, _ places: [[Int?]], _ make: inout Composition
  ) throws(WeighbridgeError) -> ValueID? {
    guard masking.hasMask else { return nil }
    if axes.count == 1 { return make.inputs[3] }
    let known = places.flatMap { $0 }.compactMap { $0 }
    guard known.count == 2 * axes.count else { throw openPlaces }
    let target = [Int](repeating: -1, count: head + 1) + known
    return try reshaped(
      try make(BroadcastTo(target: target), make.inputs[3]), head, places, merges: true,
      features: 0, &make)
  }

  /// Merges each list of position axes after the heads into one axis, or splits it again.
  private func reshaped(
    _ x: ValueID, _ head: Int, _ places: [[Int?]], merges: Bool, features: Int,
    _ make: inout Composition
  ) throws(WeighbridgeError) -> ValueID {
    if axes.count == 1 { return x }
    let sizes = places.flatMap { list -> [Int?] in
      guard merges else { return list }
      return [list.contains(nil) ? nil : list.reduce(1) { $0 * ($1 ?? 1) }]
    }
    if sizes.count(where: { $0 == nil }) > 1 {
      guard places.count == 2, !merges, places.allSatisfy({ $0.count { $0 == nil } < 2 }) else {
        throw openPlaces
      }
      // One after another, so that each can have a dynamic size.
      let rows = try reshaped(x, head, [places[0]], merges: false, features: 1, &make)
      return try reshaped(
        rows, head + axes.count, [places[1]], merges: false, features: features, &make)
    }
    let open = (0...head).map { ReshapeAxes.Size.axis($0) }
    let last = features == 1 ? [ReshapeAxes.Size.axis(make.type(x).rank - 1)] : []
    let new = sizes.map { $0.map { ReshapeAxes.Size.fixed($0) } ?? .rest }
    return try make(ReshapeAxes(open + new + last), x)
  }

  private var openPlaces: WeighbridgeError {
    WeighbridgeError(.unsupported, "the sizes of the axes \(axes) must be known")
  }
}
