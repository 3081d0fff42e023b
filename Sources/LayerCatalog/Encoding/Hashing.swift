package import Bytes
package import GraphIR
import JSON
import KerasFormat

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
  var problem: String? {
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

  /// Keras: `Hashing(num_bins)`, of numbers and without a salt.
  package static let keras = SourceMapping.mapped(
    KerasMapping(layers: [
      "Hashing": { (layer, inputs) throws(WeighbridgeError) in
        let input = try layer.onlyInput(inputs)
        try layer.require("salt", toBe: .null, because: "salted hashes (SipHash) cannot be had")
        guard layer.version.major >= 3 || !layer.graph.type(of: input).elementType.isFloat else {
          throw WeighbridgeError(.malformed, "hashes whole numbers or texts only")
        }
        let bins = try layer.integer("num_bins")
        let mask = layer.take("mask_value")
        let masked = mask.flatMap(\.integer).map { [$0] } ?? []
        if let mask, masked.isEmpty { throw layer.wrong("mask_value", mask, "a whole number") }
        // One bucket is for all.
        let operation = Hashing(buckets: bins, masked: bins > 1 ? masked : [])
        if let problem = operation.problem { throw WeighbridgeError(.malformed, problem) }
        return try layer.addHash(operation, [input], bins)
      }
    ]))
}

extension KerasLayer {
  /// Adds a hash, and its encoding where the setting `output_mode` asks for one.
  mutating func addHash(
    _ operation: some CatalogOperator, _ inputs: [ValueID], _ bins: Int
  ) throws(WeighbridgeError) -> [ValueID] {
    try require("sparse", toBe: false, because: "sparse tensors cannot be had")
    let mode = take("output_mode") ?? "int"
    if mode == "int" {
      let type = take("dtype")?.string.flatMap(ElementType.init(rawValue:)) ?? .int64
      let isCast = type != .int64
      let outputs = try add(operation, inputs, role: isCast ? "indices" : "")
      return isCast ? try add(Cast(to: type), outputs) : outputs
    }
    guard let encoding = mode.string.flatMap(CategoryEncoding.Mode.init(rawValue:)) else {
      throw wrong("output_mode", mode, "int, one_hot, multi_hot, count")
    }
    let indices = try add(operation, inputs, role: "indices")
    return try addEncoding(of: indices[0], categories: bins, encoding)
  }
}
