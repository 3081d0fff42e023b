import Bytes
import GraphIR
import JSON
import KerasFormat

/// Keras: `IntegerLookup(num_oov_indices=1, output_mode="int")`, whose vocabulary is in the
/// settings unless `adapt` found it.
extension IndexLookup {
  package static let keras = SourceMapping.mapped(
    KerasMapping(layers: [
      "IntegerLookup": { (layer, inputs) throws(WeighbridgeError) in
        try layer.addLookup(of: try layer.onlyInput(inputs))
      }
    ]))
}

extension KerasLayer {
  fileprivate mutating func addLookup(
    of input: ValueID
  ) throws(WeighbridgeError) -> [ValueID] {
    try require("invert", toBe: false, because: "only indices can be made of numbers")
    try require("sparse", toBe: false, because: "sparse tensors cannot be had")
    try require("vocabulary_dtype", toBe: "int64", because: "Keras writes no other")
    try require("oov_method", toBe: "floormod", because: "hashes of texts cannot be had")
    try require("salt", toBe: .null, because: "hashes of texts cannot be had")
    try require("idf_weights", toBe: .null, because: "weighted counts cannot be had")
    try require("has_input_vocabulary", toBe: true, because: "its vocabulary is not in the file")
    try require("dtype", toBe: "int64", because: "indices are int64")
    guard let written = take("vocabulary") else {
      throw WeighbridgeError(
        .unsupported,
        "its vocabulary is not in the settings, where only one that `adapt` did "
          + "not find stands")
    }
    guard let list = written.array, case let numbers = list.compactMap(\.integer),
      numbers.count == list.count
    else { throw wrong("vocabulary", written, "a list of whole numbers") }
    let mode = take("output_mode") ?? "int"
    let (operation, depth) = try lookup(numbers, isIndex: mode == "int")
    if mode == "int" { return try add(operation, [input]) }
    guard let encoding = mode.string.flatMap(CategoryEncoding.Mode.init(rawValue:)) else {
      throw wrong("output_mode", mode, "int, one_hot, multi_hot, count")
    }
    let indices = try add(operation, [input], role: "indices")
    // Keras 3 counts in whole numbers.
    let isWhole = version.major >= 3
    let output = try addEncoding(
      of: indices[0], categories: depth, encoding, dropsOthers: true,
      role: isWhole ? "encoding" : "")
    return isWhole ? try add(Cast(to: .int64), output) : output
  }

  /// The operator, and how many indices there are.
  private mutating func lookup(
    _ written: [Int], isIndex: Bool
  ) throws(WeighbridgeError) -> (IndexLookup, depth: Int) {
    let mask = take("mask_token").map(\.integer)
    let others = try integer("num_oov_indices", default: 1)
    let other = try integer("oov_token", default: -1)
    let hasMaskIndex = mask != nil && isIndex
    guard (0...1 << 20).contains(others), mask != .some(nil) else {
      throw WeighbridgeError(.malformed, "num_oov_indices=\(others), or a mask that is no number")
    }
    let first = others + (hasMaskIndex ? 1 : 0)
    let special = (hasMaskIndex ? [mask ?? nil] : []) + [Int?](repeating: other, count: others)
    let isRepeated = written.prefix(first).map(Optional.some) == special
    let vocabulary = isRepeated ? Array(written.dropFirst(first)) : written
    var exceptions: [Int: Int] = [:]
    // Without an index of its own, a masked number is left out.
    if let mask, let mask { exceptions[mask] = hasMaskIndex ? 0 : -1 }
    let operation = IndexLookup(
      vocabulary: vocabulary, firstIndex: first, otherCount: others, exceptions: exceptions)
    if let problem = operation.problem { throw WeighbridgeError(.malformed, problem) }
    let size = first + vocabulary.count
    try require("vocabulary_size", toBe: .integer(size), because: "it is another here: \(size)")
    let most = take("max_tokens")?.integer
    let isPadded = try flag("pad_to_max_tokens", default: false)
    return (operation, isPadded ? most ?? size : size)
  }
}
