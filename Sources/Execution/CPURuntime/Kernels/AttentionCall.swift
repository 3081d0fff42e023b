import Bytes
import GraphIR
import LayerCatalog

/// An attention as products of matrices: one for each head of each element of the batch.
struct AttentionCall {
  /// How many matrices there are.
  let count: Int
  /// The queries of a matrix: the rows of its scores.
  let queries: Int
  /// The keys and values of a matrix: the columns of its scores.
  let keys: Int
  /// The features of a query and of a key.
  let features: Int
  /// The features of a value.
  let width: Int
  /// The products of queries and keys.
  private let scores: MatrixCall
  /// The products of shares and values.
  private let means: MatrixCall

  /// - Returns: `nil` when there is no primitive for this.
  init?(count: Int, queries: Int, keys: Int, features: Int, width: Int) {
    // The scores are no value of the graph, so that nobody else has checked their size.
    guard (try? Checked.product([count, queries, keys, 4], of: "the scores")) ?? .max < 1 << 48,
      let scores = MatrixCall(
        count: count, rows: queries, depth: features, columns: keys, transposeB: true),
      let means = MatrixCall(count: count, rows: queries, depth: keys, columns: width)
    else { return nil }
    (self.count, self.queries, self.keys) = (count, queries, keys)
    (self.features, self.width, self.scores, self.means) = (features, width, scores, means)
  }

  /// Memory for the scores, which become the shares: the group's second output where it has one.
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

  /// Adds what makes shares of the scores.
  ///
  /// - Parameters:
  ///   - scale: What the scores are multiplied by first.
  ///   - mask: `nil` without a mask.
  ///   - shape: The sizes of all scores, which the mask is repeated to.
  func addShares(
    to builder: inout PlanBuilder, _ scores: Storage, _ masking: AttentionMasking, scale: Double,
    mask: ValueID?, shape: [Int]
  ) {
    let shares = AttentionWeights(
      masking: masking, scale: Float(scale), queryCount: queries, keyCount: keys)
    let mask = mask.map { builder.arranged($0) { $0.broadcast(to: shape) } }
    let (rows, length) = (count * queries, keys)
    builder.add(
      .kernel(name: "attention_shares") { memory in
        // There are so many scores, as many elements of the mask, and no two rows overlap.
        nonisolated(unsafe) let start = memory[scores].assumingMemoryBound(to: Float.self)
        nonisolated(unsafe) let truths = mask.map {
          UnsafePointer(memory[$0].assumingMemoryBound(to: UInt8.self))
        }
        Threads.parallel(rows: rows, length: length) { row in
          shares.apply(
            to: UnsafeMutableBufferPointer(start: start + row * length, count: length),
            number: row,
            mask: truths.map { UnsafeBufferPointer(start: $0 + row * length, count: length) })
        }
      }, using: [scores] + (mask.map { [$0] } ?? []))
  }

  /// Adds the means of the values, `[count, keys, width]`, and the group's output of them.
  ///
  /// - Parameters:
  ///   - shape: The sizes of the means.
  ///   - order: Which axis of the output each of these is.
  func addMeans(
    to builder: inout PlanBuilder, _ shares: Storage, _ value: Storage, for group: NodeGroup,
    shape: [Int], order: [Int]
  ) {
    if order == Array(order.indices) {
      let output = builder.makeTensor(group.outputs[0])
      return means.add(to: &builder, shares, value, into: output.storage)
    }
    let rows = builder.addScratch(byteCount: shape.reduce(MemoryLayout<Float>.stride, *))
    means.add(to: &builder, shares, value, into: rows)
    let output = builder.makeTensor(group.outputs[0])
    let view = StridedView(shape).permuted(order.inversePermutation)
    builder.addCopy(view, of: rows, .float32, count: shape.reduce(1, *), to: output.storage)
  }
}
