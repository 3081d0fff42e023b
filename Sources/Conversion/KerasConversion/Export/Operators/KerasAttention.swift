import Bytes
import ConversionCore
import GraphIR
import JSON
import KerasFormat
import LayerCatalog

/// Attention of several heads, made of products of matrices and a softmax, where the number of steps
/// may be open.
enum KerasAttention {
  static let rows: [KerasRow] = [
    KerasRow(outputsOf: DotProductAttention.self) { (operation, builder) throws(WeighbridgeError) in
      try builder.headedAttention(operation)
    }
  ]
}

extension KerasModelBuilder {
  /// Queries by keys: the scores `[..., queries, keys]`.
  fileprivate mutating func products(
    _ query: KerasValue, _ key: KerasValue
  ) throws(WeighbridgeError) -> KerasValue {
    var axes = Array(0..<key.type.rank)
    axes.swapAt(axes.count - 1, axes.count - 2)
    let turned = try transposed(key, axes)
    var type = query.type
    type.shape[type.rank - 1] = key.type.shape[key.type.rank - 2]
    return try function(.matrixProduct, [query, turned], type: type)
  }

  /// Heads `[batch, places, heads, features]`, whose places become rows of matrices.
  fileprivate mutating func headedAttention(
    _ operation: DotProductAttention
  ) throws(WeighbridgeError) -> [KerasValue] {
    guard operation.axes == [1], type().rank == 4, type(0).shape[2] == type(1).shape[2] else {
      throw WeighbridgeError(
        .unsupported, "attention over several axes, or heads that share their keys")
    }
    let query = try transposed(self[0], [0, 2, 1, 3])
    let key = try transposed(self[1], [0, 2, 1, 3])
    let value = try transposed(self[2], [0, 2, 1, 3])
    let scaled = try function(.multiply, [query, number(operation.scale)])
    let scores = try products(scaled, key)
    let results = try attend(
      scores, value, operation.masking, mask: operation.masking.hasMask ? self[3] : nil,
      returnsAttentionWeights: operation.returnsAttentionWeights)
    return [try transposed(results[0], [0, 2, 1, 3])] + results.dropFirst()
  }

  /// The values weighted by the softmax of the scores of those that are seen, and the weights.
  ///
  /// - Parameters:
  ///   - scores: `[..., queries, keys]`.
  ///   - value: `[..., keys, features]`.
  fileprivate mutating func attend(
    _ scores: KerasValue, _ value: KerasValue, _ masking: AttentionMasking, mask: KerasValue?,
    returnsAttentionWeights: Bool
  ) throws(WeighbridgeError) -> [KerasValue] {
    var shares: KerasValue
    let last = scores.type.rank - 1
    if let seen = try seen(scores, masking, mask: mask) {
      let visible = masking.fullyMaskedRows == .unmasked ? try orNone(seen) : seen
      let type = scores.type.elementType
      let low = number(type == .float16 ? -6e4 : -1e9, type)
      let kept = try function(.select, [visible, scores, low], type: scores.type)
      shares = try layer("Softmax", ["axis": .integer(last)], [kept], type: scores.type)
      if masking.fullyMaskedRows == .zero {
        let factor =
          if let truths = seen.constant {
            // No layer can be called with nothing but constants.
            constant(Tensor(scores.type.elementType, shape: truths.shape, truths.doubles))
          } else {
            try function(.cast, [seen], to: scores.type.elementType)
          }
        shares = try function(.multiply, [shares, factor], type: scores.type)
      }
    } else {
      shares = try layer("Softmax", ["axis": .integer(last)], [scores], type: scores.type)
    }
    var type = scores.type
    type.shape[last] = value.type.shape[last]
    let output = try function(.matrixProduct, [shares, value], type: type)
    return returnsAttentionWeights ? [output, shares] : [output]
  }

  /// Which values are seen; `nil` when all are.
  private mutating func seen(
    _ scores: KerasValue, _ masking: AttentionMasking, mask: KerasValue?
  ) throws(WeighbridgeError) -> KerasValue? {
    guard masking.isCausal || masking.window != nil else { return mask }
    let rank = scores.type.rank
    guard let queries = scores.type.shape[rank - 2].value,
      let keys = scores.type.shape[rank - 1].value
    else {
      throw WeighbridgeError(
        .unsupported, "what is seen depends on places, and their number is not known")
    }
    let truths = (0..<queries).flatMap { query in
      (0..<keys).map { key -> Double in
        let isHidden =
          masking.isCausal && key > query || masking.window.map { abs(key - query) >= $0 } ?? false
        return isHidden ? 0 : 1
      }
    }
    let shape = [Int](repeating: 1, count: rank - 2) + [queries, keys]
    let places = constant(Tensor(.bool, shape: shape, truths))
    guard let mask else { return places }
    var type = mask.type
    type.shape = zip(type.shape, places.type.shape).map { $0 == 1 ? $1 : $0 }
    return try function(.logicalAnd, [mask, places], type: type)
  }

  /// The same, but all where none is seen.
  private mutating func orNone(_ seen: KerasValue) throws(WeighbridgeError) -> KerasValue {
    if seen.constant != nil { return seen }  // by place, each query sees at least itself
    let last = seen.type.rank - 1
    let any = try reduce("Any", "math.reduce_any", seen, [last])
    let none = try function(.logicalNot, [any])
    return try function(.logicalOr, [seen, none], type: seen.type)
  }
}
