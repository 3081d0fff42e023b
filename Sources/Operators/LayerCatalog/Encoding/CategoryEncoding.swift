package import Bytes
package import GraphIR

/// Encodes which indices occur along the last axis, or how often.
///
/// - input: `[batch, ..., indices]`, indices: numbers of any type, truncated to integers
/// - weights: the input's shape, the weight of each index
/// - output: `[batch, ..., categories]`, float32: for each category 1 if it occurs among the
///   indices and 0 otherwise (for a single index, a one-hot encoding), or its count
///
/// An index outside of the categories is either ignored or an error when the model runs.
package struct CategoryEncoding: FormulaOperator, ExactOperator {
  /// The number of categories, 1 to 2^24.
  package let categories: Int
  /// Whether the output counts the occurrences of an index.
  package let countsTokens: Bool
  /// Whether each index counts with its weight; only if `countsTokens` is true.
  package let isWeighted: Bool
  /// Whether indices outside of the categories are ignored.
  package let dropsOutOfRange: Bool

  package static let kind = "category_encoding"
  package static let version = 2

  package var inputs: [InputSlot] {
    [.indices("input", below: .count(categories))] + (isWeighted ? [.data("weights")] : [])
  }

  package static let declaration = OperatorDeclaration<Self>(
    """
    y[..., c] = number of i with x[..., i] = c, if count and not weighted
    y[..., c] = sum of weights[..., i] over all i with x[..., i] = c, if weighted
    y[..., c] = 1 if x[..., i] = c for an i, else 0, otherwise
    """,
    inputs: [.data("input", .any), .data("weights", .float, .when("weighted"))],
    outputs: [.of(.float32)],
    attributes: AttributeSchema(
      Self.init(categories:countsTokens:isWeighted:dropsOutOfRange:),
      .integer("num_tokens", \.categories, "The number of categories.", .atLeast(1), .sizeLimit),
      .boolean("count", \.countsTokens, "Whether the output is a count instead of 0 or 1."),
      .boolean(
        "weighted", \.isWeighted, "Whether there are weights.", .rule("count is true where this is")
      ),
      .boolean(
        "ignore_out_of_range", \.dropsOutOfRange,
        """
        Whether an index outside of the categories is ignored; otherwise it is an error when \
        the model runs.
        """)
    ).checked { $0.isWeighted && !$0.countsTokens ? "weighted requires count" : nil },
    concepts: [.indices])

  /// Creates the operator.
  package init(categories: Int, countsTokens: Bool, isWeighted: Bool, dropsOutOfRange: Bool) {
    self.categories = categories
    self.countsTokens = countsTokens
    self.isWeighted = isWeighted
    self.dropsOutOfRange = dropsOutOfRange
  }
}

extension CategoryEncoding {
  package func outputTypes(of inputs: [TensorType]) throws(ShapeError) -> [TensorType] {
    guard inputs[0].rank >= 2 else {
      throw ShapeError("takes [batch, ..., indices], not \(inputs[0])")
    }
    guard
      !isWeighted
        || (inputs[1].elementType.isFloat && inputs[1].rank == inputs[0].rank
          && zip(inputs[1].shape, inputs[0].shape).allSatisfy({ $0.agrees(with: $1) }))
    else { throw ShapeError("the weights \(inputs[1]) do not fit the indices \(inputs[0])") }
    return [TensorType(.float32, inputs[0].shape.dropLast() + [.fixed(categories)])]
  }

  package func permutingAxes(_ axes: [Int]) -> CategoryEncoding? {
    axes == Array(axes.indices) ? self : nil
  }

  package func formula(_ make: inout Composition) throws(WeighbridgeError) -> ValueID {
    try counts(&make, checksRange: !dropsOutOfRange)
  }

  /// Counts how often each category occurs along the last axis, or whether it occurs.
  ///
  /// - Parameter checksRange: Whether an index that is no category is an error when the model runs.
  package func counts(
    _ make: inout Composition, checksRange: Bool
  ) throws(WeighbridgeError) -> ValueID {
    let rank = make.type(make.inputs[0]).rank
    let positions = (0..<categories).map(Double.init)
    var indices = try integers(&make)
    if checksRange {
      let isNegative = try make(Comparison(.less), indices, try make.number(0, like: indices))
      let onePastLast = try make.number(Double(categories), like: indices)
      indices = try make(
        Gather(axis: 0), try make.constant(Tensor(.int64, shape: [categories], positions)),
        try make.chosen(isNegative, onePastLast, indices))
    }
    let shape = [Int](repeating: 1, count: rank) + [categories]
    let matches = try make(
      Comparison(.equal), try make(ExpandDims(axes: [rank]), indices),
      try make.constant(Tensor(.int64, shape: shape, positions)))
    var counts = try make(Cast(to: .float32), matches)
    if countsTokens, isWeighted {
      let weights = try make(Cast(to: .float32), make.inputs[1])
      counts = try make.product(counts, try make(ExpandDims(axes: [rank]), weights))
    }
    return try make(
      Reduce(countsTokens ? .sum : .maximum, axes: [rank - 1], keepDims: false), counts)
  }

  /// The indices as int64; -1 for NaN.
  private func integers(_ make: inout Composition) throws(WeighbridgeError) -> ValueID {
    var x = make.inputs[0]
    let type = make.type(x).elementType
    if type.isFloat {
      let isNumber = try make(Comparison(.equal), x, x)
      x = try make.chosen(isNumber, x, try make.number(-1, like: x))
    }
    return type == .int64 ? x : try make(Cast(to: .int64), x)
  }
}
