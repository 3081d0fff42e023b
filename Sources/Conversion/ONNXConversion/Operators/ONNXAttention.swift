import Bytes
import ConversionCore
import GraphIR
import LayerCatalog
import ONNXFormat

/// Attention and rotary embeddings (ONNX, Operators.md, Attention and RotaryEmbedding).
enum ONNXAttention: ONNXFamily {
  static let nodes: [String: ONNXLayer.Build] = [
    "Attention": { (layer) throws(WeighbridgeError) in
      try ONNXAttentionNode(&layer).add(to: &layer)
    },
    "RotaryEmbedding": { (layer) throws(WeighbridgeError) in [try layer.rotaryEmbedding()] },
  ]
}

/// A node of the operator Attention.
private struct ONNXAttentionNode {
  /// The heads of the queries `[batch, heads, queries, depth]`, the keys `[batch, heads, keys, depth]` and the values
  /// `[batch, heads, keys, value depth]`, after those of the cache.
  private var query, key, value: ONNXValue
  /// Whether the node's tensors are `[batch, time, heads * depth]`.
  private let isFlat: Bool
  private let isCausal: Bool
  private let scale: Double?
  private let softCap: Double
  /// How many keys before a query it sees, and how many after it; -1 for all.
  private let window: (before: Int, after: Int)
  /// What the last output is: the scores, the capped scores, the masked scores or the probabilities.
  private let scoresMode: Int
  private let precision: ElementType?
  /// The number of keys before the first query in the cache.
  private var pastCount = 0
  /// The number of keys of each sequence that are no padding `[batch]`.
  private let keyCounts: ONNXValue?

  /// Reads the attributes and the inputs.
  init(_ layer: inout ONNXLayer) throws(WeighbridgeError) {
    let (first, second, third) = (try layer.input(0), try layer.input(1), try layer.input(2))
    isFlat = layer.type(first).rank == 3
    isCausal = try layer.flag("is_causal")
    scale = layer.has("scale") ? try layer.float("scale", default: 0) : nil
    softCap = try layer.float("softcap", default: 0)
    window = (
      min(1 << 32, try layer.integer("left_window_size", default: -1)),
      min(1 << 32, try layer.integer("right_window_size", default: -1))
    )
    scoresMode = try layer.integer("qk_matmul_output_mode", default: 0)
    precision = try layer.integer("softmax_precision").flatMap { ElementType(onnxNumber: $0) }
    keyCounts = try layer.optional(6)
    let heads = (try layer.integer("q_num_heads"), try layer.integer("kv_num_heads"))
    query = try layer.heads(of: first, heads.0, role: "query")
    key = try layer.heads(of: second, heads.1, role: "key")
    value = try layer.heads(of: third, heads.1, role: "value")
    if let pastKey = try layer.optional(4), let pastValue = try layer.optional(5) {
      let pastType = layer.type(pastKey)
      guard pastType.rank == 4, let count = pastType.shape[2].value else {
        throw layer.unsupported(
          "has a cache of \(pastType), and only one of four axes with a known length can be read")
      }
      pastCount = count
      key = try layer.apply(Concatenate(axis: 2), to: pastKey, key, role: "present_key")
      value = try layer.apply(Concatenate(axis: 2), to: pastValue, value, role: "present_value")
    }
  }

  /// Adds the node's outputs: the result, the keys and the values with those of the cache, and the scores.
  func add(to layer: inout ONNXLayer) throws(WeighbridgeError) -> [ONNXValue] {
    let allKeys = try repeated(key, "keys", &layer)
    let allValues = try repeated(value, "values", &layer)
    var shown = try scores(allKeys, &layer)
    var scores = shown
    if softCap > 0 { scores = try capped(scores, &layer) }
    if scoresMode == 1 { shown = scores }
    let (masked, mask) = try masked(scores, &layer)
    if scoresMode == 2 { shown = masked }
    let probabilities = try probabilities(masked, mask, &layer)
    if scoresMode == 3 { shown = probabilities }
    let product = MatMul(transposeA: false, transposeB: false)
    let output = try layer.apply(product, to: probabilities, allValues, role: isFlat ? "heads" : "")
    return [isFlat ? try layer.joined(output) : output, key, value, shown]
  }

  /// Repeats each head of the keys or values for a group of the queries' heads.
  private func repeated(
    _ heads: ONNXValue, _ role: String, _ layer: inout ONNXLayer
  ) throws(WeighbridgeError) -> ONNXValue {
    guard let queries = layer.type(query).shape[1].value,
      let count = layer.type(heads).shape[1].value, count > 0, queries % count == 0
    else {
      throw layer.malformed(
        "has heads of queries \(layer.type(query)) and of keys and values \(layer.type(heads)), expected a multiple"
      )
    }
    if queries == count { return heads }
    return try layer.apply(Repeat(axis: 1, count: queries / count), to: heads, role: role)
  }

