import GraphIR
import LayerCatalog

extension DotProductAttention: EngineOperator {
  func addSteps(to builder: inout PlanBuilder, for group: NodeGroup) -> Bool {
    let shapes = group.inputs[..<3].map { builder.shape(of: $0) }
    let rank = shapes[0].count
    let batch = (0..<rank - 2).filter { !axes.contains($0) }
    let outer = (batch + [rank - 2]).map { shapes[0][$0] }
    let (queries, keys) = (axes.map { shapes[0][$0] }, axes.map { shapes[1][$0] })
    let (heads, keyHeads) = (shapes[0][rank - 2], shapes[1][rank - 2])
    guard builder.areFloats(group.inputs[..<3]), keyHeads > 0,
      let call = AttentionCall(
        count: outer.reduce(1, *), queries: queries.reduce(1, *), keys: keys.reduce(1, *),
        features: shapes[0][rank - 1], width: shapes[2][rank - 1])
    else { return false }
    let order = batch + [rank - 2] + axes + [rank - 1]
    // Neighboring query heads share a key head.
    let sources = zip(group.inputs, [1, heads / keyHeads, heads / keyHeads]).map { id, count in
      builder.rearranged(id) { $0.permuted(order).repeated(at: batch.count + 1, count: count) }
    }
    let scores = call.makeScores(&builder, group)
    call.addScores(to: &builder, sources[0], sources[1], into: scores)
    call.addAttentionWeights(
      to: &builder, scores, masking, scale: scale, mask: masking.hasMask ? group.inputs[3] : nil,
      shape: outer + queries + keys)
    call.addWeightedValues(
      to: &builder, scores, sources[2], for: group,
      shape: outer + queries + [shapes[2][rank - 1]], order: order)
    return true
  }
}

extension Attention: EngineOperator {
  func addSteps(to builder: inout PlanBuilder, for group: NodeGroup) -> Bool {
    let slots = group.inputs[(masking.hasMask ? 4 : 3)...]
    let weights = slots.compactMap { builder.graph[$0].constant?.doubles }
    guard weights.count == slots.count else { return false }
    let scale = hasScale ? weights[0][0] : 1
    switch score {
    case .dot: return builder.addAttention(self, score: .product(scale: scale), for: group)
    case .concat:
      let count = builder.shape(of: group.inputs[0])[2]
      let factor = Float(weights[weights.count - 1][0])
      return builder.addAttention(
        self,
        score: .tangent(scale: Float(scale), factors: .init(repeating: factor, count: count)),
        for: group)
    }
  }
}

extension AdditiveAttention: EngineOperator {
  func addSteps(to builder: inout PlanBuilder, for group: NodeGroup) -> Bool {
    let count = builder.shape(of: group.inputs[0])[2]
    var factors = [Float](repeating: 1, count: count)
    if hasScale {
      guard let scale = builder.graph[group.inputs[masking.hasMask ? 4 : 3]].constant else {
        return false
      }
      factors = scale.doubles.map(Float.init)
    }
    return builder.addAttention(self, score: .tangent(scale: 1, factors: factors), for: group)
  }
}

/// How queries and keys are compared.
private enum AttentionScore {
  /// By their product, times `scale`.
  case product(scale: Double)
  /// By the sum over the features of the hyperbolic tangent of `scale` times their sum, each
  /// times its factor.
  case tangent(scale: Float, factors: [Float])
}

extension PlanBuilder {
  fileprivate mutating func addAttention(
    _ operation: some AttentionOperator, score: AttentionScore, for group: NodeGroup
  ) -> Bool {
    let shapes = group.inputs[..<3].map { shape(of: $0) }
    let (batch, queries, keys) = (shapes[0][0], shapes[0][1], shapes[1][1])
    guard areFloats(group.inputs[..<3]),
      let call = AttentionCall(
        count: batch, queries: queries, keys: keys, features: shapes[0][2], width: shapes[1][2])
    else { return false }
    let (query, value) = (rowMajor(group.inputs[0]).storage, rowMajor(group.inputs[1]).storage)
    let scores = call.makeScores(&self, group)
    var factor = 1.0
    switch score {
    case .product(let scale):
      factor = scale
      let key = rowMajor(group.inputs[2]).storage
      call.addScores(to: &self, query, key, into: scores)
    case .tangent(let scale, let factors):
      // With the keys innermost, the loop over keys is vectorized.
      let key = rearranged(group.inputs[2]) { $0.permuted([0, 2, 1]) }
      addTangents(call, query, key, scale, factors, into: scores)
    }
    call.addAttentionWeights(
      to: &self, scores, operation.masking, scale: factor,
      mask: operation.masking.hasMask ? group.inputs[3] : nil, shape: [batch, queries, keys])
    call.addWeightedValues(
      to: &self, scores, value, for: group, shape: [batch, queries, shapes[1][2]],
      order: [0, 1, 2])
    return true
  }

  /// Adds the scores of queries `[batch, queries, features]` and keys `[batch, features, keys]`
  /// that are compared by hyperbolic tangents.
  private mutating func addTangents(
    _ call: AttentionCall, _ query: Storage, _ key: Storage, _ scale: Float, _ factors: [Float],
    into scores: Storage
  ) {
    let (rows, features, keys) = (call.count * call.queries, call.features, call.keys)
    add(
      .kernel(name: "attention_scores") { memory in
        // All three storages have the sizes used here, and no two rows of the scores overlap.
        nonisolated(unsafe) let queries = unsafe memory[query].assumingMemoryBound(to: Float.self)
        nonisolated(unsafe) let columns = unsafe memory[key].assumingMemoryBound(to: Float.self)
        nonisolated(unsafe) let start = unsafe memory[scores].assumingMemoryBound(to: Float.self)
        Threads.parallel(rows: rows, length: features * keys) { row in
          let target = unsafe start + row * keys
          unsafe target.update(repeating: 0, count: keys)
          for feature in 0..<features {
            let (queryFeature, factor) = unsafe (
              queries[row * features + feature], factors[feature]
            )
            let keyFeatures = unsafe columns + (row / call.queries * features + feature) * keys
            for keyIndex in 0..<keys {
              unsafe target[keyIndex] +=
                factor * (scale * (queryFeature + keyFeatures[keyIndex])).hyperbolicTangent
            }
          }
        }
      }, using: [query, key, scores])
  }
}
