package import Bytes
package import GraphIR

/// The bucket for the combination of the numbers at the same position of several tensors, by a hash
/// of all of them (as in TensorFlow's feature crosses).
///
/// - inputs: two or more of the same shape, numbers of any type, truncated to integers
/// - output: the same shape, int64
package struct HashedCrossing: ExactOperator, PrimitiveOperator {
  /// The number of buckets, 1 to 2^52.
  package let buckets: Int

  package static let kind = "hashed_crossing"
  package static let version = 1

  package static let declaration = OperatorDeclaration<Self>(
    """
    shift(v) = v xor (v >> 47), with unsigned 64-bit integers, as all that follows
    combine(h, v): f = 0xc6a4a7935bd1e995; m = ((h xor f) xor shift(v * f) * f) * f
      combine(h, v) = shift(shift(m) * f)
    h = 0xDECAFCAFFE; for each input: h = combine(h, x as 64-bit two's complement)
    y = h mod num_bins
    """,
    inputs: [.variadic("input", .any, isMixed: true)],
    outputs: [.of(.int64)],
    attributes: AttributeSchema(
      Self.init(buckets:),
      .integer("num_bins", \.buckets, "The number of bins.", .atLeast(1), .atMost(Double(1 << 52)))),
    concepts: [.indices])

  /// Creates the operator.
  package init(buckets: Int) { self.buckets = buckets }
}

extension HashedCrossing {
  package func outputTypes(of inputs: [TensorType]) throws(ShapeError) -> [TensorType] {
    var shape = inputs[0].shape
    for input in inputs {
      guard input.rank == shape.count, zip(shape, input.shape).allSatisfy({ $0.agrees(with: $1) })
      else { throw ShapeError("the inputs have different shapes: \(shape) and \(input)") }
      shape = zip(shape, input.shape).map { $0.merged(with: $1) }
    }
    return [TensorType(.int64, shape)]
  }

  package func evaluate(
    _ inputs: [Tensor], workers: Workers
  ) throws(WeighbridgeError) -> [Tensor] {
    let shape = try outputShape(of: inputs)
    var hashes = [UInt64](repeating: 0xDE_CAFC_AFFE, count: shape.reduce(1, *))
    for input in inputs {
      for (index, number) in try input.truncatedIntegers().enumerated() {
        hashes[index] = FarmHash.combined(hashes[index], UInt64(bitPattern: Int64(number)))
      }
    }
    return [Tensor(.int64, shape: shape, hashes.map { Double($0 % UInt64(buckets)) })]
  }

  package func permutingAxes(_ axes: [Int]) -> HashedCrossing? { self }
}
