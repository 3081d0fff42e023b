package import Bytes
package import GraphIR

/// Attention with scores computed from the sum of query and key (Bahdanau et al. 2015).
///
/// - query: `[batch, queries, features]`
/// - value: `[batch, values, out]`
/// - key: `[batch, values, features]`
/// - mask: `[batch, queries, values]`, bool, true for values that are attended to; each size may be
///   1
/// - scale: `[features]` s; 1 for each if there is none
/// - output: `[batch, queries, out]`, the values weighted by the softmax of the scores, over those
///   that the query attends to. A score is the sum over the features of s tanh(q + k).
/// - attention weights: `[batch, queries, values]`
package struct AdditiveAttention: AttentionOperator {
  /// Whether there is a scale.
  package let hasScale: Bool
  /// Which values a query attends to.
  package let masking: AttentionMasking
  /// Whether the attention weights are also an output.
  package let returnsAttentionWeights: Bool

  package static let kind = "additive_attention"
  package static let version = 2

  package static let declaration = OperatorDeclaration<Self>(
    """
    score[q, k] = sum over f of s[f] * tanh(query[n, q, f] + key[n, k, f]), with s = scale, or 1
    w[q, :] = the weights of query q for score[q, :]
    output[n, q, :] = sum over k of w[q, k] * value[n, k, :]
    attention_weights[n, q, k] = w[q, k]
    """,
    inputs: [
      .data("query", .float), .data("value", .same(as: "query")),
      .data("key", .same(as: "query")), .mask(.when("mask")), .weight("scale", .when("scale")),
    ],
    outputs: [.like("query"), AttentionMasking.weights],
    attributes: AttributeSchema(
      Self.init(hasScale:masking:returnsAttentionWeights:),
      .boolean("scale", \.hasScale, "Whether there is a scale."),
      .part(\.masking, AttentionMasking.schema),
      .returnsAttentionWeights(\.returnsAttentionWeights)),
    concepts: [.attention])

  /// Creates the operator.
  package init(hasScale: Bool, masking: AttentionMasking, returnsAttentionWeights: Bool) {
    self.hasScale = hasScale
    self.masking = masking
    self.returnsAttentionWeights = returnsAttentionWeights
  }
}

extension AdditiveAttention {
  package func checkWeights(
    _ weights: [TensorType], features: Dimension
  ) throws(ShapeError) {
    for weight in weights {
      guard weight.rank == 1, weight.shape[0].agrees(with: features) else {
        throw ShapeError("the scale \(weight) does not fit \(features) features")
      }
    }
  }

  package func scores(
    _ make: inout Composition
  ) throws(WeighbridgeError) -> ValueID {
    var activated = try make(Tanh(), try pairSums(&make))
    if hasScale {
      activated = try make.product(
        activated, try make.aligned(weights(make)[0], to: [3], of: activated))
    }
    return try make(Reduce(.sum, axes: [3], keepDims: false), activated)
  }

  package func score(
    _ query: ArraySlice<Double>, _ key: ArraySlice<Double>, _ weights: [[Double]]
  ) -> Double {
    zip(query, key).enumerated().reduce(0) { sum, pair in
      let scale = hasScale ? weights[0][pair.offset] : 1
      return sum + scale * (pair.element.0 + pair.element.1).hyperbolicTangent
    }
  }
}
