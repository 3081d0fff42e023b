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
        let gathered = try builder.add("gather", inputs, ["axis": .integer(operation.axis)])
        // Core ML has no arrays without axes: a single index is an array of one.
        return builder.type(1).rank > 0 ? gathered : try builder.squeeze(gathered, [operation.axis])
      }
      let batch = Array(0..<operation.batchAxes)
      guard try builder.dimensions(builder.type()).prefix(batch.count).allSatisfy({ $0 == 1 })
      else {
        throw .unsupported("gathers in batches, and Core ML can in a batch of one only")
      }
      let unbatched = [
        try builder.squeeze(inputs[0], batch), try builder.squeeze(inputs[1], batch),
      ]
      let gathered = try builder.add(
        "gather", unbatched, ["axis": .integer(operation.axis - batch.count)])
      return try builder.expandDims(gathered, batch)
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
    CoreMLRow(CategoryEncoding.self) { (operation, builder) throws(WeighbridgeError) in
      try builder.compose(builder.operands) { (make) throws(WeighbridgeError) in
        [try operation.counts(&make, checksRange: false)]
      }[0].name
    },
    CoreMLRow(IndexLookup.self) { (operation, builder) throws(WeighbridgeError) in
      try builder.lookUpIndices(operation)
    },
    CoreMLRow(
      Hashing.self, unsupported: "takes strings, and Core ML's networks can take numbers only"),
    CoreMLRow(
      HashedCrossing.self,
      unsupported: "hashes its input, and Core ML can compute with numbers only"),
    CoreMLRow(
      NonMaxSuppression.self,
      unsupported: "chooses among boxes, and Core ML can only in a model after the network"
    ),
    CoreMLRow(
      BoxSelection.self,
      unsupported: "chooses among boxes, and Core ML can only in a model after the network"),
    CoreMLRow(
      Fill.self,
      unsupported:
        "has sizes that are known only when it runs, and Core ML's blobs have sizes known beforehand"
    ),
    CoreMLRow(
      NonZero.self,
      unsupported:
        "has sizes that are known only when it runs, and Core ML's blobs have sizes known beforehand"
    ),
    CoreMLRow(
      ReshapeTo.self,
      unsupported:
        "has sizes that are known only when it runs, and Core ML's blobs have sizes known beforehand"
    ),
    CoreMLRow(
      STFT.self, unsupported: "is a Fourier transform, and Core ML's networks can convolve only"),
  ]

  /// Returns the settings of an arg max or arg min layer.
  @Sendable private static func settings(_ operation: some ArgumentReduction) -> ProtobufRecord {
    ["axis": .integer(operation.axis), "removeDim": .boolean(!operation.keepDims)]
  }

  static let nodes: [String: CoreMLLayerImport.Build] = [
    "embedding": { (layer) throws(WeighbridgeError) in [try layer.embedding()] },
    "embeddingND": { (layer) throws(WeighbridgeError) in [try layer.embeddingND()] },
    "gather": { (layer) throws(WeighbridgeError) in
      let (blob, indices) = try layer.pair()
      let operation = Gather(axis: try layer.position(of: blob))
      let inputs = [try layer.fullRank(blob), try layer.indices(indices)]
      return [try layer.fullRankBlob(layer.add(operation, inputs))]
    },
    "gatherAlongAxis": { (layer) throws(WeighbridgeError) in
      let (blob, indices) = try layer.pair()
      let operation = GatherElements(axis: try layer.position(of: blob))
      let inputs = [try layer.fullRank(blob), try layer.indices(indices)]
      return [try layer.fullRankBlob(layer.add(operation, inputs))]
    },
    "topK": { (layer) throws(WeighbridgeError) in
      let blob = try layer.input()
      let (axis, count) = (try layer.position(of: blob), layer.integer("K"))
      return try layer.sort(blob, axis, isDescending: !layer.flag("useBottomK"), count: count)
    },
    "argSort": { (layer) throws(WeighbridgeError) in
      let blob = try layer.input()
      let axis = try layer.position(of: blob)
      return [
        try layer.sort(blob, axis, isDescending: layer.flag("descending"), count: nil)[1]
      ]
    },
    "oneHot": { (layer) throws(WeighbridgeError) in [try layer.oneHot()] },
    "fillLike": { (layer) throws(WeighbridgeError) in
      let number = layer.double("value")
      return [try layer.elementwise(FullLike(value: number))]
    },
    "fillStatic": { (layer) throws(WeighbridgeError) in
      let shape = layer.integers("targetShape")
      guard shape.count <= 5, !shape.isEmpty, shape.allSatisfy({ $0 > 0 }) else {
        throw layer.malformed("has the target shape \(shape), expected 1 to 5 sizes of at least 1")
      }
      let scalar = try layer.constant(
        "value", shape: shape.map { _ in 1 }, [layer.double("value")])
      return [try layer.fullRankBlob(layer.add(BroadcastTo(target: shape), [scalar]))]
    },
  ]
}

