package import Bytes
package import GraphIR

/// Multi-head attention with scores computed from the product of query and key (Vaswani et al.
/// 2017). The result for each query is the mean of the values, weighted by the softmax of `scale`
/// q·k over those that it attends to.
///
/// - query: the last two axes are the heads and the features; of the axes before them, those in
///   `axes` are the positions, and the others are batch axes
/// - key: the same axes, with its own sizes along `axes`; it may have fewer heads (grouped-query
///   attention)
/// - value: like the key, with its own number of features
/// - mask: `[batch..., heads, queries..., keys...]`, bool, true for values that are attended to;
///   each size may be 1
/// - output: the query's shape with the number of features of the value
/// - attention weights: `[batch..., heads, queries..., keys...]`
package struct DotProductAttention: CatalogOperator {
  /// The axes of the positions, ascending, at least one.
  package let axes: [Int]
  /// The factor of the products of queries and keys.
  package let scale: Double
  /// Which values a query attends to.
  package let masking: AttentionMasking
  /// Whether the attention weights are also an output.
  package let returnsAttentionWeights: Bool

  package static let kind = "dot_product_attention"
  package static let version = 1

  package static let declaration = OperatorDeclaration<Self>(
    """
    score[q, k] = scale * sum over f of query[b, q, h, f] * key[b, k, g, f],
      b the batch axes, q and k indices along axes, h a head of query, g the head of key for h
    w[q, :] = the weights of query q for score[q, :]
    output[b, q, h, :] = sum over k of w[q, k] * value[b, k, g, :]
    attention_weights[b, h, q, k] = w[q, k]
    """,
    inputs: [
      .data("query", .float), .data("key", .same(as: "query")),
      .data("value", .same(as: "query")), .mask(.when("mask")),
    ],
    outputs: [.like("query"), AttentionMasking.weights],
    attributes: AttributeSchema(
      Self.init(axes:scale:masking:returnsAttentionWeights:),
      .axes(
        \.axes, "The axes of the positions of queries and keys; all precede the heads."),
      .real("scale", \.scale, "The factor of the products.", .finite),
      .part(\.masking, AttentionMasking.schema),
      .returnsAttentionWeights(\.returnsAttentionWeights)
    ).checked {
      $0.axes.count > 1 && $0.masking.dependsOnPositions
        ? "causal and window need the positions along one axis, not along \($0.axes)" : nil
    },
    concepts: [.attention, .groupedHeads])

  /// Creates the operator.
  package init(axes: [Int], scale: Double, masking: AttentionMasking, returnsAttentionWeights: Bool)
  {
    self.axes = axes
    self.scale = scale
    self.masking = masking
    self.returnsAttentionWeights = returnsAttentionWeights
  }
}

extension DotProductAttention {
  package func outputTypes(of inputs: [TensorType]) throws(ShapeError) -> [TensorType] {
    let (query, key, value) = (inputs[0], inputs[1], inputs[2])
    let rank = query.rank
    guard query.elementType.isFloat, rank >= 3, axes.allSatisfy({ $0 < rank - 2 }),
      inputs[..<3].allSatisfy({ $0.rank == rank && $0.elementType == query.elementType })
    else {
      throw ShapeError(
        "takes tensors of one floating-point type with the axes \(axes) before heads and "
          + "features, not \(inputs[..<3])")
    }
    guard (0..<rank - 1).allSatisfy({ key.shape[$0].agrees(with: value.shape[$0]) }),
      batchAxes(rank).allSatisfy({
        query.shape[$0].agrees(with: key.shape[$0])
          && query.shape[$0].agrees(with: value.shape[$0])
      }), query.shape[rank - 1].agrees(with: key.shape[rank - 1]),
      Self.heads(query.shape[rank - 2], fit: key.shape[rank - 2]),
      Self.heads(query.shape[rank - 2], fit: value.shape[rank - 2])
    else { throw ShapeError("query \(query), key \(key) and value \(value) do not fit") }
    let attentionWeights = attentionWeights(of: inputs)
    if masking.hasMask { try masking.checkMask(inputs[3], attentionWeights) }
    var output = query
    for axis in batchAxes(rank) {
      output.shape[axis] = query.shape[axis].merged(with: key.shape[axis])
        .merged(with: value.shape[axis])
    }
    output.shape[rank - 1] = value.shape[rank - 1]
    return returnsAttentionWeights ? [output, attentionWeights] : [output]
  }

  /// Whether the number of query heads is a multiple of the number of key heads.
  private static func heads(_ query: Dimension, fit key: Dimension) -> Bool {
    guard let query = query.value, let key = key.value else { return true }
    return key > 0 ? query % key == 0 : query == 0
  }

  func batchAxes(_ rank: Int) -> [Int] {
    (0..<rank - 2).filter { !axes.contains($0) }
  }

  /// The type of the attention weights.
  private func attentionWeights(of inputs: [TensorType]) -> TensorType {
    let (query, key, value) = (inputs[0], inputs[1], inputs[2])
    let batch = batchAxes(query.rank).map {
      query.shape[$0].merged(with: key.shape[$0]).merged(with: value.shape[$0])
    }
    let keys = axes.map { key.shape[$0].merged(with: value.shape[$0]) }
    return query.with(
      shape: batch + [query.shape[query.rank - 2]] + axes.map { query.shape[$0] } + keys)
  }

  package func evaluate(
    _ inputs: [Tensor], workers: Workers
  ) throws(WeighbridgeError) -> [Tensor] {
    let shape = try outputShape(of: inputs)
    let weightsShape = attentionWeights(of: inputs.map(\.type)).fixedShape ?? []
    _ = try Checked.product(weightsShape + [8], of: "the size of the attention weights")
    let rank = shape.count
    let order = batchAxes(rank) + [rank - 2] + axes + [rank - 1]
    let transposed = inputs[..<3].map { $0.permuted(order) }
    let heads = AttentionHeads(
      query: transposed[0], key: transposed[1], value: transposed[2], axisCount: axes.count,
      scale: scale)
    let mask = masking.hasMask ? inputs[3].broadcast(to: weightsShape).doubles : nil
    let rows = workers.map(heads.rowCount) { row in
      let keys = heads.keyCount
      let attentionWeights = masking.attentionWeights(
        heads.scores(row), position: row % heads.queryCount,
        mask: mask.map { $0[row * keys..<(row + 1) * keys] })
      return (attentionWeights, heads.mean(row, attentionWeights))
    }
    let output = Tensor(
      inputs[0].elementType, shape: order.dropLast().map { shape[$0] } + [shape[rank - 1]],
      rows.flatMap { $0.1 })
    let result = output.permuted(order.inversePermutation)
    guard returnsAttentionWeights else { return [result] }
    return [
      result, Tensor(inputs[0].elementType, shape: weightsShape, rows.flatMap { $0.0 }),
    ]
  }

  package var tolerance: Tolerance { .standard(for: .float32) }

  package var cost: OperatorCost { .decomposition }

  package func permutingAxes(_ order: [Int]) -> DotProductAttention? {
    order == Array(order.indices) && !returnsAttentionWeights && !masking.hasMask ? self : nil
  }

  package var decomposition: Decomposition {
    Composition.outputs { [self] (make) throws(WeighbridgeError) in try composed(&make) }
  }
}
