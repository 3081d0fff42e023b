import Bytes
import ConversionCore
import GraphIR
import JSON
import KerasFormat
import LayerCatalog

/// Keras: `IntegerLookup(num_oov_indices=1, output_mode="int")`, whose vocabulary is in the settings
/// unless `adapt` found it; Keras 3 then has it in a file of the `.keras` archive, and an `.h5` has
/// none.
extension IndexLookup: KerasMapped {
  static let keras = KerasMapping([
    .plain("IntegerLookup", casts: .none) { (layer, inputs) throws(WeighbridgeError) in
      try layer.addLookup(of: try layer.onlyInput(inputs))
    }
  ])
  static let kerasRow = refusal("Keras keeps vocabularies in files of their own")
}

extension KerasLayer {
  fileprivate mutating func addLookup(
    of input: ValueID
  ) throws(WeighbridgeError) -> [ValueID] {
    try require("sparse", toBe: false, because: "sparse tensors are not supported")
    try require("vocabulary_dtype", toBe: "int64", because: "Keras writes no other")
    try require("oov_method", toBe: "floormod", because: "hashes of strings are not supported")
    try require("salt", toBe: .null, because: "hashes of strings are not supported")
    try require("has_input_vocabulary", toBe: true, because: "its vocabulary is not in the file")
    try require("dtype", toBe: "int64", because: "indices are int64")
    guard let written = take("vocabulary") else {
      throw .unsupported(
        "its vocabulary is not in the file: an .h5 has none that was learned by `adapt`; the model "
          + "saved as .keras by Keras 3 has it")
    }
    guard let list = written.array, case let numbers = list.compactMap(\.integer),
      numbers.count == list.count
    else { throw unexpected("vocabulary", written, "a list of whole numbers") }
    let mode = take("output_mode") ?? "int"
    if try flag("invert", default: false) { return try addInverseLookup(of: input, numbers, mode) }
    let (operation, depth) = try lookup(numbers, returnsIndices: mode == "int")
    if mode == "tf_idf" { return try addWeightedCounts(of: input, operation, depth) }
    try require("idf_weights", toBe: .null, because: "only output_mode=tf_idf has them")
    if mode == "int" { return try add(operation, [input]) }
    guard let encoding = mode.string.flatMap(CategoryEncoding.Mode.init(rawValue:)) else {
      throw unexpected("output_mode", mode, "int, one_hot, multi_hot, count, tf_idf")
    }
    let indices = try add(operation, [input], role: "indices")
    // Keras 3 counts in integers.
    let countsIntegers = version.major >= 3
    let output = try addEncoding(
      of: indices[0], categories: depth, encoding, dropsOutOfRange: true,
      role: countsIntegers ? "encoding" : "")
    return countsIntegers ? try add(Cast(to: .int64), output) : output
  }

  /// Adds the count of each index, times its inverse document frequency.
  private mutating func addWeightedCounts(
    of input: ValueID, _ lookup: IndexLookup, _ depth: Int
  ) throws(WeighbridgeError) -> [ValueID] {
    // What `adapt` learned is a weight only.
    let isLearned = unreadSettings["idf_weights"] ?? .null == .null && nextWeightShape != nil
    if isLearned { ignore("idf_weights") }
    let written = isLearned ? [] : try realList("idf_weights")
    let count = isLearned ? lookup.vocabulary.count : written.count
    guard count == lookup.vocabulary.count, count > 0, depth <= 1 << 24,
      depth >= lookup.firstIndex + count
    else {
      throw .malformed(
        "has \(count) idf_weights, and needs one for each of \(lookup.vocabulary.count) "
          + "numbers")
    }
    let indices = try add(lookup, [input], role: "indices")
    let counts = try addEncoding(
      of: indices[0], categories: depth, .count, dropsOutOfRange: true, role: "counts")
    let type = graph.type(of: counts[0])
    let shape = type.shape.dropLast().map { _ in 1 } + [depth]
    // Keras 2, and Keras' own files, also have them as a weight, which takes precedence.
    let row =
      version.major < 3 || nextWeightShape != nil
      ? try weight("idf_weights", shape: [depth], isTrainable: false) { $0.reshaped(shape) }
      : try constant(
        "idf_weights",
        Tensor(
          type.elementType, shape: shape,
          Self.documentFrequencies(written, first: lookup.firstIndex, depth)))
    return try add(Multiply(), counts + [row])
  }

