import Bytes
import ConversionCore
import CoreMLFormat
import GraphIR
import LayerCatalog
import ProtobufWire

/// Elements by their places, and places of elements.
enum CoreMLIndexing {
  static let rows: [CoreMLRow] = [
    CoreMLRow(Gather.self) { (operation, builder) throws(WeighbridgeError) in
      let inputs = try builder.allInputs()
      guard operation.batchAxes > 0 else {
        return try builder.add("gather", inputs, ["axis": .integer(operation.axis)])
      }
      let batch = Array(0..<operation.batchAxes)
      guard try builder.dimensions(builder.type()).prefix(batch.count).allSatisfy({ $0 == 1 })
      else {
        throw WeighbridgeError(.unsupported, "Core ML does not gather in batches")
      }
      let parts = [
        try builder.squeeze(inputs[0], batch), try builder.squeeze(inputs[1], batch),
      ]
      let part = try builder.add(
        "gather", parts, ["axis": .integer(operation.axis - batch.count)])
      return try builder.expandDims(part, batch)
    },
    CoreMLRow(GatherElements.self, is: "gatherAlongAxis") { ["axis": .integer($0.axis)] },
    CoreMLRow(outputsOf: Sort.self) { (operation, builder) throws(WeighbridgeError) in
      let count = try builder.dimensions(builder.outputType)[operation.axis]
      return try builder.add(
        "topK", [try builder.input()],
        [
          "axis": .integer(operation.axis), "K": .integer(count),
          "useBottomK": .boolean(!operation.isDescending),
        ], outputCount: 2)
    },
    CoreMLRow(ArgMax.self, is: "argMax", settings),
    CoreMLRow(ArgMin.self, is: "argMin", settings),
    CoreMLRow(OneHot.self) { (operation, builder) throws(WeighbridgeError) in
      var shape = [Int](repeating: 1, count: builder.type().rank + 1)
      shape[operation.axis] = operation.depth
      let places = try builder.numbers((0..<operation.depth).map(Double.init), shape: shape)
      let hits = try builder.add(
        "equal", [try builder.expandDims(try builder.input(), [operation.axis]), places])
      return try builder.linear(
        hits, scale: operation.on - operation.off, offset: operation.off)
    },
    CoreMLRow(Discretization.self) { (operation, builder) throws(WeighbridgeError) in
      let rank = builder.type().rank
      let column = try builder.expandDims(try builder.input(), [rank])
      let shape = [Int](repeating: 1, count: rank) + [operation.boundaries.count]
      let isPassed = try builder.add(
        "greaterEqual", [column, try builder.numbers(operation.boundaries, shape: shape)])
      return try builder.reduce("reduceSum", isPassed, [rank], keeps: false)
    },
    CoreMLRow(CategoryEncoding.self) { (operation, builder) throws(WeighbridgeError) in
      try builder.categories(operation)
    },
    CoreMLRow(IndexLookup.self) { (operation, builder) throws(WeighbridgeError) in
      try builder.places(operation)
    },
    CoreMLRow(Hashing.self, unsupported: "Core ML's networks have no texts"),
    CoreMLRow(HashedCrossing.self, unsupported: "Core ML has no hashes"),
    CoreMLRow(
      NonMaxSuppression.self,
      unsupported: "Core ML chooses among boxes behind a network, not in it"
    ),
    CoreMLRow(STFT.self, unsupported: "Core ML's networks have no Fourier transform"),
  ]

  /// The settings of a layer that finds the position of an extreme element.
  @Sendable private static func settings(_ operation: some ArgumentReduction) -> ProtobufRecord {
    ["axis": .integer(operation.axis), "removeDim": .boolean(!operation.keepDims)]
  }
}

extension CoreMLNetworkBuilder {
  /// The whole parts of the first input's elements.
  mutating func wholeInput() throws(WeighbridgeError) -> String {
    type().elementType.isFloat ? try truncate(try input()) : try input()
  }

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
    let counts = try hits(try wholeInput(), rank: rank, Array(0..<operation.categories))
    guard operation.countsTokens else {
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
    let (x, rank) = (try wholeInput(), type().rank)
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
    guard operation.oovCount > 0 else { return place }
    let isKnown = try reduce("reduceMax", hits, [rank], keeps: false)
    let remainder = try add(
      "modBroadcastable", [x, try number(Double(operation.oovCount))])
    let first = Double(operation.firstIndex - operation.oovCount)
    return try choose(isKnown, place, try linear(remainder, offset: first))
  }
}
