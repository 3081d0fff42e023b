import Bytes
import ConversionCore
import GraphIR
import LayerCatalog
import ONNXFormat

/// Numbers as indices, and indices as vectors.
enum ONNXEncoding {
  static let rows: [ONNXRow] = [
    ONNXRow(Embedding.self) { (_, builder) throws(WeighbridgeError) in
      builder.add("Gather", [builder.input(1), builder.indices(0)])
    },
    ONNXRow(CategoryEncoding.self) { (operation, builder) throws(WeighbridgeError) in
      builder.categories(operation)
    },
    ONNXRow(Discretization.self) { (operation, builder) throws(WeighbridgeError) in
      let x = builder.cast(builder.input(), to: .float64)
      let rank = builder.type().rank
      let isBelow = builder.add(
        "Less", [builder.unsqueeze(x, [rank]), builder.numbers(operation.boundaries, .float64)])
      let counts = builder.cast(builder.add("Not", [isBelow]), to: operation.outputType)
      return builder.reduce("ReduceSum", counts, [rank], keeps: false)
    },
    ONNXRow(IndexLookup.self) { (operation, builder) throws(WeighbridgeError) in
      builder.places(operation)
    },
    ONNXRow(Hashing.self, unsupported: "ONNX has no hashes"),
    ONNXRow(HashedCrossing.self, unsupported: "ONNX has no hashes"),
    ONNXRow(OneHot.self) { (operation, builder) throws(WeighbridgeError) in
      var shape = [Int](repeating: 1, count: builder.type().rank + 1)
      shape[operation.axis] = operation.depth
      let places = (0..<operation.depth).map(Double.init)
      let hits = builder.add(
        "Equal",
        [
          builder.unsqueeze(builder.indices(0), [operation.axis]),
          builder.numbers(places, shape: shape, .int64),
        ])
      let type = operation.elementType
      guard type != .bool || operation.on != 1 || operation.off != 0 else { return hits }
      return builder.choose(
        hits, builder.number(operation.on, type), builder.number(operation.off, type))
    },
  ]
}

extension ONNXGraphBuilder {
  /// Indices of which one outside of `0..<count` is an error when the model runs.
  private mutating func checked(_ indices: String, below count: Int) -> String {
    let end = number(Double(count), .int64)
    let isNegative = add("Less", [indices, number(0, .int64)])
    return add("Gather", [integers(Array(0..<count)), choose(isNegative, end, indices)])
  }

  fileprivate mutating func categories(_ operation: CategoryEncoding) -> String {
    let rank = type().rank
    var places = indices(0)
    if !operation.dropsOutOfRange { places = checked(places, below: operation.categories) }
    let hits = add(
      "Equal", [unsqueeze(places, [rank]), integers(Array(0..<operation.categories))])
    let counts = cast(hits, to: .float32)
    guard operation.countsTokens else {
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
    guard operation.oovCount > 0 else {
      let end = number(Double(all.count), .int64)
      return add("Gather", [table, choose(isKnown, place, end)])
    }
    let remainder = add("Mod", [x, number(Double(operation.oovCount), .int64)])
    let first = number(Double(operation.firstIndex - operation.oovCount), .int64)
    return choose(isKnown, add("Gather", [table, place]), add("Add", [remainder, first]))
  }
}
