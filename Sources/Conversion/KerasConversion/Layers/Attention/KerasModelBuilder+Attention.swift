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
    return try function(.matrixProduct, [query, try matrixTranspose(key)], type: type)
  }

  /// Adds the values weighted by the softmax of the masked scores, and these weights.
  ///
  /// - Parameters:
  ///   - scores: `[..., queries, keys]`.
  ///   - value: `[..., keys, features]`.
  mutating func attend(
    _ scores: KerasValue, _ value: KerasValue, _ masking: AttentionMasking, mask: KerasValue?,
    returnsAttentionWeights: Bool
  ) throws(WeighbridgeError) -> [KerasValue] {
    var attentionWeights: KerasValue
    let last = scores.type.rank - 1
    if let attended = try combinedMask(scores, masking, mask: mask) {
      let selected =
        masking.fullyMaskedRows == .unmasked ? try attendingToAllIfNone(attended) : attended
      let type = scores.type.elementType
      let low = number(type == .float16 ? -6e4 : -1e9, type)
      let maskedScores = try function(.select, [selected, scores, low], type: scores.type)
      attentionWeights = try layer(
        "Softmax", ["axis": .integer(last)], [maskedScores], type: scores.type)
      if masking.fullyMaskedRows == .zero {
        let factor =
          if let booleans = attended.constant {
            // No layer can be called with only constants.
            constant(Tensor(scores.type.elementType, shape: booleans.shape, booleans.doubles))
          } else {
            try function(.cast, [attended], to: scores.type.elementType)
          }
        attentionWeights = try function(.multiply, [attentionWeights, factor], type: scores.type)
      }
    } else {
      attentionWeights = try layer("Softmax", ["axis": .integer(last)], [scores], type: scores.type)
    }
    var type = scores.type
    type.shape[last] = value.type.shape[last]
    let output = try function(.matrixProduct, [attentionWeights, value], type: type)
    return returnsAttentionWeights ? [output, attentionWeights] : [output]
  }

  /// The mask of the values that are attended to, `nil` when all are: the given mask and that which
  /// follows from positions.
  private mutating func combinedMask(
    _ scores: KerasValue, _ masking: AttentionMasking, mask: KerasValue?
  ) throws(WeighbridgeError) -> KerasValue? {
    guard masking.isCausal || masking.window != nil else { return mask }
    let rank = scores.type.rank
    guard let queries = scores.type.shape[rank - 2].value,
      let keys = scores.type.shape[rank - 1].value
    else { throw .unsupported("the mask depends on positions, and their number is not known") }
    let booleans = (0..<queries).flatMap { query in
      (0..<keys).map { key -> Double in
        let isMasked =
          masking.isCausal && key > query || masking.window.map { abs(key - query) >= $0 } ?? false
        return isMasked ? 0 : 1
      }
    }
    let shape = [Int](repeating: 1, count: rank - 2) + [queries, keys]
    let positionMask = constant(Tensor(.bool, shape: shape, booleans))
    guard let mask else { return positionMask }
    var type = mask.type
    type.shape = zip(type.shape, positionMask.type.shape).map { $0 == 1 ? $1 : $0 }
    return try function(.logicalAnd, [mask, positionMask], type: type)
  }

  /// The same mask, but true for all values where a query would attend to none.
  private mutating func attendingToAllIfNone(
    _ mask: KerasValue
  ) throws(WeighbridgeError) -> KerasValue {
    if mask.constant != nil { return mask }  // by position, each query attends at least to itself
    let last = mask.type.rank - 1
    let any = try reduce(.any, mask, [last])
    let none = try function(.logicalNot, [any])
    return try function(.logicalOr, [mask, none], type: mask.type)
  }
}