  /// Adds the products of queries and keys, each scaled by the square root of the scale so that they do not overflow.
  private func scores(
    _ keys: ONNXValue, _ layer: inout ONNXLayer
  ) throws(WeighbridgeError) -> ONNXValue {
    guard let depth = layer.type(query).shape[3].value, depth > 0 else {
      throw layer.unsupported(
        "has queries \(layer.type(query)), and only a known depth can be read")
    }
    let factor = (scale ?? 1 / Double(depth).squareRoot()).squareRoot()
    var scaled: [ONNXValue] = []
    for (value, role) in [(query, "query"), (keys, "key")] {
      scaled.append(
        try layer.apply(
          Multiply(), to: value, layer.number(factor, like: value, "scale"), role: "scaled_\(role)")
      )
    }
    return try layer.apply(MatMul(transposeA: false, transposeB: true), scaled, role: "scores")[0]
  }

  /// Limits scores smoothly to between -cap and cap.
  private func capped(
    _ scores: ONNXValue, _ layer: inout ONNXLayer
  ) throws(WeighbridgeError) -> ONNXValue {
    let cap = layer.number(softCap, like: scores, "softcap")
    let part = try layer.apply(BinaryMath(.divide), to: scores, cap, role: "parts")
    let limited = try layer.apply(Tanh(), to: part, role: "limited")
    return try layer.apply(Multiply(), to: limited, cap, role: "capped")
  }

  /// Adds the softmax of masked scores; 0 where no key is allowed.
  private func probabilities(
    _ scores: ONNXValue, _ mask: ONNXValue?, _ layer: inout ONNXLayer
  ) throws(WeighbridgeError) -> ONNXValue {
    let type = layer.type(scores).elementType
    var values = scores
    if let precision, precision != type {
      values = try layer.apply(Cast(to: precision), to: values, role: "precise")
    }
    values = try layer.apply(Softmax(axes: [3]), to: values, role: "softmax")
    if let precision, precision != type {
      values = try layer.apply(Cast(to: type), to: values, role: "probabilities")
    }
    guard let mask else { return values }
    let any = Reduce(.maximum, axes: [layer.type(mask).rank - 1], keepDims: true)
    let largest = try layer.apply(any, to: mask, role: "largest")
    let infinity = layer.number(-.infinity, like: largest, "infinity")
    let isEmpty = try layer.apply(Comparison(.equal), to: largest, infinity, role: "is_empty")
    let zero = layer.number(0, like: values, "zero")
    return try layer.apply(Where(), to: isEmpty, zero, values, role: "kept")
  }
}

/// Masks.
extension ONNXAttentionNode {
  /// Adds the mask to scores: what is allowed by the mask, its order in time, the window and the padding.
  ///
  /// - Returns: The masked scores, and the mask that can exclude all keys of a query.
  private func masked(
    _ scores: ONNXValue, _ layer: inout ONNXLayer
  ) throws(WeighbridgeError) -> (scores: ONNXValue, mask: ONNXValue?) {
    var conditions = try conditions(scores, &layer)
    var bias: ONNXValue?
    if let mask = try layer.optional(3) {
      let whole = try completed(mask, &layer)
      if layer.type(whole).elementType == .bool { conditions.append(whole) } else { bias = whole }
    }
    if !conditions.isEmpty {
      let ranked = try layer.aligned(conditions + [layer.number(0, like: scores, "zero")])
      let allowed =
        conditions.count == 1
        ? ranked[0] : try layer.apply(LogicalAnd(), Array(ranked.dropLast()), role: "allowed")[0]
      let base = try bias.map { (bias) throws(WeighbridgeError) in
        try layer.aligned([bias, scores])[0]
      }
      let excluded = layer.number(-.infinity, like: scores, "excluded")
      bias = try layer.apply(
        Where(), to: allowed, base ?? layer.number(0, like: scores, "included"), excluded,
        role: "bias")
    }
    guard let bias else { return (scores, nil) }
    let ranked = try layer.aligned([scores, bias])
    return (try layer.apply(Add(), ranked, role: "masked")[0], ranked[1])
  }

