import Bytes
import ConversionCore
import GraphIR
import JSON
import KerasFormat
import LayerCatalog

/// Attention, composed of matrix products and a softmax.
extension KerasModelBuilder {
  /// Multiplies queries by keys: the scores `[..., queries, keys]`.
  mutating func products(
    _ query: KerasValue, _ key: KerasValue
  ) throws(WeighbridgeError) -> KerasValue {
    var type = query.type
    type.shape[type.rank - 1] = key.type.shape[key.type.rank - 2]
    return try function(.matrixProduct, [query, try turned(key)], type: type)
  }

  /// Adds the values weighted by the softmax of the unmasked scores, and the weights.
  ///
  /// - Parameters:
  ///   - scores: `[..., queries, keys]`.
  ///   - value: `[..., keys, features]`.
  mutating func attend(
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
            // No layer can be called with only constants.
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

  /// The mask of the values that are attended to; `nil` when all are.
  private mutating func seen(
    _ scores: KerasValue, _ masking: AttentionMasking, mask: KerasValue?
  ) throws(WeighbridgeError) -> KerasValue? {
    guard masking.isCausal || masking.window != nil else { return mask }
    let rank = scores.type.rank
    guard let queries = scores.type.shape[rank - 2].value,
      let keys = scores.type.shape[rank - 1].value
    else { throw .unsupported("what is seen depends on places, and their number is not known") }
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

  /// The same mask, but true throughout for queries that attend to nothing.
  private mutating func orNone(_ seen: KerasValue) throws(WeighbridgeError) -> KerasValue {
    if seen.constant != nil { return seen }  // by position, each query attends at least to itself
    let last = seen.type.rank - 1
    let any = try reduce(.any, seen, [last])
    let none = try function(.logicalNot, [any])
    return try function(.logicalOr, [seen, none], type: seen.type)
  }
}
