package import Bytes
package import GraphIR

/// For each number a bucket by the hash of its decimal text, for example `-12`: the fingerprint of
/// FarmHash (Pike 2014) without its sign, modulo the number of buckets.
///
/// - input: any shape, numbers of any type, of which the whole parts count
/// - output: the same shape, int64
///
/// Where there is a masked number, it has the bucket 0 for itself, and the others have those behind.
package struct Hashing: CatalogOperator {
  /// How many buckets there are in all, 1 to 2^52, and at least 2 where a number is masked.
  package let buckets: Int
  /// The number that has the bucket 0 for itself; none, or one.
  package let masked: [Int]

  package static let kind = "hashing"
  package static let version = 1

  package var inputs: [InputSlot] { [.data("input")] }

  package var attributes: Attributes {
    ["num_bins": .integer(buckets), "mask_value": .integers(masked)]
  }

  /// Makes the operator.
  package init(buckets: Int, masked: [Int]) {
    self.buckets = buckets
    self.masked = masked
  }

  /// Why such settings cannot be, if they cannot.
  package var problem: String? {
    masked.count <= 1 && (1 + masked.count...1 << 52).contains(buckets)
      ? nil : "\(buckets) buckets and \(masked.count) masked numbers"
  }
}

extension Hashing {
  package init(reading attributes: inout AttributeReader) throws(WeighbridgeError) {
    buckets = try attributes.integer("num_bins")
    masked = try attributes.integers("mask_value")
    if let problem { throw attributes.malformed(problem) }
  }

  package func outputTypes(of inputs: [TensorType]) throws(ShapeError) -> [TensorType] {
    [TensorType(.int64, inputs[0].shape)]
  }

  package func evaluate(
    _ inputs: [Tensor], workers: Workers
  ) throws(WeighbridgeError) -> [Tensor] {
    let own = UInt64(buckets - masked.count)
    let indices = try inputs[0].wholeNumbers().map { number in
      if masked.contains(number) { return 0.0 }
      let hash = FarmHash.fingerprint(of: Array(String(number).utf8))
      return Double(hash % own) + Double(masked.count)
    }
    return [Tensor(.int64, shape: inputs[0].shape, indices)]
  }

  package var tolerance: Tolerance { Tolerance(absolute: 0, relative: 0) }

  package func permutingAxes(_ axes: [Int]) -> Hashing? { self }

  package var decomposition: Decomposition { .primitive }
}
