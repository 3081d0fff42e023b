package import Bytes
package import GraphIR

/// Attention with scores computed from the product of query and key (Luong et al. 2015).
///
/// - query: `[batch, queries, features]`
/// - value: `[batch, values, out]`
/// - key: `[batch, values, features]`
/// - mask: `[batch, queries, values]`, bool, true for values that are attended to; each size may be
///   1
/// - scale: a scalar s; 1 if there is none
/// - sum weight: a scalar w, only for the score `concat`
/// - output: `[batch, queries, out]`, the values weighted by the softmax of the scores, over those
///   that the query attends to. A score is s q·k (`dot`), or w times the sum over the features of
///   tanh(s (q + k)) (`concat`).
/// - attention weights: `[batch, queries, values]`
package struct Attention: AttentionOperator {
  /// The function that computes the score of a query and a key.
  package enum Score: String, Hashable, Sendable, CaseIterable {
    case dot, concat
  }

  /// The function that computes the score of a query and a key.
  package let score: Score
  /// Whether there is a scale.
  package let hasScale: Bool
  /// Which values a query attends to.
  package let masking: AttentionMasking
  /// Whether the attention weights are also an output.
  package let returnsAttentionWeights: Bool

  package static let kind = "attention"
  package static let version = 2

  package static let declaration = OperatorDeclaration<Self>(
    """
    score[q, k] = s * sum over f of query[n, q, f] * key[n, k, f], for dot
    score[q, k] = sum_weight * sum over f of tanh(s * (query[n, q, f] + key[n, k, f])), for concat
    with s = scale, or 1
    w[q, :] = the weights of query q for score[q, :]
    output[n, q, :] = sum over k of w[q, k] * value[n, k, :]
    attention_weights[n, q, k] = w[q, k]
    """,
    inputs: [
      .data("query", .float), .data("value", .same(as: "query")),
      .data("key", .same(as: "query")), .mask(.when("mask")), .weight("scale", .when("scale")),
      .weight("sum_weight", .when("score", [.string("concat")])),
    ],
    outputs: [.like("query"), AttentionMasking.weights],
    attributes: AttributeSchema(
      Self.init(score:hasScale:masking:returnsAttentionWeights:),
      .choice("score", \.score, "How the score of a query and a key is computed; see the formula.")
      {
        switch $0 {
        case .dot: "the scaled product"
        case .concat: "the weighted sum of tanh"
        }
      },
      .boolean("scale", \.hasScale, "Whether there is a scale."),
      .part(\.masking, AttentionMasking.schema),
      .returnsAttentionWeights(\.returnsAttentionWeights)),
    concepts: [.attention])

  /// Creates the operator.
  package init(
    score: Score, hasScale: Bool, masking: AttentionMasking, returnsAttentionWeights: Bool
  ) {
    self.score = score
    self.hasScale = hasScale
    self.masking = masking
    self.returnsAttentionWeights = returnsAttentionWeights
  }
}

extension Attention {
  package func checkWeights(
    _ weights: [TensorType], features: Dimension
  ) throws(ShapeError) {
    guard weights.allSatisfy({ $0.rank == 0 }) else {
      throw ShapeError("the weights \(weights) are not single numbers")
    }
  }

  package func scores(
    _ make: inout Composition
  ) throws(WeighbridgeError) -> ValueID {
    let weights = weights(make)
    if score == .dot {
      let products = try make.matrixProduct(
        make.inputs[0], make.inputs[2], transposeB: true)
      return hasScale
        ? try make.product(products, try make.aligned(weights[0], to: [], of: products)) : products
    }
    var sums = try pairSums(&make)
    if hasScale { sums = try make.product(sums, try make.aligned(weights[0], to: [], of: sums)) }
    let total = try make(
      Reduce(.sum, axes: [3], keepDims: false), try make(Tanh(), sums))
    return try make.product(total, try make.aligned(weights[weights.count - 1], to: [], of: total))
  }

  package func score(
    _ query: ArraySlice<Double>, _ key: ArraySlice<Double>, _ weights: [[Double]]
  ) -> Double {
    let scale = hasScale ? weights[0][0] : 1
    switch score {
    case .dot: return zip(query, key).reduce(0) { $0 + $1.0 * $1.1 } * scale
    case .concat:
      let sum = zip(query, key).reduce(0) { $0 + (scale * ($1.0 + $1.1)).hyperbolicTangent }
      return weights[weights.count - 1][0] * sum
    }
  }
}
