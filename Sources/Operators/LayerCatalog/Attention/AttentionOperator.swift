package import Bytes
package import GraphIR

/// An operator that computes for each query a mean of the values, weighted by the softmax of the
/// scores of their keys.
///
/// - query: `[batch, queries, features]`
/// - value: `[batch, values, out]`
/// - key: `[batch, values, features]`
/// - mask: `[batch, queries, values]`, bool, true for values that are attended to; each size may be
///   1
/// - output: `[batch, queries, out]`
/// - attention weights: `[batch, queries, values]`
package protocol AttentionOperator: CatalogOperator {
  /// Which values a query attends to.
  var masking: AttentionMasking { get }
  /// Whether the attention weights are also an output.
  var returnsAttentionWeights: Bool { get }

  /// Checks the weights against the number of features.
  func checkWeights(_ weights: [TensorType], features: Dimension) throws(ShapeError)

  /// Adds nodes that compute the scores of all queries and keys, `[batch, queries, values]`.
  func scores(_ make: inout Composition) throws(WeighbridgeError) -> ValueID
  /// Returns the score of a query and a key.
  func score(_ query: ArraySlice<Double>, _ key: ArraySlice<Double>, _ weights: [[Double]])
    -> Double
}

extension AttentionOperator {
  package func outputTypes(of inputs: [TensorType]) throws(ShapeError) -> [TensorType] {
    let (query, value, key) = (inputs[0], inputs[1], inputs[2])
    guard query.elementType.isFloat,
      inputs[..<3].allSatisfy({ $0.rank == 3 && $0.elementType == query.elementType })
    else {
      throw ShapeError(
        "takes three axes of floating-point numbers of one type, not \(inputs[..<3])")
    }
    guard query.shape[0].agrees(with: value.shape[0]), query.shape[0].agrees(with: key.shape[0]),
      value.shape[0].agrees(with: key.shape[0]), value.shape[1].agrees(with: key.shape[1]),
      query.shape[2].agrees(with: key.shape[2])
    else { throw ShapeError("query \(query), value \(value) and key \(key) do not fit") }
    let weights = inputs[(masking.hasMask ? 4 : 3)...]
    try checkWeights(Array(weights), features: query.shape[2].merged(with: key.shape[2]))
    let batch = query.shape[0].merged(with: value.shape[0]).merged(with: key.shape[0])
    let output = query.with(shape: [batch, query.shape[1], value.shape[2]])
    let attentionWeights = query.with(
      shape: [batch, query.shape[1], value.shape[1].merged(with: key.shape[1])])
    if masking.hasMask { try masking.checkMask(inputs[3], attentionWeights) }
    return returnsAttentionWeights ? [output, attentionWeights] : [output]
  }

  package func evaluate(
    _ inputs: [Tensor], workers: Workers
  ) throws(WeighbridgeError) -> [Tensor] {
    let shape = try outputShape(of: inputs)
    let (queries, values) = (inputs[0].shape[1], inputs[1].shape[1])
    let weightsShape = [shape[0], queries, values]
    _ = try Checked.product(weightsShape + [8], of: "the size of the attention weights")
    // Each element of the batch is a head of its own.
    let heads = AttentionHeads(
      query: inputs[0], key: inputs[2], value: inputs[1], axisCount: 1, scale: 1)
    let weights = inputs[(masking.hasMask ? 4 : 3)...].map(\.doubles)
    let mask = masking.hasMask ? inputs[3].broadcast(to: weightsShape).doubles : nil
    let rows = workers.map(heads.rowCount) { row in
      let attentionWeights = masking.attentionWeights(
        heads.scores(row) { score($0, $1, weights) }, position: row % queries,
        mask: mask.map { $0[row * values..<(row + 1) * values] })
      return (attentionWeights, heads.mean(row, attentionWeights))
    }
    let type = inputs[0].elementType
    let output = Tensor(type, shape: shape, rows.flatMap { $0.1 })
    guard returnsAttentionWeights else { return [output] }
    return [output, Tensor(type, shape: weightsShape, rows.flatMap { $0.0 })]
  }

  package var tolerance: Tolerance { .standard(for: .float32) }

  package var cost: OperatorCost { .decomposition }

  package func permutingAxes(_ axes: [Int]) -> Self? { axes == [0, 1, 2] ? self : nil }

  package var decomposition: Decomposition {
    Composition.outputs { [self] (make) throws(WeighbridgeError) in
      let mask = masking.hasMask ? make.inputs[3] : nil
      let attentionWeights = try masking.attentionWeights(
        try scores(&make), mask: mask, &make)
      let output = try masking.means(attentionWeights, of: make.inputs[1], &make)
      return returnsAttentionWeights ? [output, attentionWeights] : [output]
    }
  }

  /// The inputs after query, value, key and mask.
  func weights(_ make: Composition) -> [ValueID] {
    Array(make.inputs.dropFirst(masking.hasMask ? 4 : 3))
  }

  /// Adds nodes that compute the sum of each query and each key, `[batch, queries, values,
  /// features]`.
  func pairSums(_ make: inout Composition) throws(WeighbridgeError) -> ValueID {
    let (query, key) = (make.inputs[0], make.inputs[2])
    return try make.sum(
      try make(ExpandDims(axes: [2]), query), try make(ExpandDims(axes: [1]), key))
  }
}
