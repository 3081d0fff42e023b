import Bytes
import GraphIR

/// Which values a query attends to, by position.
package struct AttentionMasking: Hashable, Sendable {
  /// The result of a query that attends to no value.
  package enum FullyMaskedRows: String, Hashable, Sendable, CaseIterable {
    /// The mean of all values.
    case mean
    /// Zeros.
    case zero
    /// The result without any masking.
    case unmasked
  }

  /// Whether a query does not attend to values at later positions.
  package let isCausal: Bool
  /// The largest distance of a query and a value, plus 1; `nil` for no limit.
  package let window: Int?
  /// Whether there is a mask of the values that are attended to.
  package let hasMask: Bool
  /// The result of a query that attends to no value.
  package let fullyMaskedRows: FullyMaskedRows

  /// Makes the rule.
  package init(isCausal: Bool, window: Int? = nil, hasMask: Bool, fullyMaskedRows: FullyMaskedRows)
  {
    self.isCausal = isCausal
    self.window = window
    self.hasMask = hasMask
    self.fullyMaskedRows = fullyMaskedRows
  }

  /// Every query attends to every value.
  package static let all = AttentionMasking(isCausal: false, hasMask: false, fullyMaskedRows: .mean)

  /// Whether it depends on positions.
  package var isLocal: Bool { isCausal || window != nil }

  /// The attributes in which the rule is stored.
  static let schema = AttributeSchema(
    AttentionMasking.init(isCausal:window:hasMask:fullyMaskedRows:),
    .boolean("causal", \.isCausal, "Whether query i sees no key j > i."),
    .integer(
      "window", \.window, "A query i sees the keys j with |j - i| < window only.", .atLeast(1),
      presence: .optional("any distance")),
    .boolean("mask", \.hasMask, "Whether there is a mask, true for what is seen."),
    .choice("fully_masked_rows", \.fullyMaskedRows, "The weights of a query that sees no key.") {
      switch $0 {
      case .mean: "1 / (number of keys) for each key"
      case .zero: "0 for each key"
      case .unmasked: "as if it saw all keys"
      }
    }
  ).explained(by: .attention)

  /// The definition of the attention weights as an output.
  static var weights: OutputDefinition {
    .like("query", as: "attention_weights", .when("return_attention_weights"))
  }

  /// Rejects a mask that does not fit the attention weights; each size must be theirs or 1.
  func checkMask(_ mask: TensorType, _ shares: TensorType) throws(ShapeError) {
    guard mask.elementType == .bool, mask.rank == shares.rank,
      zip(mask.shape, shares.shape).allSatisfy({ $0 == 1 || $0.agrees(with: $1) })
    else { throw ShapeError("the mask \(mask) does not fit \(shares)") }
  }

  /// Returns the weights of the values for a query, which add up to 1 unless it attends to none.
  ///
  /// - Parameters:
  ///   - scores: The score of each value's key.
  ///   - place: The query's position.
  ///   - mask: The mask of each value; 0 for values that are not attended to.
  func shares(
    _ scores: [Double], place: Int, mask: ArraySlice<Double>?
  ) -> [Double] {
    let seen = scores.indices.filter { index in
      if isCausal, index > place { return false }
      if let window, abs(index - place) >= window { return false }
      return mask.map { $0[$0.startIndex + index] != 0 } ?? true
    }
    if seen.count == scores.count { return Softmax(axes: [0]).apply(scores[...]) }
    var shares = [Double](repeating: 0, count: scores.count)
    guard seen.isEmpty else {
      for (index, share) in zip(seen, Softmax(axes: [0]).apply(seen.map { scores[$0] }[...])) {
        shares[index] = share
      }
      return shares
    }
    switch fullyMaskedRows {
    case .zero: return shares
    case .mean: return shares.map { _ in 1 / Double(shares.count) }
    case .unmasked: return Softmax(axes: [0]).apply(scores[...])
    }
  }
}

