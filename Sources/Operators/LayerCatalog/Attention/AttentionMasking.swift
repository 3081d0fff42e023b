package import Bytes
package import GraphIR

/// Which values a query attends to, by their positions, by a mask, and in training by chance.
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

  /// Whether a query attends only to values at its own and earlier positions.
  package let isCausal: Bool
  /// The largest distance from a query to a value, plus 1; `nil` for no limit.
  package let window: Int?
  /// Whether there is a mask of the values that are attended to.
  package let hasMask: Bool
  /// The result of a query that attends to no value.
  package let fullyMaskedRows: FullyMaskedRows
  /// The share of the attention weights that are 0 in training; `nil` for none.
  package let dropout: Double?

  /// Creates the rule.
  package init(
    isCausal: Bool, window: Int? = nil, hasMask: Bool, fullyMaskedRows: FullyMaskedRows,
    dropout: Double? = nil
  ) {
    self.isCausal = isCausal
    self.window = window
    self.hasMask = hasMask
    self.fullyMaskedRows = fullyMaskedRows
    self.dropout = dropout == 0 ? nil : dropout
  }

  /// Every query attends to every value.
  package static let all = AttentionMasking(isCausal: false, hasMask: false, fullyMaskedRows: .mean)

  /// Whether it depends on positions.
  package var dependsOnPositions: Bool { isCausal || window != nil }

  /// The attributes in which the rule is stored.
  static let schema = AttributeSchema(
    AttentionMasking.init(isCausal:window:hasMask:fullyMaskedRows:dropout:),
    .boolean("causal", \.isCausal, "Whether query i attends to no key j > i."),
    .integer(
      "window", \.window, "Query i only attends to the keys j with |j - i| < window.", .atLeast(1),
      presence: .optional("any distance")),
    .boolean("mask", \.hasMask, "Whether there is a mask, true for keys that are attended to."),
    .choice(
      "fully_masked_rows", \.fullyMaskedRows, "The weights of a query that attends to no key."
    ) {
      switch $0 {
      case .mean: "1 / (number of keys) for each key"
      case .zero: "0 for each key"
      case .unmasked: "as if it attended to all keys"
      }
    },
    .dropout("dropout", \.dropout, "The share of the weights that are 0 in training.")
  ).explained(by: .attention)

  /// The definition of the attention weights as an output.
  static var weights: OutputDefinition {
    .like("query", as: "attention_weights", .when("return_attention_weights"))
  }

  /// Rejects a mask that does not fit the attention weights; each size must be theirs or 1.
  func checkMask(_ mask: TensorType, _ attentionWeights: TensorType) throws(ShapeError) {
    guard mask.elementType == .bool, mask.rank == attentionWeights.rank,
      zip(mask.shape, attentionWeights.shape).allSatisfy({ $0 == 1 || $0.agrees(with: $1) })
    else { throw ShapeError("the mask \(mask) does not fit \(attentionWeights)") }
  }

  /// Returns the attention weights of a query, which add up to 1 unless it attends to no value.
  ///
  /// - Parameters:
  ///   - scores: The score of each value's key.
  ///   - position: The query's position.
  ///   - mask: The mask of each value; 0 for values that are not attended to.
  func attentionWeights(
    _ scores: [Double], position: Int, mask: ArraySlice<Double>?
  ) -> [Double] {
    let attended = scores.indices.filter { index in
      if isCausal, index > position { return false }
      if let window, abs(index - position) >= window { return false }
      return mask.map { $0[$0.startIndex + index] != 0 } ?? true
    }
    if attended.count == scores.count { return Softmax(axes: [0]).apply(scores[...]) }
    var weights = [Double](repeating: 0, count: scores.count)
    guard attended.isEmpty else {
      let softmax = Softmax(axes: [0]).apply(attended.map { scores[$0] }[...])
      for (index, weight) in zip(attended, softmax) { weights[index] = weight }
      return weights
    }
    switch fullyMaskedRows {
    case .zero: return weights
    case .mean: return weights.map { _ in 1 / Double(weights.count) }
    case .unmasked: return Softmax(axes: [0]).apply(scores[...])
    }
  }
}

extension AttributeField where Value == Bool {
  /// Whether the attention weights are also an output.
  static func returnsAttentionWeights(
    _ value: @escaping @Sendable (Owner) -> Bool
  ) -> AttributeField {
    .boolean(
      "return_attention_weights", value, "Whether the attention weights are a second output.")
  }
}

