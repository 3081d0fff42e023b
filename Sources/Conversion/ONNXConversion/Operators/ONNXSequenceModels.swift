import Bytes
import ConversionCore
import GraphIR
import LayerCatalog
import ONNXFormat

/// Parts of language models that ONNX has as operators: gated units, convolutions over the past, and
/// attention as a recurrence.
enum ONNXSequenceModels: ONNXFamily {
  static let nodes: [String: ONNXLayer.Build] = [
    "CausalConvWithState": { (layer) throws(WeighbridgeError) in try layer.causalConvolution() },
    "LinearAttention": { (layer) throws(WeighbridgeError) in
      let query = try layer.input()
      let state = try layer.optional(3) ?? query
      let types = [query, state].map { layer.type($0).elementType }
      let results = try layer.linearAttention()
      return try zip(results, types).map { (result, type) throws(WeighbridgeError) in
        layer.type(result).elementType == type
          ? result : try layer.apply(Cast(to: type), to: result, role: "rounded")
      }
    },
    "SwiGLU": { (layer) throws(WeighbridgeError) in
      let gate = try layer.swish(try layer.input(0), role: "gate")
      return [try layer.apply(Multiply(), to: gate, try layer.input(1))]
    },
  ]
}

extension ONNXLayer {
  /// Adds a depthwise convolution of a sequence, `[batch, channels, time]`, after its past.
  ///
  /// - Returns: The result, of the sequence's shape, and the last elements of the whole sequence.
  fileprivate mutating func causalConvolution() throws(WeighbridgeError) -> [ONNXValue] {
    let (sequence, kernel) = (try input(0), try input(1))
    let shape = type(kernel).shape
    guard type(sequence).rank == 3, shape.count == 3, let channels = shape[0].value,
      let size = shape[2].value, channels >= 1, size >= 1
    else {
      throw malformed(
        "takes \(type(sequence)) and weights \(type(kernel)), and [batch, channels, time] and "
          + "[channels, 1, size] are expected")
    }
    var whole = sequence
    if let past = try optional(3) {
      whole = try apply(Concatenate(axis: 2), to: past, sequence, role: "whole")
    } else if size > 1 {
      let pad = Pad(before: [0, 0, size - 1], after: [0, 0, 0], mode: .constant)
      whole = try apply(pad, to: sequence, role: "whole")
    }
    let bias = try optional(2)
    let window = Window(
      size: [size], strides: [1], dilation: [1], padding: .explicit(before: [0], after: [0]))
    let operation = Convolution(
      window: window, groups: channels, hasBias: bias != nil, layout: .channelsFirst)
    let products = try apply(
      operation, [whole, kernel] + (bias.map { [$0] } ?? []), role: "convolution")[0]
    let activation = try string("activation", default: "none")
    guard ["none", "silu", "swish"].contains(activation) else {
      throw malformed("has the activation \(activation), and none, silu or swish is expected")
    }
    let result =
      activation == "none" ? products : try apply(Swish(), to: products, role: "activated")
    guard size > 1 else {
      let none = Slice.Range(axis: 2, start: 0, stop: 0, step: 1)
      return [result, try apply(Slice([none]), to: whole, role: "state")]
    }
    let last = Slice.Range(axis: 2, start: 1 - size, stop: nil, step: 1)
    return [result, try apply(Slice([last]), to: whole, role: "state")]
  }

  /// Adds attention whose keys and values are summed up in a state, `[batch, heads, key, value]`, step
  /// by step.
  fileprivate mutating func linearAttention() throws(WeighbridgeError) -> [ONNXValue] {
    let attention = try LinearAttentionSettings(&self)
    let query = try headed(try wideInput(0), attention.queryHeads, role: "query")
    let key = try headed(try wideInput(1), attention.heads, role: "key")
    let value = try headed(try wideInput(2), attention.heads, role: "value")
    let decay = try decays(attention)
    var rate: ONNXValue?
    if try optional(5) != nil {
      let given = try wideInput(5)
      rate = try transposed(
        try apply(ExpandDims(axes: [3]), to: given, role: "rate"), [0, 2, 1, 3], role: "rates")
    }
    guard let count = type(key).shape[2].value, let sizes = attention.sizes(type(key), type(value))
    else {
      throw unsupported(
        "attends to \(type(try input(1))), and only sequences and heads of known sizes can be read")
    }
    let scale = attention.scale == 0 ? 1 / Double(sizes[0]).squareRoot() : attention.scale
    let scaled = try apply(Rescaling(scale: [scale], offset: [0]), to: query, role: "scaled")
    var state = try optional(3) == nil ? nil : try wideInput(3)
    var outputs: [ONNXValue] = []
    for step in 0..<count {
      try network.countBody(16)
      let role = "step_\(step)"
      let own = try [("k", key), ("v", value), ("q", scaled)].map {
        (name, sequence) throws(WeighbridgeError) in
        try part(sequence, step, role: "\(role)/\(name)")
      }
      let column = try transposed(own[0], [0, 1, 3, 2], role: "\(role)/column")
      if let decay, let old = state {
        let factor = try transposed(
          try part(decay, step, role: "\(role)/decay"), [0, 1, 3, 2], role: "\(role)/factor")
        state = try apply(Multiply(), to: old, factor, role: "\(role)/kept")
      }
      var added = own[1]
      if let rate {
        if let old = state {
          let known = try product(own[0], old, role: "\(role)/known")
          added = try apply(Subtract(), to: added, known, role: "\(role)/new")
        }
        added = try apply(
          Multiply(), to: added, try part(rate, step, role: "\(role)/rate"), role: "\(role)/part")
      }
      var sum = try product(column, added, role: "\(role)/outer")
      if let old = state { sum = try apply(Add(), to: old, sum, role: "\(role)/state") }
      state = sum
      let read =
        attention.repeats == 1
        ? sum
        : try apply(Repeat(axis: 1, count: attention.repeats), to: sum, role: "\(role)/shared")
      outputs.append(try product(own[2], read, role: "\(role)/output"))
    }
    guard let state, !outputs.isEmpty else {
      throw unsupported("attends to no step, and one or more are expected")
    }
    let all =
      outputs.count == 1
      ? outputs[0] : try apply(Concatenate(axis: 2), outputs, role: "outputs")[0]
    let turned = try transposed(all, [0, 2, 1, 3], role: "turned")
    let kept = keptSizes(type(turned), 0..<2)
    let packed = try apply(
      ReshapeAxes(kept + [.fixed(attention.queryHeads * sizes[1])]), to: turned, role: "packed")
    return [packed, state]
  }

