import Bytes
import CoreMLFormat
import GraphIR
import LayerCatalog
import ProtobufWire

/// Elements by their places, and places of elements.
enum CoreMLIndexing {
  static let rows: [CoreMLRow] = [
    CoreMLRow(Gather.self) { (operation, draft) throws(WeighbridgeError) in
      let inputs = try draft.allInputs()
      guard operation.batchAxes > 0 else {
        return try draft.add("gather", inputs, ["axis": .integer(operation.axis)])
      }
      let batch = Array(0..<operation.batchAxes)
      guard try draft.extents(draft.type()).prefix(batch.count).allSatisfy({ $0 == 1 }) else {
        throw WeighbridgeError(.unsupported, "Core ML does not gather in batches")
      }
      let parts = [
        try draft.squeeze(inputs[0], batch), try draft.squeeze(inputs[1], batch),
      ]
      let part = try draft.add(
        "gather", parts, ["axis": .integer(operation.axis - batch.count)])
      return try draft.expandDims(part, batch)
    },
    CoreMLRow(GatherElements.self) { (operation, draft) throws(WeighbridgeError) in
      try draft.add(
        "gatherAlongAxis", try draft.allInputs(), ["axis": .integer(operation.axis)])
    },
    CoreMLRow(outputsOf: Sort.self) { (operation, draft) throws(WeighbridgeError) in
      let count = try draft.extents(draft.outputType)[operation.axis]
      return try draft.add(
        "topK", [try draft.input()],
        [
          "axis": .integer(operation.axis), "K": .integer(count),
          "useBottomK": .boolean(!operation.isDescending),
        ], outputCount: 2)
    },
    CoreMLRow(ExtremeIndex.self) { (operation, draft) throws(WeighbridgeError) in
      try draft.add(
        operation.isMaximum ? "argMax" : "argMin", [try draft.input()],
        ["axis": .integer(operation.axis), "removeDim": .boolean(!operation.keepsAxis)])
    },
    CoreMLRow(OneHot.self) { (operation, draft) throws(WeighbridgeError) in
      var shape = [Int](repeating: 1, count: draft.type().rank + 1)
      shape[operation.axis] = operation.depth
      let places = try draft.numbers((0..<operation.depth).map(Double.init), shape: shape)
      let hits = try draft.add(
        "equal", [try draft.expandDims(try draft.input(), [operation.axis]), places])
      return try draft.linear(
        hits, scale: operation.on - operation.off, offset: operation.off)
    },
    CoreMLRow(Discretization.self) { (operation, draft) throws(WeighbridgeError) in
      let rank = draft.type().rank
      let column = try draft.expandDims(try draft.input(), [rank])
      let shape = [Int](repeating: 1, count: rank) + [operation.boundaries.count]
      let isPassed = try draft.add(
        "greaterEqual", [column, try draft.numbers(operation.boundaries, shape: shape)])
      return try draft.reduce("reduceSum", isPassed, [rank], keeps: false)
    },
    CoreMLRow(CategoryEncoding.self) { (operation, draft) throws(WeighbridgeError) in
      try draft.categories(operation)
    },
    CoreMLRow(IndexLookup.self) { (operation, draft) throws(WeighbridgeError) in
      try draft.places(operation)
    },
    CoreMLRow(TextHash.self, unsupported: "Core ML's networks have no texts"),
    CoreMLRow(CrossedHash.self, unsupported: "Core ML has no hashes"),
  ]
}

extension CoreMLDraft {
  /// Whether each element is one of some numbers, along a new last axis.
  private mutating func hits(
    _ input: String, rank: Int, _ numbers: [Int]
  ) throws(WeighbridgeError) -> String {
    let shape = [Int](repeating: 1, count: rank) + [numbers.count]
    let others = try self.numbers(numbers.map(Double.init), shape: shape)
    return try add("equal", [try expandDims(input, [rank]), others])
  }

  fileprivate mutating func categories(
    _ operation: CategoryEncoding
  ) throws(WeighbridgeError) -> String {
    let rank = type().rank
    let counts = try hits(try input(), rank: rank, Array(0..<operation.categories))
    guard operation.isCounting else {
      return try reduce("reduceMax", counts, [rank - 1], keeps: false)
    }
    guard operation.isWeighted else {
      return try reduce("reduceSum", counts, [rank - 1], keeps: false)
    }
    let weighted = try product(counts, try expandDims(try input(1), [rank]))
    return try reduce("reduceSum", weighted, [rank - 1], keeps: false)
  }

  /// The place among all numbers that have one; what stands nowhere gets its remainder.
  fileprivate mutating func places(
    _ operation: IndexLookup
  ) throws(WeighbridgeError) -> String {
    let (x, rank) = (try input(), type().rank)
    let own = operation.vocabulary.enumerated().map { ($1, operation.firstIndex + $0) }
    let all =
      operation.exceptions.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
      + own.filter { operation.exceptions[$0.0] == nil }
    guard all.allSatisfy({ abs($0.0) < 1 << 24 && abs($0.1) < 1 << 24 }) else {
      throw WeighbridgeError(.unsupported, "Core ML holds whole numbers below 2^24 only")
    }
    let hits = try hits(x, rank: rank, all.map(\.0))
    let shape = [Int](repeating: 1, count: rank) + [all.count]
    let places = try numbers(all.map { Double($0.1) }, shape: shape)
    let place = try reduce("reduceSum", try product(hits, places), [rank], keeps: false)
    guard operation.otherCount > 0 else { return place }
    let isKnown = try reduce("reduceMax", hits, [rank], keeps: false)
    let remainder = try add(
      "modBroadcastable", [x, try number(Double(operation.otherCount))])
    let first = Double(operation.firstIndex - operation.otherCount)
    return try choose(isKnown, place, try linear(remainder, offset: first))
  }
}
