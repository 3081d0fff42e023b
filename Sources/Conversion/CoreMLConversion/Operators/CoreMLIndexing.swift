import Bytes
import ConversionCore
import CoreMLFormat
import GraphIR
import LayerCatalog
import ProtobufWire

/// Gathering, sorting, lookups, and constant tensors.
enum CoreMLIndexing: CoreMLFamily {
  static let rows: [CoreMLRow] = [
    CoreMLRow(Gather.self) { (operation, builder) throws(WeighbridgeError) in
      let inputs = try builder.allInputs()
      guard operation.batchAxes > 0 else {
        return try builder.add("gather", inputs, ["axis": .integer(operation.axis)])
      }
      let batch = Array(0..<operation.batchAxes)
      guard try builder.dimensions(builder.type()).prefix(batch.count).allSatisfy({ $0 == 1 })
      else {
        throw .unsupported("Core ML does not gather in batches")
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
    CoreMLRow(formula: CategoryEncoding.self) { (operation, make) throws(WeighbridgeError) in
      try operation.counts(&make, checksRange: false)
    },
    CoreMLRow(IndexLookup.self) { (operation, builder) throws(WeighbridgeError) in
      try builder.places(operation)
    },
    CoreMLRow(Hashing.self, unsupported: "Core ML's networks have no texts"),
    CoreMLRow(HashedCrossing.self, unsupported: "Core ML has no hashes"),
    CoreMLRow(
      NonMaxSuppression.self,
      unsupported: "Core ML has non-maximum suppression only as a model after the network"
    ),
    CoreMLRow(STFT.self, unsupported: "Core ML's networks have no Fourier transform"),
  ]

  /// The settings of a layer that finds the position of a maximum or minimum.
  @Sendable private static func settings(_ operation: some ArgumentReduction) -> ProtobufRecord {
    ["axis": .integer(operation.axis), "removeDim": .boolean(!operation.keepDims)]
  }

  static let nodes: [String: CoreMLCall.Build] = [
    "embedding": { (call) throws(WeighbridgeError) in [try call.embedding()] },
    "embeddingND": { (call) throws(WeighbridgeError) in [try call.embeddingND()] },
    "gather": { (call) throws(WeighbridgeError) in
      let (blob, indices) = try call.pair()
      let operation = Gather(axis: try call.position(of: blob))
      return [try call.exact(call.add(operation, [call.whole(blob), call.indices(indices)]))]
    },
    "gatherAlongAxis": { (call) throws(WeighbridgeError) in
      let (blob, indices) = try call.pair()
      let operation = GatherElements(axis: try call.position(of: blob))
      return [try call.exact(call.add(operation, [call.whole(blob), call.indices(indices)]))]
    },
    "topK": { (call) throws(WeighbridgeError) in
      let blob = try call.input()
      let (axis, count) = (try call.position(of: blob), call.integer("K"))
      return try call.sort(blob, axis, isDescending: !call.flag("useBottomK"), count: count)
    },
    "argSort": { (call) throws(WeighbridgeError) in
      let blob = try call.input()
      let axis = try call.position(of: blob)
      return [
        try call.sort(blob, axis, isDescending: call.flag("descending"), count: nil)[1]
      ]
    },
    "oneHot": { (call) throws(WeighbridgeError) in [try call.oneHot()] },
    "fillLike": { (call) throws(WeighbridgeError) in
      let number = call.real("value")
      return [try call.each(FullLike(number: number))]
    },
    "fillStatic": { (call) throws(WeighbridgeError) in
      let shape = call.integers("targetShape")
      guard shape.count <= 5, !shape.isEmpty, shape.allSatisfy({ $0 > 0 }) else {
        throw call.malformed("has the target \(shape)")
      }
      let one = try call.constant("value", shape: shape.map { _ in 1 }, [call.real("value")])
      return [try call.exact(call.add(BroadcastTo(target: shape), [one]))]
    },
  ]
}

extension CoreMLNetworkBuilder {
  /// Truncates the first input's elements to whole numbers.
  mutating func wholeInput() throws(WeighbridgeError) -> String {
    type().elementType.isFloat ? try truncate(try input()) : try input()
  }

  /// Looks up the index of each value; a value outside the vocabulary gets its remainder.
  fileprivate mutating func places(
    _ operation: IndexLookup
  ) throws(WeighbridgeError) -> String {
    let (x, rank) = (try wholeInput(), type().rank)
    let own = operation.vocabulary.enumerated().map { ($1, operation.firstIndex + $0) }
    let all =
      operation.exceptions.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
      + own.filter { operation.exceptions[$0.0] == nil }
    guard all.allSatisfy({ abs($0.0) < 1 << 24 && abs($0.1) < 1 << 24 }) else {
      throw .unsupported("Core ML holds whole numbers below 2^24 only")
    }
    let shape = [Int](repeating: 1, count: rank) + [all.count]
    let known = try numbers(all.map { Double($0.0) }, shape: shape)
    let hits = try add("equal", [try expandDims(x, [rank]), known])
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

extension CoreMLCall {
  /// Converts a tensor's elements to integers.
  fileprivate mutating func indices(_ blob: CoreMLBlob) throws(WeighbridgeError) -> ValueID {
    let value = try whole(blob)
    return type(value).elementType.isFloat
      ? try add(Cast(to: .int32), [value], role: "indices") : value
  }

  /// Adds an embedding; Core ML's tables have a column for each index.
  private mutating func look(
    _ value: ValueID, count: Int, features: Int
  ) throws(WeighbridgeError) -> ValueID {
    let columns = try tensor("weights", shape: [features, count])
    let table = try addWeight("table", columns.permuted([1, 0]))
    guard flag("hasBias") else {
      ignore("bias")
      return try add(Embedding(), [value, table])
    }
    let rows = try add(Embedding(), [value, table], role: "rows")
    let shape = [Int](repeating: 1, count: type(rows).rank - 1) + [features]
    let bias = try tensor("bias", shape: [features]).reshaped(shape)
    return try add(Add(), [rows, addWeight("bias", bias)])
  }

  /// Indices `[sequence, batch, 1, 1, 1]` or `[batch, 1, 1, 1]`.
  fileprivate mutating func embedding() throws(WeighbridgeError) -> CoreMLBlob {
    let blob = try input()
    let outer: [CoreMLAxis] = blob.axes.contains(.sequence) ? [.sequence, .batch] : [.batch]
    let rows = try look(
      try value(blob, outer), count: integer("inputDim"), features: integer("outputChannels"))
    return CoreMLBlob(rows, outer + [.channel], rank: blob.rank)
  }

  /// Indices with a last axis of size 1, which the features replace.
  fileprivate mutating func embeddingND() throws(WeighbridgeError) -> CoreMLBlob {
    let blob = try input()
    guard blob.rank >= 2 else { throw malformed("takes indices with one axis") }
    let outer = Array(blob.allAxes.dropLast())
    let rows = try look(
      try value(blob, outer), count: integer("vocabSize"), features: integer("embeddingSize"))
    return CoreMLBlob(rows, outer + [.width], rank: blob.rank)
  }

  fileprivate mutating func sort(
    _ blob: CoreMLBlob, _ axis: Int, isDescending: Bool, count: Int?
  ) throws(WeighbridgeError) -> [CoreMLBlob] {
    let operation = Sort(
      axis: axis, isDescending: isDescending, count: count == 0 ? nil : count)
    let results = try addAll(operation, [whole(blob)])
    return [try exact(results[0]), try exact(try number(results[1]))]
  }

  fileprivate mutating func oneHot() throws(WeighbridgeError) -> CoreMLBlob {
    let blob = try input()
    let written = integer("axis")
    let axis = written < 0 ? written + blob.rank + 1 : written
    guard (0...blob.rank).contains(axis) else { throw malformed("has the axis \(written)") }
    let operation = OneHot(
      axis: axis, depth: integer("oneHotVectorSize"), on: real("onValue"), off: real("offValue"),
      elementType: .float32)
    return try exact(add(operation, [indices(blob)]))
  }
}