extension AttributeField where Value == Bool {
  /// Whether the attention weights are also an output.
  static func returnsAttentionWeights(
    _ value: @escaping @Sendable (Owner) -> Bool
  ) -> AttributeField {
    .boolean("return_attention_weights", value, "Whether the weights are an output too.")
  }
}

extension AttentionMasking {
  /// Adds nodes that compute the weights of the values for each query.
  ///
  /// - Parameters:
  ///   - scores: The scores of queries and keys, `[..., queries, values]`.
  ///   - mask: A mask of the same shape, where each size may be 1.
  func shares(
    _ scores: ValueID, mask: ValueID?, _ make: inout Composition
  ) throws(WeighbridgeError) -> ValueID {
    let (type, axis) = (make.type(scores), make.type(scores).rank - 1)
    var seen = mask
    if isLocal {
      let near = try near(scores, &make)
      seen =
        try mask.map { (mask) throws(WeighbridgeError) in
          try make(LogicalAnd(), mask, near)
        } ?? near
    }
    guard var seen else { return try make(Softmax(axes: [axis]), scores) }
    if fullyMaskedRows == .unmasked {
      let any = try make(Reduce(.any, axes: [axis], keepDims: true), seen)
      seen = try make(LogicalOr(), seen, try make(LogicalNot(), any))
    }
    // A low number rather than minus infinity: a query that attends to nothing then weights all
    // values equally.
    let hidden = try make.number(type.elementType == .float16 ? -6e4 : -1e30, like: scores)
    let all = try make(Softmax(axes: [axis]), try make(Where(), seen, scores, hidden))
    guard fullyMaskedRows == .zero else { return all }
    return try make.product(all, try make(Cast(to: type.elementType), seen))
  }

  /// A mask of the values in reach of each query, `[1, ..., queries, values]`; computed when the
  /// model runs where the sizes are dynamic.
  private func near(
    _ scores: ValueID, _ make: inout Composition
  ) throws(WeighbridgeError) -> ValueID {
    let (shape, axis) = (make.type(scores).shape, make.type(scores).rank - 1)
    if let queries = shape[axis - 1].value, let values = shape[axis].value {
      return try make.constant(near(queries: queries, values: values, rank: axis + 1))
    }
    let query = try Self.places(scores, axis: axis - 1, &make)
    let value = try Self.places(scores, axis: axis, &make)
    var rules: [ValueID] = []
    if isCausal { rules.append(try make(Comparison(.lessOrEqual), value, query)) }
    if let window {
      let distance = try make(UnaryMath(.absolute), try make.difference(value, query))
      rules.append(
        try make(Comparison(.less), distance, try make.number(Double(window), like: distance)))
    }
    return rules.count == 1 ? rules[0] : try make.apply(LogicalAnd(), rules)
  }

  /// The positions along an axis, in float32; all other axes have the size 1.
  private static func places(
    _ x: ValueID, axis: Int, _ make: inout Composition
  ) throws(WeighbridgeError) -> ValueID {
    let others = (0..<make.type(x).rank).filter { $0 != axis }
    let ranges = others.map { Slice.Range(axis: $0, start: 0, stop: 1, step: 1) }
    let column = try make(Cast(to: .float32), try make(Slice(ranges), x))
    let ones = try make(FullLike(number: 1), column)
    return try make(CumSum(axis: axis, isExclusive: true, isReversed: false), ones)
  }

  /// A mask of the values in reach of each query, `[1, ..., queries, values]`.
  private func near(queries: Int, values: Int, rank: Int) -> Tensor {
    let truths = (0..<queries).flatMap { query in
      (0..<values).map { value in
        let isFar = window.map { abs(value - query) >= $0 } ?? false
        return isFar || (isCausal && value > query) ? 0.0 : 1
      }
    }
    let ones = [Int](repeating: 1, count: rank - 2)
    return Tensor(.bool, shape: ones + [queries, values], truths)
  }
}