  /// The inverse document frequencies of all indices: out-of-vocabulary indices have the mean of
  /// the others, and padding has 0.
  private static func documentFrequencies(
    _ written: [Double], first: Int, _ depth: Int
  ) -> [Double] {
    let mean = written.reduce(0, +) / Double(written.count)
    let padding = [Double](repeating: 0, count: depth - first - written.count)
    return [Double](repeating: mean, count: first) + written + padding
  }

  /// Adds the inverse lookup: the vocabulary's number for each index, and `oov_token` for all
  /// others.
  private mutating func addInverseLookup(
    of input: ValueID, _ written: [Int], _ mode: JSONValue
  ) throws(WeighbridgeError) -> [ValueID] {
    guard mode == "int" else { throw unexpected("output_mode", mode, "int, with invert=true") }
    ignore("idf_weights")
    let mask = unreadSettings["mask_token"]?.integer
    let oovToken = unreadSettings["oov_token"]?.integer ?? -1
    let (operation, _) = try lookup(written, returnsIndices: true)
    let reservedCount = operation.firstIndex - operation.oovCount
    let numbers =
      [oovToken] + [Int](repeating: mask ?? oovToken, count: reservedCount)
      + [Int](repeating: oovToken, count: operation.oovCount) + operation.vocabulary
    // The first number is for indices out of range.
    let known = IndexLookup(
      vocabulary: Array(0..<numbers.count - 1), firstIndex: 1, oovCount: 1, exceptions: [:])
    let indices = try add(known, [input], role: "indices")
    let table = try constant(
      "vocabulary", Tensor(wrapping: .int64, shape: [numbers.count], numbers.map { Int64($0) }))
    return try add(Gather(axis: 0), [table] + indices)
  }

  /// Returns the operator and the number of indices.
  private mutating func lookup(
    _ written: [Int], returnsIndices: Bool
  ) throws(WeighbridgeError) -> (IndexLookup, depth: Int) {
    let mask = take("mask_token").map(\.integer)
    let oovCount = try integer("num_oov_indices", default: 1)
    let oovToken = try integer("oov_token", default: -1)
    let hasMaskIndex = mask != nil && returnsIndices
    guard (0...1 << 20).contains(oovCount), mask != .some(nil) else {
      throw .malformed("num_oov_indices=\(oovCount), or a mask that is not a number")
    }
    let first = oovCount + (hasMaskIndex ? 1 : 0)
    let reserved =
      (hasMaskIndex ? [mask ?? nil] : []) + [Int?](repeating: oovToken, count: oovCount)
    let includesReserved = written.prefix(first).map(Optional.some) == reserved
    let vocabulary = includesReserved ? Array(written.dropFirst(first)) : written
    var exceptions: [Int: Int] = [:]
    // Without an index of its own, a masked number is dropped.
    if let mask, let mask { exceptions[mask] = hasMaskIndex ? 0 : -1 }
    let operation = IndexLookup(
      vocabulary: vocabulary, firstIndex: first, oovCount: oovCount, exceptions: exceptions)
    if let problem = operation.problem { throw .malformed(problem) }
    let size = first + vocabulary.count
    try require("vocabulary_size", toBe: .integer(size), because: "it is another here: \(size)")
    let maximumCount = take("max_tokens")?.integer
    let isPadded = try flag("pad_to_max_tokens", default: false)
    return (operation, isPadded ? maximumCount ?? size : size)
  }
}
