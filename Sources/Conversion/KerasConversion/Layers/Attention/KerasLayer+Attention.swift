import Bytes
import ConversionCore
import GraphIR
import JSON
import KerasFormat
import LayerCatalog

/// Keras: `Attention(use_scale=False, score_mode="dot")`.
extension Attention: KerasMapped {
  static let keras = KerasMapping([
    KerasLayerClass("Attention", masks: .handledByBuilder, casts: .floats, shape: .unknown) {
      (layer, inputs) throws(WeighbridgeError) in
      let score = try layer.choice("score_mode", default: Score.dot)
      let hasScale = try layer.hasScale(default: false)
      return try layer.addAttention(inputs) {
        (layer, masking, returnsAttentionWeights, _) throws(WeighbridgeError) in
        let operation = Attention(
          score: score, hasScale: hasScale, masking: masking,
          returnsAttentionWeights: returnsAttentionWeights)
        var weights: [ValueID] = []
        for case .weight(let name) in operation.inputs {
          weights.append(try layer.weight(name, shape: []))
        }
        return (operation, weights)
      }
    }
  ])
  static let kerasRow: KerasRow? = nil
}

/// Keras: `AdditiveAttention(use_scale=True)`.
extension AdditiveAttention: KerasMapped {
  static let keras = KerasMapping([
    KerasLayerClass(
      "AdditiveAttention", masks: .handledByBuilder, casts: .floats, shape: .unknown
    ) {
      (layer, inputs) throws(WeighbridgeError) in
      let hasScale = try layer.hasScale(default: true)
      return try layer.addAttention(inputs) {
        (layer, masking, returnsAttentionWeights, query) throws(WeighbridgeError) in
        let operation = AdditiveAttention(
          hasScale: hasScale, masking: masking, returnsAttentionWeights: returnsAttentionWeights)
        guard hasScale else { return (operation, []) }
        guard query.rank == 3 else {
          throw .unsupported("takes queries of three axes and has \(query)")
        }
        let scale = try layer.weight("scale", shape: try layer.dimensions([2], of: query))
        return (operation, [scale])
      }
    }
  ])
  static let kerasRow: KerasRow? = nil
}

extension KerasLayer {
  /// Reads `use_scale`, which TensorFlow 1.14 does not write: its weights tell.
  fileprivate mutating func hasScale(default unset: Bool) throws(WeighbridgeError) -> Bool {
    let isUnstored = writer.version.isFirstInsideTensorFlow && placeholderLimit == nil
    return try flag("use_scale", default: isUnstored ? !unreadWeights.isEmpty : unset)
  }

  /// Adds an attention layer with one head for query, value and an optional key, which is the value
  /// by default. The masks of query and value are those given in the call, or else those of the
  /// tensors.
  ///
  /// - Parameter make: Makes the operator and its weights, given the masking, whether the attention
  ///   weights are an output, and the query's type.
  fileprivate mutating func addAttention<Operation: AttentionOperator>(
    _ inputs: [ValueID],
    _ make: (inout KerasLayer, AttentionMasking, Bool, TensorType) throws(WeighbridgeError) -> (
      Operation, [ValueID]
    )
  ) throws(WeighbridgeError) -> [ValueID] {
    guard (2...3).contains(inputs.count) else {
      throw .malformed("takes query, value and maybe key, and has \(inputs.count)")
    }
    ignore("seed")
    let dropout = trainingNumber("dropout", in: 0...1)
    let masks = try attentionMasks(inputs)
    let levels: [ValueID]
    var (inputs, valueMask) = (inputs, masks.value)
    (inputs, valueMask, levels) = try foldedSequences(inputs, valueMask)
    let query = graph.type(of: inputs[0])
    // Up to Keras 2.8 it was a setting of the layer.
    let isCausalItself = try flag("causal", default: false)
    let isCausal = try argumentFlag("use_causal_mask", position: 4) || isCausalItself
    let returnsAttentionWeights = try argumentFlag("return_attention_scores", position: 3)
    // Keras subtracts 10⁹ from masked scores, which erases them in float32.
    let masking = AttentionMasking(
      isCausal: isCausal, hasMask: valueMask != nil,
      fullyMaskedRows: query.elementType == .float64 ? .unmasked : .mean, dropout: dropout)
    let (operation, weights) = try make(&self, masking, returnsAttentionWeights, query)
    let values = inputs.count == 3 ? inputs : inputs + [inputs[1]]
    var mask: [ValueID] = []
    if let valueMask { mask = try add(ExpandDims(axes: [1]), [valueMask], role: "mask") }
    var outputs = try add(
      operation, values + mask + weights,
      role: masks.query == nil && levels.isEmpty ? "" : "attention")
    for index in outputs.indices { outputs[index] = try unfolded(outputs[index], levels) }
    if let query = masks.query {
      outputs[0] = try addZeroing(of: outputs[0], whereNot: query)
      setMask(query, of: outputs[0])
    }
    return outputs
  }