extension CoreMLNetworkBuilder {
  /// Adds the first input with its elements truncated to integers.
  mutating func integerInput() throws(WeighbridgeError) -> String {
    type().elementType.isFloat ? try truncate(try input()) : try input()
  }

  /// Looks up the index of each value; the index of a value outside the vocabulary comes from its
  /// remainder modulo the number of out-of-vocabulary indices.
  fileprivate mutating func lookUpIndices(
    _ operation: IndexLookup
  ) throws(WeighbridgeError) -> String {
    let (x, rank) = (try integerInput(), type().rank)
    let vocabulary = operation.vocabulary.enumerated().map { ($1, operation.firstIndex + $0) }
    let entries =
      operation.exceptions.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
      + vocabulary.filter { operation.exceptions[$0.0] == nil }
    guard entries.allSatisfy({ abs($0.0) < 1 << 24 && abs($0.1) < 1 << 24 }) else {
      throw .unsupported(
        "has entries of 2^24 or more, and Core ML can hold whole numbers below that only")
    }
    let shape = [Int](repeating: 1, count: rank) + [entries.count]
    let known = try numbers(entries.map { Double($0.0) }, shape: shape)
    let matches = try add("equal", [try expandDims(x, [rank]), known])
    let indices = try numbers(entries.map { Double($0.1) }, shape: shape)
    let index = try reduce("reduceSum", try product(matches, indices), [rank], keepDims: false)
    guard operation.oovCount > 0 else { return index }
    let isKnown = try reduce("reduceMax", matches, [rank], keepDims: false)
    let remainder = try add(
      "modBroadcastable", [x, try number(Double(operation.oovCount))])
    let first = Double(operation.firstIndex - operation.oovCount)
    return try select(isKnown, index, try linear(remainder, offset: first))
  }
}

extension CoreMLLayerImport {
  /// Returns a tensor's value as integers.
  fileprivate mutating func indices(_ blob: CoreMLBlob) throws(WeighbridgeError) -> ValueID {
    let value = try fullRank(blob)
    return type(value).elementType.isFloat
      ? try add(Cast(to: .int32), [value], role: "indices") : value
  }

  /// Adds an embedding; Core ML's table has a column for each index.
  private mutating func embed(
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

  /// The indices are `[sequence, batch, 1, 1, 1]` or `[batch, 1, 1, 1]`.
  fileprivate mutating func embedding() throws(WeighbridgeError) -> CoreMLBlob {
    let blob = try input()
    let leading: [CoreMLAxis] = blob.axes.contains(.sequence) ? [.sequence, .batch] : [.batch]
    let rows = try embed(
      try value(blob, leading), count: integer("inputDim"), features: integer("outputChannels"))
    return CoreMLBlob(rows, leading + [.channel], rank: blob.rank)
  }

  /// The indices have a last axis of size 1, which the features replace.
  fileprivate mutating func embeddingND() throws(WeighbridgeError) -> CoreMLBlob {
    let blob = try input()
    let leading = Array(blob.allAxes.dropLast())
    let rows = try embed(
      try value(blob, leading), count: integer("vocabSize"), features: integer("embeddingSize"))
    return CoreMLBlob(rows, leading + [.width], rank: blob.rank)
  }

  fileprivate mutating func sort(
    _ blob: CoreMLBlob, _ axis: Int, isDescending: Bool, count: Int?
  ) throws(WeighbridgeError) -> [CoreMLBlob] {
    let operation = Sort(
      axis: axis, isDescending: isDescending, count: count == 0 ? nil : count)
    let results = try addAll(operation, [fullRank(blob)])
    return [try fullRankBlob(results[0]), try fullRankBlob(try castToFloat(results[1]))]
  }

  fileprivate mutating func oneHot() throws(WeighbridgeError) -> CoreMLBlob {
    let blob = try input()
    let operation = OneHot(
      axis: try axis(integer("axis"), rank: blob.rank + 1), depth: integer("oneHotVectorSize"),
      on: double("onValue"),
      off: double("offValue"), elementType: .float32)
    return try fullRankBlob(add(operation, [indices(blob)]))
  }
}