  /// Adds what excludes the keys that a mask leaves out at the end.
  private func completed(
    _ mask: ONNXValue, _ layer: inout ONNXLayer
  ) throws(WeighbridgeError) -> ONNXValue {
    let type = layer.type(mask)
    guard let count = layer.type(key).shape[2].value, let covered = type.shape.last?.value,
      covered < count, covered > 1 || count == 1
    else { return mask }
    guard let shape = type.fixedShape else {
      throw layer.unsupported(
        "has a mask \(type), which leaves out keys, and only known sizes can be read")
    }
    let missing = shape.dropLast() + [count - covered]
    let elements = try Checked.product(Array(missing), of: "a mask")
    let value = type.elementType == .bool ? 0 : -Double.infinity
    let rest = Tensor(
      type.elementType, shape: Array(missing), [Double](repeating: value, count: elements))
    return try layer.apply(
      Concatenate(axis: shape.count - 1), to: mask, layer.newConstant(rest, "excluded_keys"),
      role: "mask")
  }

  /// The booleans that say which keys each query may see, by their order and the number of keys.
  private func conditions(
    _ scores: ONNXValue, _ layer: inout ONNXLayer
  ) throws(WeighbridgeError) -> [ONNXValue] {
    let after = isCausal ? 0 : window.after
    guard after >= 0 || window.before >= 0 || keyCounts != nil else { return [] }
    let sizes = layer.type(scores).shape.suffix(2).compactMap(\.value)
    guard sizes.count == 2 else {
      throw layer.unsupported(
        "masks the scores \(layer.type(scores)) by their place, and only known numbers of queries and keys can be read"
      )
    }
    guard let keyCounts else {
      return [
        try table(sizes, "places", .bool, &layer) { query, key in
          let distance = key - query - pastCount
          return (after < 0 || distance <= after)
            && (window.before < 0 || -distance <= window.before) ? 1 : 0
        }
      ]
    }
    let counts = try layer.apply(
      ReshapeAxes([.rest, .fixed(1), .fixed(1), .fixed(1)]), to: keyCounts, role: "counts")
    let type = layer.type(counts).elementType
    // The last query is that of the last key that is no padding.
    let first = try table(sizes, "key", type, &layer) { _, key in Double(key) }
    var conditions = [try layer.apply(Comparison(.less), to: first, counts, role: "is_key")]
    if after >= 0 {
      let least = try table(sizes, "least", type, &layer) { query, key in
        Double(key - query + sizes[0] - after)
      }
      conditions.append(
        try layer.apply(Comparison(.lessOrEqual), to: least, counts, role: "is_before"))
    }
    if window.before >= 0 {
      let most = try table(sizes, "most", type, &layer) { query, key in
        Double(key - query + sizes[0] + window.before)
      }
      conditions.append(
        try layer.apply(Comparison(.greaterOrEqual), to: most, counts, role: "is_near"))
    }
    return conditions
  }

  /// A constant `[1, 1, queries, keys]`.
  private func table(
    _ sizes: [Int], _ role: String, _ type: ElementType, _ layer: inout ONNXLayer,
    _ element: (_ query: Int, _ key: Int) -> Double
  ) throws(WeighbridgeError) -> ONNXValue {
    let count = try Checked.product(sizes + [8], of: "a mask")
    try layer.network.countConstant(TensorType(type, [1, 1] + sizes), byteCount: count)
    let elements = (0..<sizes[0]).flatMap { query in (0..<sizes[1]).map { element(query, $0) } }
    return layer.newConstant(Tensor(type, shape: [1, 1] + sizes, elements), role)
  }
}

/// Heads.
extension ONNXLayer {
  /// Splits `[batch, time, heads * depth]` into `[batch, heads, time, depth]`; returns four axes as they are.
  mutating func heads(
    of value: ONNXValue, _ count: Int?, role: String
  ) throws(WeighbridgeError) -> ONNXValue {
    let type = type(value)
    if type.rank == 4 { return value }
    guard type.rank == 3, let count, count >= 1, let width = type.shape[2].value, width % count == 0
    else {
      throw malformed(
        "has \(type) and \(count ?? 0) heads, expected four axes, or three and a number of heads that divides the "
          + "last size")
    }
    let sizes = keptSizes(type, 0..<2) + [.fixed(count), .fixed(width / count)]
    let split = try apply(ReshapeAxes(sizes), to: value, role: "\(role)_parts")
    return try transposed(split, [0, 2, 1, 3], role: "\(role)_heads")
  }

  /// Joins `[batch, heads, time, depth]` to `[batch, time, heads * depth]`.
  mutating func joined(_ heads: ONNXValue) throws(WeighbridgeError) -> ONNXValue {
    let moved = try transposed(heads, [0, 2, 1, 3], role: "joined")
    let type = type(moved)
    let width = type.shape.suffix(2).compactMap(\.value)
    guard width.count == 2 else {
      throw unsupported(
        "joins heads \(type), and only known numbers of heads and depths can be read")
    }
    let sizes = keptSizes(type, 0..<2) + [.fixed(width[0] * width[1])]
    return try apply(ReshapeAxes(sizes), to: moved)
  }
}
