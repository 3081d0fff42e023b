package import Bytes
package import GraphIR

/// The bucket of each number, by a hash of its decimal representation, such as `-12`, modulo the number
/// of buckets: the unsigned FarmHash fingerprint (Pike 2014), or with a salt SipHash-2-4 (Aumasson and
/// Bernstein 2012).
///
/// - input: any shape, numbers of any type, truncated to integers
/// - output: the same shape, int64
///
/// If there is a masked number, bucket 0 is reserved for it, and the others use the remaining ones.
/// Version 2 has `salt`.
package struct Hashing: ExactOperator, PrimitiveOperator {
  /// The total number of buckets, 1 to 2^52, and at least 2 if a number is masked.
  package let buckets: Int
  /// The number for which bucket 0 is reserved; none, or one.
  package let masked: [Int]
  /// The two halves of the key of SipHash; `nil` for the fingerprint.
  package let salt: [Int]?

  package static let kind = "hashing"
  package static let version = 2
  package static let earliestVersion = 1

  package static let declaration = OperatorDeclaration<Self>(
    """
    y = 0 if x = mask_value[0]
    y = fingerprint(decimal digits of x, with - in front if negative) mod (num_bins - m) + m
      with m = 1 if there is a mask value, else 0
    With a salt, SipHash-2-4 of the digits with the key salt[0], salt[1] takes the fingerprint's place.
    fingerprint(b), of n bytes b[0], ..., b[n - 1], with unsigned 64-bit integers that wrap:
      k0 = 0xc3a5c85c97cb3127, k1 = 0xb492b66fbe98f273, k2 = 0x9ae16a3b2f90404f, f = k2 + 2 * n
      u32(i), u64(i) = the 4 or 8 bytes from b[i] on, the least significant first
      shift(v) = v xor (v >> 47); turn(v, r) = (v >> r) | (v << (64 - r))
      mix(p, q) = shift((q xor h) * f) * f, with h = shift((p xor q) * f)
      n <= 3: shift((b[0] + (b[floor(n / 2)] << 8)) * k2 xor (n + (b[n - 1] << 2)) * k0) * k2
      n <= 7: mix(n + (u32(0) << 3), u32(n - 4))
      n <= 16: with p = u64(0) + k2 and q = u64(n - 8):
        mix(turn(q, 37) * f + p, (turn(p, 25) + q) * f)
      more: with p = u64(0) * k1, q = u64(8), r = u64(n - 8) * f and s = u64(n - 16) * k2:
        mix(turn(p + q, 43) + turn(r, 30) + s, p + turn(q + k2, 18) + r)
    """,
    inputs: [.data("input", .any)],
    outputs: [.of(.int64)],
    attributes: AttributeSchema(
      Self.init(buckets:masked:salt:),
      .integer(
        "num_bins", \.buckets, "The number of bins, including that of the mask value.", .atLeast(1),
        .atMost(Double(1 << 52)), .rule("at least 2 where there is a mask value")),
      .integers(
        "mask_value", \.masked, "The number for which bin 0 is reserved; at most one.",
        .maximumCount(1)),
      .integers(
        "salt", \.salt, "The two halves of the key of SipHash-2-4, as 64-bit two's complement.",
        .minimumCount(2), .maximumCount(2), presence: .optional("the fingerprint, which has no key")
      )
    ).checked {
      $0.buckets > $0.masked.count
        ? nil : "num_bins is \($0.buckets), too few with a mask_value"
    },
    concepts: [.indices])

  /// Creates the operator.
  package init(buckets: Int, masked: [Int], salt: [Int]? = nil) {
    self.buckets = buckets
    self.masked = masked
    self.salt = salt
  }
}

extension Hashing {
  package func outputTypes(of inputs: [TensorType]) throws(ShapeError) -> [TensorType] {
    [TensorType(.int64, inputs[0].shape)]
  }

  package func evaluate(
    _ inputs: [Tensor], workers: Workers
  ) throws(WeighbridgeError) -> [Tensor] {
    let unmaskedBuckets = UInt64(buckets - masked.count)
    let key = salt.map { (UInt64(bitPattern: Int64($0[0])), UInt64(bitPattern: Int64($0[1]))) }
    let indices = try inputs[0].truncatedIntegers().map { number in
      if masked.contains(number) { return 0.0 }
      let digits = Array(String(number).utf8)
      let hash = key.map { SipHash.hash(of: digits, key: $0) } ?? FarmHash.fingerprint(of: digits)
      return Double(hash % unmaskedBuckets) + Double(masked.count)
    }
    return [Tensor(.int64, shape: inputs[0].shape, indices)]
  }

  package func permutingAxes(_ axes: [Int]) -> Hashing? { self }
}