  /// Merges the axes between the batch and the positions into the batch.
  ///
  /// - Returns: The sequences and the mask of the value with the merged axes, and the queries from
  ///   which their sizes can be restored.
  private mutating func foldedSequences(
    _ inputs: [ValueID], _ mask: ValueID?
  ) throws(WeighbridgeError) -> (inputs: [ValueID], mask: ValueID?, levels: [ValueID]) {
    let types = inputs.map { graph.type(of: $0) }
    let count = types[0].rank - 3
    guard count > 0 else { return (inputs, mask, []) }
    for type in types {
      guard type.rank == types[0].rank,
        (1...count).allSatisfy({ type.shape[$0] == types[0].shape[$0] })
      else {
        throw .unsupported("has other axes before the positions in \(type) than in \(types[0])")
      }
    }
    var (result, levels): ([ValueID], [ValueID]) = ([], [])
    for (index, input) in inputs.enumerated() {
      let folded = try folded(input, count)
      result.append(folded.value)
      if index == 0 { levels = folded.levels }
    }
    guard let mask else { return (result, nil, levels) }
    guard graph.type(of: mask).rank == types[0].rank - 1 else {
      throw .unsupported(
        "has a mask \(graph.type(of: mask)), expected one "
          + "with \((types[0].rank - 1).counted("axis"))")
    }
    return (result, try folded(mask, count).value, levels)
  }

  /// The masks of query and value, as booleans.
  private mutating func attentionMasks(
    _ inputs: [ValueID]
  ) throws(WeighbridgeError) -> (query: ValueID?, value: ValueID?) {
    let given = takeTensors("mask")
    var (query, value): (ValueID?, ValueID?) = (given.first, given.dropFirst().first)
    if given.isEmpty {
      (query, value) = (takeTensors("mask[0]").first, takeTensors("mask[1]").first)
      _ = takeTensors("mask[2]")  // The key's, which has no effect.
      if query == nil, value == nil { (query, value) = (mask(of: inputs[0]), mask(of: inputs[1])) }
    } else if !(2...3).contains(given.count) {
      throw .malformed("takes two masks or three and has \(given.count)")
    }
    if let given = query { query = try boolean(given) }
    if let given = value { value = try boolean(given) }
    return (query, value)
  }

  /// Converts a value to booleans, true where it is not 0.
  mutating func boolean(
    _ value: ValueID, role: String = "boolean"
  ) throws(WeighbridgeError) -> ValueID {
    if graph.type(of: value).elementType == .bool { return value }
    return try add(Cast(to: .bool), [value], role: role)[0]
  }

  /// Replaces elements by zeros where a mask `[batch..., queries]` is false.
  private mutating func addZeroing(
    of value: ValueID, whereNot mask: ValueID
  ) throws(WeighbridgeError) -> ValueID {
    let type = graph.type(of: value)
    let number = try add(Cast(to: type.elementType), [mask], role: "query_mask")
    let factor = try add(ExpandDims(axes: [type.rank - 1]), number, role: "query_mask")
    return try add(Multiply(), [value] + factor)[0]
  }

  /// Takes a boolean argument of the call; false when it is absent.
  mutating func argumentFlag(
    _ name: String, position: Int?
  ) throws(WeighbridgeError) -> Bool {
    guard let value = takeArgument(name, position: position) else { return false }
    guard let flag = value.bool else { throw unexpected(name, value, "true or false") }
    return flag
  }
}