  /// Returns an input in float32 if it is narrower, as the sums of a linear attention are.
  private mutating func wideInput(_ position: Int) throws(WeighbridgeError) -> ONNXValue {
    let value = try input(position)
    let isNarrow = [.float16, .bfloat16].contains(type(value).elementType)
    return isNarrow ? try apply(Cast(to: .float32), to: value, role: "wide_\(position)") : value
  }

  private mutating func product(
    _ first: ONNXValue, _ second: ONNXValue, role: String
  ) throws(WeighbridgeError) -> ONNXValue {
    try apply(MatMul(transposeA: false, transposeB: false), to: first, second, role: role)
  }

  private mutating func part(
    _ value: ONNXValue, _ step: Int, role: String
  ) throws(WeighbridgeError) -> ONNXValue {
    let range = Slice.Range(axis: 2, start: step, stop: step + 1, step: 1)
    return try apply(Slice([range]), to: value, role: role)
  }

  /// Returns `[batch, time, heads · size]` as `[batch, heads, time, size]`.
  private mutating func headed(
    _ value: ONNXValue, _ heads: Int, role: String
  ) throws(WeighbridgeError) -> ONNXValue {
    let type = type(value)
    guard type.rank == 3, let size = type.shape[2].value, size % heads == 0 else {
      throw malformed(
        "takes \(type) for \(heads) heads, and [batch, time, heads · size] is expected")
    }
    let sizes = keptSizes(type, 0..<2) + [.fixed(heads), .fixed(size / heads)]
    let split = try apply(ReshapeAxes(sizes), to: value, role: "\(role)/heads")
    return try transposed(split, [0, 2, 1, 3], role: role)
  }

  /// Returns how much of the state each step keeps, `[batch, heads, time, 1 or key]`.
  private mutating func decays(
    _ attention: LinearAttentionSettings
  ) throws(WeighbridgeError) -> ONNXValue? {
    guard try optional(4) != nil else { return nil }
    let logarithms = try headed(try wideInput(4), attention.heads, role: "decay")
    return try apply(Exponential(), to: logarithms, role: "kept")
  }
}

/// The settings of a linear attention.
private struct LinearAttentionSettings {
  let queryHeads: Int
  let heads: Int
  /// 0 for 1 / √(size of a key).
  let scale: Double

  /// How many heads of queries share one of keys.
  var repeats: Int { queryHeads / heads }

  init(_ layer: inout ONNXLayer) throws(WeighbridgeError) {
    queryHeads = try layer.integer("q_num_heads", default: 0)
    heads = try layer.integer("kv_num_heads", default: 0)
    scale = try layer.float("scale", default: 0)
    layer.ignore("chunk_size")  // how it is computed
    let rule = try layer.string("update_rule", default: "gated_delta")
    guard heads >= 1, heads <= 1 << 16, queryHeads >= heads, queryHeads % heads == 0 else {
      throw layer.malformed(
        "has \(queryHeads) heads of queries and \(heads) of keys, and a multiple is expected")
    }
    let needed: [String: (decay: Bool, rate: Bool)] = [
      "linear": (false, false), "gated": (true, false), "delta": (false, true),
      "gated_delta": (true, true),
    ]
    guard let needed = needed[rule] else {
      throw layer.malformed(
        "has the update_rule \(rule), and linear, gated, delta or gated_delta is expected")
    }
    let hasDecay = try layer.optional(4) != nil
    let hasRate = try layer.optional(5) != nil
    guard hasDecay == needed.decay, hasRate == needed.rate else {
      throw layer.malformed(
        "has the update_rule \(rule), which \(needed.decay ? "takes" : "does not take") a decay and "
          + "\(needed.rate ? "takes" : "does not take") a rate (beta)")
    }
  }

  /// The sizes of a key and of a value.
  func sizes(_ key: TensorType, _ value: TensorType) -> [Int]? {
    let sizes = [key, value].compactMap { $0.shape[3].value }
    return sizes.count == 2 ? sizes : nil
  }
}