extension AttentionMasking {
  /// Adds nodes that compute the attention weights of all queries.
  ///
  /// - Parameters:
  ///   - scores: The scores of queries and keys, `[..., queries, values]`.
  ///   - mask: A mask of the same shape, where each size may be 1.
  func attentionWeights(
    _ scores: ValueID, mask: ValueID?, _ make: inout Composition
  ) throws(WeighbridgeError) -> ValueID {
    let (type, axis) = (make.type(scores), make.type(scores).rank - 1)
    guard var attended = try attended(scores, mask: mask, &make) else {
      return try make(Softmax(axes: [axis]), scores)
    }
    if fullyMaskedRows == .unmasked {
      let any = try make(Reduce(.any, axes: [axis], keepDims: true), attended)
      attended = try make(LogicalOr(), attended, try make(LogicalNot(), any))
    }
    // A very low number rather than minus infinity, so that a query that attends to no value
    // weights all values equally.
    let lowest = try make.number(type.elementType == .float16 ? -6e4 : -1e30, like: scores)
    let weights = try make(Softmax(axes: [axis]), try make(Where(), attended, scores, lowest))
    guard fullyMaskedRows == .zero else { return weights }
    return try make.product(weights, try make(Cast(to: type.elementType), attended))
  }

  /// Adds the means of values, `[..., values, features]`, by their attention weights.
  func means(
    _ weights: ValueID, of values: ValueID, _ make: inout Composition
  ) throws(WeighbridgeError) -> ValueID {
    let noise = dropout.flatMap { TrainingNoise(.dropout, rate: $0) }
    let kept = noise == nil ? weights : try make(Identity(noise: noise), weights)
    return try make.matrixProduct(kept, values)
  }

  /// Adds the mask of the scores: which values each query attends to; `nil` if it attends to all.
  package func attended(
    _ scores: ValueID, mask: ValueID?, _ make: inout Composition
  ) throws(WeighbridgeError) -> ValueID? {
    guard dependsOnPositions else { return mask }
    let positions = try positionMask(scores, &make)
    guard let mask else { return positions }
    return try make(LogicalAnd(), mask, positions)
  }

  /// The mask that follows from positions, `[1, ..., queries, values]`; if the sizes are dynamic,
  /// it is computed when the model runs.
  private func positionMask(
    _ scores: ValueID, _ make: inout Composition
  ) throws(WeighbridgeError) -> ValueID {
    let (shape, axis) = (make.type(scores).shape, make.type(scores).rank - 1)
    if let queries = shape[axis - 1].value, let values = shape[axis].value {
      return try make.constant(positionMask(queries: queries, values: values, rank: axis + 1))
    }
    let query = try Self.positions(scores, axis: axis - 1, &make)
    let value = try Self.positions(scores, axis: axis, &make)
    var masks: [ValueID] = []
    if isCausal { masks.append(try make(Comparison(.lessOrEqual), value, query)) }
    if let window {
      let distance = try make(UnaryMath(.absolute), try make.difference(value, query))
      masks.append(
        try make(Comparison(.less), distance, try make.number(Double(window), like: distance)))
    }
    return masks.count == 1 ? masks[0] : try make.apply(LogicalAnd(), masks)
  }

  /// The positions along an axis, in float32; all other axes have the size 1.
  private static func positions(
    _ x: ValueID, axis: Int, _ make: inout Composition
  ) throws(WeighbridgeError) -> ValueID {
    let others = (0..<make.type(x).rank).filter { $0 != axis }
    let ranges = others.map { Slice.Range(axis: $0, start: 0, stop: 1, step: 1) }
    let column = try make(Cast(to: .float32), try make(Slice(ranges), x))
    let ones = try make(FullLike(value: 1), column)
    return try make(CumSum(axis: axis, isExclusive: true, isReversed: false), ones)
  }

  /// The mask that follows from positions, `[1, ..., queries, values]`.
  private func positionMask(queries: Int, values: Int, rank: Int) -> Tensor {
    let mask = (0..<queries).flatMap { query in
      (0..<values).map { value in
        let isOutsideWindow = window.map { abs(value - query) >= $0 } ?? false
        return isOutsideWindow || (isCausal && value > query) ? 0.0 : 1
      }
    }
    let ones = [Int](repeating: 1, count: rank - 2)
    return Tensor(.bool, shape: ones + [queries, values], mask)
  }
}
