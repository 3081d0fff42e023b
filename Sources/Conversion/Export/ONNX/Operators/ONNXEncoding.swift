import Bytes
import GraphIR
import LayerCatalog
import ONNXFormat

/// Numbers as indices, and indices as vectors.
enum ONNXEncoding {
  static let rows: [ONNXRow] = [
    ONNXRow(Embedding.self) { (_, draft) throws(WeighbridgeError) in
      draft.add("Gather", [draft.input(1), draft.indices(0)])
    },
    ONNXRow(CategoryEncoding.self) { (operation, draft) throws(WeighbridgeError) in
      draft.categories(operation)
    },
    ONNXRow(Discretization.self) { (operation, draft) throws(WeighbridgeError) in
      let x = draft.cast(draft.input(), to: .float64)
      let rank = draft.type().rank
      let isBelow = draft.add(
        "Less", [draft.unsqueeze(x, [rank]), draft.numbers(operation.boundaries, .float64)])
      let counts = draft.cast(draft.add("Not", [isBelow]), to: operation.outputType)
      return draft.reduce("ReduceSum", counts, [rank], keeps: false)
    },
    ONNXRow(IndexLookup.self) { (operation, draft) throws(WeighbridgeError) in
      draft.places(operation)
    },
    ONNXRow(TextHash.self, unsupported: "ONNX has no hashes"),
    ONNXRow(CrossedHash.self, unsupported: "ONNX has no hashes"),
    ONNXRow(OneHot.self) { (operation, draft) throws(WeighbridgeError) in
      var shape = [Int](repeating: 1, count: draft.type().rank + 1)
      shape[operation.axis] = operation.depth
      let places = (0..<operation.depth).map(Double.init)
      let hits = draft.add(
        "Equal",
        [
          draft.unsqueeze(draft.indices(0), [operation.axis]),
          draft.numbers(places, shape: shape, .int64),
        ])
      let type = operation.elementType
      guard type != .bool || operation.on != 1 || operation.off != 0 else { return hits }
      return draft.choose(
        hits, draft.number(operation.on, type), draft.number(operation.off, type))
    },
  ]
}

extension ONNXDraft {
  /// Indices of which one outside of `0..<count` is an error when the model runs.
  private mutating func checked(_ indices: String, below count: Int) -> String {
    let end = number(Double(count), .int64)
    let isNegative = add("Less", [indices, number(0, .int64)])
    return add("Gather", [integers(Array(0..<count)), choose(isNegative, end, indices)])
  }

  fileprivate mutating func categories(_ operation: CategoryEncoding) -> String {
    let rank = type().rank
    var places = indices(0)
    if !operation.dropsOthers { places = checked(places, below: operation.categories) }
    let hits = add(
      "Equal", [unsqueeze(places, [rank]), integers(Array(0..<operation.categories))])
    let counts = cast(hits, to: .float32)
    guard operation.isCounting else {
      return reduce("ReduceMax", counts, [rank - 1], keeps: false)
    }
    guard operation.isWeighted else {
      return reduce("ReduceSum", counts, [rank - 1], keeps: false)
    }
    let weights = cast(input(1), to: .float32)
    let weighted = add("Mul", [counts, unsqueeze(weights, [rank])])
    return reduce("ReduceSum", weighted, [rank - 1], keeps: false)
  }

  /// The place among all numbers that have one; what stands nowhere gets its remainder, or is an
  /// error when the model runs.
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
    guard operation.otherCount > 0 else {
      let end = number(Double(all.count), .int64)
      return add("Gather", [table, choose(isKnown, place, end)])
    }
    let remainder = add("Mod", [x, number(Double(operation.otherCount), .int64)])
    let first = number(Double(operation.firstIndex - operation.otherCount), .int64)
    return choose(isKnown, add("Gather", [table, place]), add("Add", [remainder, first]))
  }
}
