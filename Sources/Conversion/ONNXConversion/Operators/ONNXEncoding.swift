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
    ONNXRow(formula: CategoryEncoding.self) { (operation, make) throws(WeighbridgeError) in
      try operation.counts(&make, checksRange: true)
    },
    ONNXRow(IndexLookup.self) { (operation, builder) throws(WeighbridgeError) in
      builder.places(operation)
    },
    ONNXRow(Hashing.self, unsupported: "ONNX has no hashes"),
    ONNXRow(HashedCrossing.self, unsupported: "ONNX has no hashes"),
  ]
}

extension ONNXGraphBuilder {
  /// Looks up indices in the vocabulary; a number that is not in it gets its remainder as index, or
  /// is an error when the model runs.
  fileprivate mutating func places(_ operation: IndexLookup) -> String {
    let rank = type().rank
    let known = operation.vocabulary.enumerated().map { ($1, operation.firstIndex + $0) }
    let special = operation.exceptions.sorted { $0.key < $1.key }
    let all =
      special.map { ($0.key, $0.value) }
      + known.filter { operation.exceptions[$0.0] == nil }
    let x = indices(0)
    let hits = cast(
      add("Equal", [unsqueeze(x, [rank]), integers(all.map(\.0))]), to: .int32)
    let place = add("ArgMax", [hits], ["axis": .integer(rank), "keepdims": .integer(0)])
    let isKnown = cast(reduce("ReduceMax", hits, [rank], keeps: false), to: .bool)
    let table = integers(all.map(\.1))
    guard operation.oovCount > 0 else {
      let end = number(Double(all.count), .int64)
      return add("Gather", [table, choose(isKnown, place, end)])
    }
    let remainder = add("Mod", [x, number(Double(operation.oovCount), .int64)])
    let first = number(Double(operation.firstIndex - operation.oovCount), .int64)
    return choose(isKnown, add("Gather", [table, place]), add("Add", [remainder, first]))
  }
}
