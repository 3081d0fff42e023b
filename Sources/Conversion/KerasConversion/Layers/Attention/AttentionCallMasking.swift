import Bytes
import GraphIR
import JSON
import KerasFormat
import LayerCatalog

/// The tensors with which a multi-head attention layer is called.
struct AttentionTensors {
  let query: ValueID
  let value: ValueID
  let key: ValueID
  /// The masks of these tensors, or those given in the call.
  let queryMask: ValueID?
  let valueMask: ValueID?
  let keyMask: ValueID?
}

/// Determines which values a query attends to, from the arguments of the call and the masks of its
/// tensors.
struct AttentionCallMasking {
  /// The masking of the operator.
  let masking: AttentionMasking
  /// The mask, if there is one.
  let mask: [ValueID]
  /// Whether the attention weights are an output, too.
  let returnsAttentionWeights: Bool

  /// - Parameter axes: The axes of the attention.
  init(
    _ layer: inout KerasLayer, _ tensors: AttentionTensors, axes: [Int]
  ) throws(WeighbridgeError) {
    let type = layer.graph.type(of: tensors.query)
    let isBeforeKeras3 = layer.version.major < 3
    returnsAttentionWeights = try layer.argumentFlag(
      "return_attention_scores", position: isBeforeKeras3 ? 4 : 7)
    let isCausal = try layer.argumentFlag("use_causal_mask", position: isBeforeKeras3 ? 6 : 9)
    let window = try layer.integer("sliding_window", default: 0)
    let dropout = try layer.real("dropout", default: 0)
    let isPlain = type.rank == 3 && dropout <= 0 && !returnsAttentionWeights
    let given = layer.takeTensors("attention_mask", position: isBeforeKeras3 ? 3 : 6)
    let masks = try layer.autoMasks(tensors)
    mask = try layer.addAttentionMask(given: given, masks, rank: type.rank, axes: axes.count)
    masking = AttentionMasking(
      isCausal: isCausal, window: window > 0 ? window : nil, hasMask: !mask.isEmpty,
      fullyMaskedRows: Self.fullyMaskedRows(layer.version, type.elementType, isPlain: isPlain),
      dropout: (0...1).contains(dropout) ? dropout : nil)
    let attention = DotProductAttention(
      axes: axes, scale: 1, masking: masking, returnsAttentionWeights: returnsAttentionWeights)
    if let problem = attention.problem { throw .unsupported(problem) }
    // Keras uses the length of the first axis after the batch, whatever the attention axes are.
    guard axes == [1] || !masking.dependsOnPositions else {
      throw .unsupported("masks positions along the axes \(axes); only axis 1 is supported")
    }
  }

  /// The result for a query that attends to nothing.
  ///
  /// Up to 3.9 Keras subtracts 10⁹ from masked scores, which erases them in float32. From 3.10 it
  /// also sets the attention weights to 0. From 3.7 a plain call takes another path, in which all
  /// scores become equal.
  private static func fullyMaskedRows(
    _ version: KerasVersion, _ type: ElementType, isPlain: Bool
  ) -> AttentionMasking.FullyMaskedRows {
    if isPlain, version >= KerasVersion(3, 7) { return .mean }
    if version >= KerasVersion(3, 10) { return .zero }
    return type == .float64 ? .unmasked : .mean
  }
}

extension KerasLayer {
  /// Takes the tensors with which a multi-head attention layer is called.
  mutating func attentionTensors(
    _ inputs: [ValueID]
  ) throws(WeighbridgeError) -> AttentionTensors {
    guard let query = inputs.first, inputs.count <= 3 else {
      throw .malformed("takes query, value and maybe key, and has \(inputs.count)")
    }
    // A step of a mapping passes all of them as its inputs.
    let second = inputs.count > 1 ? inputs[1] : try castTensor("value", position: 1)
    guard let value = second else { throw .malformed("is called without a value") }
    let key = inputs.count > 2 ? inputs[2] : try castTensor("key", position: 2)
    // Keras 2 uses masks since 2.10; from 3.8 the query's own mask takes precedence.
    let usesMasks = version >= KerasVersion(2, 10)
    let isKeras3 = version.major >= 3
    let given = takeTensors("query_mask", position: isKeras3 ? 3 : nil).first
    let own = usesMasks ? mask(of: query) : nil
    return AttentionTensors(
      query: query, value: value, key: key ?? value,
      queryMask: version >= KerasVersion(3, 8) && source.className == "MultiHeadAttention"
        ? own : given ?? own,
      valueMask: takeTensors("value_mask", position: isKeras3 ? 4 : nil).first
        ?? (usesMasks ? mask(of: value) : nil),
      keyMask: takeTensors("key_mask", position: isKeras3 ? 5 : nil).first
        ?? (usesMasks ? key.flatMap { mask(of: $0) } : nil))
  }

