import Bytes
import GraphIR
import LayerCatalog

/// Attention as batched matrix products: one for each head of each element of the batch.
struct AttentionCall {
  /// The number of matrices.
  let count: Int
  /// The number of queries per matrix: the rows of its scores.
  let queries: Int
  /// The number of keys and values per matrix: the columns of its scores.
  let keys: Int
  /// The number of features of a query and of a key.
  let features: Int
  /// The number of features of a value.
  let width: Int
  /// The products of queries and keys.
  private let scores: MatrixCall
  /// The products of attention weights and values.
  private let weightedValues: MatrixCall

  /// - Returns: `nil` when there is no primitive for this.
  init?(count: Int, queries: Int, keys: Int, features: Int, width: Int) {
    // The scores are not a value of the graph, so their size has not been checked yet.
    guard (try? Checked.product([count, queries, keys, 4], of: "the scores")) ?? .max < 1 << 48,
      let scores = MatrixCall(
        count: count, rows: queries, depth: features, columns: keys, transposeB: true),
      let weightedValues = MatrixCall(count: count, rows: queries, depth: keys, columns: width)
    else { return nil }
    (self.count, self.queries, self.keys) = (count, queries, keys)
    (self.features, self.width) = (features, width)
    (self.scores, self.weightedValues) = (scores, weightedValues)
  }

  /// Memory for the scores, which become the attention weights: the group's second output if it has
  /// one.
  func makeScores(_ builder: inout PlanBuilder, _ group: NodeGroup) -> Storage {
    group.outputs.count > 1
      ? builder.makeTensor(group.outputs[1]).storage
      : builder.addScratch(
        byteCount: count * queries * keys * MemoryLayout<Float>.stride)
  }

  /// Adds the products of queries and keys, `[count, queries or keys, features]`.
  func addScores(
    to builder: inout PlanBuilder, _ query: Storage, _ key: Storage, into target: Storage
  ) {
    scores.add(to: &builder, query, key, into: target)
  }

  /// Adds the masked softmax that turns scores into attention weights.
  ///
  /// - Parameters:
  ///   - scale: The factor applied to the scores.
  ///   - mask: `nil` without a mask.
  ///   - shape: The shape of the scores, to which the mask is broadcast.
  func addAttentionWeights(
    to builder: inout PlanBuilder, _ scores: Storage, _ masking: AttentionMasking, scale: Double,
    mask: ValueID?, shape: [Int]
  ) {
    let weights = AttentionWeights(
      masking: masking, scale: Float(scale), queryCount: queries, keyCount: keys)
    let mask = mask.map { builder.rearranged($0) { $0.broadcast(to: shape) } }
    let (rows, length) = (count * queries, keys)
    builder.add(
      .kernel(name: "attention_weights") { memory in
        // The scores and the mask have `rows * length` elements, and no two rows overlap.
        nonisolated(unsafe) let start = unsafe memory[scores].assumingMemoryBound(to: Float.self)
        nonisolated(unsafe) let maskElements = unsafe mask.map {
          unsafe UnsafePointer(memory[$0].assumingMemoryBound(to: UInt8.self))
        }
        Threads.parallel(rows: rows, length: length) { row in
          unsafe weights.apply(
            to: UnsafeMutableBufferPointer(start: start + row * length, count: length),
            number: row,
            mask: maskElements.map {
              unsafe UnsafeBufferPointer(start: $0 + row * length, count: length)
            })
        }
      }, using: [scores] + (mask.map { [$0] } ?? []))
  }

  /// Adds the weighted sums of the values, `[count, keys, width]`, and writes the group's output.
  ///
  /// - Parameters:
  ///   - shape: The shape of the weighted sums.
  ///   - order: The axis of the output for each of their axes.
  func addWeightedValues(
    to builder: inout PlanBuilder, _ weights: Storage, _ value: Storage, for group: NodeGroup,
    shape: [Int], order: [Int]
  ) {
    if order == Array(order.indices) {
      let output = builder.makeTensor(group.outputs[0])
      return weightedValues.add(to: &builder, weights, value, into: output.storage)
    }
    let rows = builder.addScratch(byteCount: shape.reduce(MemoryLayout<Float>.stride, *))
    weightedValues.add(to: &builder, weights, value, into: rows)
    let output = builder.makeTensor(group.outputs[0])
    let view = StridedView(shape).permuted(order.inversePermutation)
    builder.addCopy(view, of: rows, .float32, count: shape.reduce(1, *), to: output.storage)
  }
}
