import Bytes
import GraphIR
import JSON
import KerasFormat
import LayerCatalog

/// Attention of heads `[batch, positions, heads, features]`.
extension KerasFunctionTable {
  static let attentions: [Entry] = [
    Entry(["DotProductAttention"]) { (call) throws(WeighbridgeError) in
      try call.require("flash_attention", toBe: false, because: "TensorFlow has none")
      try call.require(
        "attn_logits_soft_cap", toBe: .null, because: "TensorFlow leaves the scores as they are")
      return try call.addHeads()
    }
  ]
}

extension KerasFunction {
  /// What Keras puts in place of a masked score: -0.7 times about the largest float32 number.
  private static let maskedScore = -0.7 * 3.38953e38

  fileprivate mutating func addHeads() throws(WeighbridgeError) -> [ValueID] {
    let terms = [
      try term("query", at: 0), try term("key", at: 1), try term("value", at: 2),
    ]
    let values = try unified(terms, sharesRank: false)
    let common = type(of: values[0]).elementType
    guard common.isFloat else {
      throw .unsupported(
        "takes \(common), in which Keras cuts the weights of the attention to whole numbers;"
          + " floating-point numbers are possible")
    }
    guard values.allSatisfy({ type(of: $0).rank == 4 }) else {
      throw .malformed("takes four axes, not \(values.map { type(of: $0) })")
    }
    let bias = try optionalTerm("bias", at: 3)
    let mask = try optionalTerm("mask", at: 4)
    let isCausal = try flag("is_causal", default: false)
    let size = try size(3, of: values[1])
    // In float32, whatever the type of the heads.
    let scale = Double(Float(try real("scale", at: 5, default: 1 / Double(size).squareRoot())))
    var maskValue: ValueID?
    if let mask {
      maskValue = try expanded(
        try boolean(try value(mask, as: elementType(of: mask, default: .bool))), rank: 4)
    }
    guard let bias else {
      let masking = AttentionMasking(
        isCausal: isCausal, hasMask: maskValue != nil, fullyMaskedRows: .mean)
      let operation = DotProductAttention(
        axes: [1], scale: scale, masking: masking, returnsAttentionWeights: false)
      return try add(operation, values + (maskValue.map { [$0] } ?? []))
    }
    return try addHeads(
      values, scale: scale, bias: bias, mask: try withCausal(maskValue, isCausal, values))
  }

  /// The conjunction of a mask with that of a causal attention, whose lengths must be known.
  private mutating func withCausal(
    _ mask: ValueID?, _ isCausal: Bool, _ values: [ValueID]
  ) throws(WeighbridgeError) -> ValueID? {
    guard isCausal else { return mask }
    let (queries, keys) = (try size(1, of: values[0]), try size(1, of: values[1]))
    guard max(queries, keys) <= 1 << 12 else {
      throw .limitExceeded("masks \(queries) queries and \(keys) keys, and 4,096 can be masked")
    }
    let elements = (0..<queries).flatMap { query in (0..<keys).map { $0 <= query ? 1.0 : 0 } }
    let causal = try add(constant: Tensor(.bool, shape: [1, 1, queries, keys], elements))
    guard let mask else { return causal }
    return try part(LogicalAnd(), mask, causal)
  }

  /// Adds attention with a bias of the scores as products of matrices `[batch, heads, positions,
  /// features]`.
  private mutating func addHeads(
    _ values: [ValueID], scale: Double, bias: Term, mask: ValueID?
  ) throws(WeighbridgeError) -> [ValueID] {
    let elementType = type(of: values[0]).elementType
    let (heads, keyHeads) = (try size(2, of: values[0]), try size(2, of: values[1]))
    guard keyHeads > 0, heads % keyHeads == 0 else {
      throw .malformed("\(heads) heads cannot share \(keyHeads) equally")
    }
    var matrices: [ValueID] = []
    for value in values {
      var matrix = try part(Transpose(axes: [0, 2, 1, 3]), value)
      if try size(1, of: matrix) != heads {
        matrix = try part(Repeat(axis: 1, count: heads / keyHeads), matrix)
      }
      matrices.append(matrix)
    }
    let products = try part(
      MatMul(transposeA: false, transposeB: true), matrices[0], matrices[1])
    let precise: ElementType = elementType == .float64 ? .float64 : .float32
    var scores = try scaled(try value(.value(products), as: precise), by: scale)
    let rounded = try value(bias, as: elementType)
    scores = try sum(scores, try value(.value(rounded), as: precise))
    if let mask {
      scores = try part(Where(), mask, scores, try number(Self.maskedScore, like: scores))
    }
    let weights = try value(.value(try part(Softmax(axes: [3]), scores)), as: elementType)
    let means = try part(MatMul(transposeA: false, transposeB: false), weights, matrices[2])
    return try add(Transpose(axes: [0, 2, 1, 3]), [means])
  }
}