  /// Takes a further tensor, cast to the type in which the layer computes.
  private mutating func castTensor(
    _ name: String, position: Int
  ) throws(WeighbridgeError) -> ValueID? {
    guard let value = takeTensors(name, position: position).first else { return nil }
    guard let type = types?.compute, graph.type(of: value).elementType.isFloat else { return value }
    return try cast(value, to: type, role: "\(name)_cast")
  }

  /// The masks of query, value and key, `[batch, queries, 1]` and `[batch, 1, keys]`.
  mutating func autoMasks(_ tensors: AttentionTensors) throws(WeighbridgeError) -> [ValueID] {
    var masks: [ValueID] = []
    let all = [
      ("query_mask", tensors.queryMask, 2), ("value_mask", tensors.valueMask, 1),
      ("key_mask", tensors.keyMask, 1),
    ]
    for (role, mask, axis) in all {
      guard let mask else { continue }
      guard graph.type(of: mask).rank == 2, graph.type(of: tensors.query).rank == 3 else {
        throw .unsupported(
          "has a mask \(graph.type(of: mask)), and only [batch, time] is supported")
      }
      masks += try add(
        ExpandDims(axes: [axis]), [try boolean(mask, role: role)], role: role)
    }
    return masks
  }

  /// Adds the mask of the scores, the conjunction of all masks.
  ///
  /// - Parameters:
  ///   - rank: The query's rank.
  ///   - axes: The number of axes of the attention.
  mutating func addAttentionMask(
    given: [ValueID], _ masks: [ValueID], rank: Int, axes: Int
  ) throws(WeighbridgeError) -> [ValueID] {
    var all = masks
    var result = masks.first
    if let mask = given.first {
      guard given.count == 1, masks.isEmpty || graph.type(of: mask).rank <= 3 else {
        throw .unsupported(
          "attention_mask is \(graph.type(of: mask)), and beside other masks it must have 3 axes")
      }
      let booleans = try boolean(mask, role: "attention_mask")
      let missing = masks.isEmpty ? 0 : 3 - graph.type(of: booleans).rank
      result =
        missing > 0
        ? try add(ExpandDims(axes: Array(0..<missing)), [booleans], role: "attention_mask")[0]
        : booleans
      all.insert(result ?? booleans, at: 0)
    }
    guard var mask = result else { return [] }
    if all.count > 1 { mask = try add(LogicalAnd(), all, role: "mask")[0] }
    // Keras inserts the missing axes before those of queries and keys.
    let count = graph.type(of: mask).rank
    let missing = rank + axes - count
    guard missing >= 0, count >= 2 * axes else {
      throw .malformed("has a mask of \(count.counted("axis")), and the scores have \(rank + axes)")
    }
    if missing == 0 { return [mask] }
    let first = count - 2 * axes
    return try add(ExpandDims(axes: Array(first..<first + missing)), [mask], role: "mask")
  }

  /// Passes the query's mask on. From Keras 3.8, `MultiHeadAttention` removes the masks of its
  /// inputs.
  mutating func passMask(_ tensors: AttentionTensors, to output: ValueID) {
    if version >= KerasVersion(3, 8), source.className == "MultiHeadAttention" {
      for tensor in [tensors.query, tensors.value, tensors.key] { setMask(nil, of: tensor) }
    }
    setMask(tensors.queryMask, of: output)
  }
}
