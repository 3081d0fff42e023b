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
package struct CategoryEncoding: ExactOperator, PrimitiveOperator {
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

  package func evaluate(
    _ inputs: [Tensor], workers: Workers
  ) throws(WeighbridgeError) -> [Tensor] {
    let shape = try outputShape(of: inputs)
    let count = inputs[0].shape[inputs[0].shape.count - 1]
    let weights = isWeighted ? inputs[1].doubles : nil
    var elements = [Double](repeating: 0, count: shape.reduce(1, *))
    let indices =
      dropsOutOfRange
      ? inputs[0].doubles.map { Int(exactly: $0.rounded(.towardZero)) ?? -1 }
      : try inputs[0].indices(below: categories)
    for (offset, index) in indices.enumerated() where (0..<categories).contains(index) {
      let target = offset / count * categories + index
      elements[target] = countsTokens ? elements[target] + (weights?[offset] ?? 1) : 1
    }
    return [Tensor(.float32, shape: shape, elements)]
  }

  package func permutingAxes(_ axes: [Int]) -> CategoryEncoding? {
    axes == Array(axes.indices) ? self : nil
  }
}
