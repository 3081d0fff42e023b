import Bytes
import ConversionCore
import GraphIR
import LayerCatalog
import ONNXFormat

/// Embeddings and encodings of indices.
enum ONNXEncoding: ONNXFamily {
  static let rows: [ONNXRow] = [
    ONNXRow(Embedding.self) { (_, builder) throws(WeighbridgeError) in
      builder.add("Gather", [builder.input(1), builder.indices(0)])
    },
    ONNXRow(IndexLookup.self) { (operation, builder) throws(WeighbridgeError) in
      builder.lookUpIndices(operation)
    },
    ONNXRow(Hashing.self, unsupported: "hashes its input, and ONNX can compute with numbers only"),
    ONNXRow(
      HashedCrossing.self, unsupported: "hashes its input, and ONNX can compute with numbers only"),
  ]
}

extension ONNXGraphBuilder {
  /// Looks up the index of each number; the index of a number outside the vocabulary comes from its
  /// remainder modulo the number of out-of-vocabulary indices. Without those, it is an error when
  /// the model runs.
  fileprivate mutating func lookUpIndices(_ operation: IndexLookup) -> String {
    let rank = type().rank
    let vocabulary = operation.vocabulary.enumerated().map { ($1, operation.firstIndex + $0) }
    let exceptions = operation.exceptions.sorted { $0.key < $1.key }
    let entries =
      exceptions.map { ($0.key, $0.value) }
      + vocabulary.filter { operation.exceptions[$0.0] == nil }
    let x = indices(0)
    let matches = cast(
      add("Equal", [unsqueeze(x, [rank]), integers(entries.map(\.0))]), to: .int32)
    let position = add("ArgMax", [matches], ["axis": .integer(rank), "keepdims": .integer(0)])
    let isKnown = cast(reduce("ReduceMax", matches, [rank], keepDims: false), to: .bool)
    let table = integers(entries.map(\.1))
    guard operation.oovCount > 0 else {
      let outOfRange = number(Double(entries.count), .int64)
      return add("Gather", [table, select(isKnown, position, outOfRange)])
    }
    let remainder = add("Mod", [x, number(Double(operation.oovCount), .int64)])
    let first = number(Double(operation.firstIndex - operation.oovCount), .int64)
    return select(isKnown, add("Gather", [table, position]), add("Add", [remainder, first]))
  }
}
