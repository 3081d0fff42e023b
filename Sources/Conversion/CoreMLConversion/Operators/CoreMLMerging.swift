import Bytes
import ConversionCore
import CoreMLFormat
import GraphIR
import LayerCatalog
import ProtobufWire

/// Elementwise combination and concatenation of tensors.
enum CoreMLMerging: CoreMLFamily {
  static let rows: [CoreMLRow] = [
    CoreMLRow(Add.self, merge: "add", "addBroadcastable"),
    CoreMLRow(Subtract.self) { (_, builder) throws(WeighbridgeError) in
      try builder.requireEqualShapes()
      return try builder.difference(try builder.input(0), try builder.input(1))
    },
    CoreMLRow(Multiply.self, merge: "multiply", "multiplyBroadcastable"),
    CoreMLRow(Average.self) { (_, builder) throws(WeighbridgeError) in
      let merged = try builder.merge("average", "addBroadcastable")
      guard builder.axes == .exact else { return merged }
      return try builder.linear(merged, scale: 1 / Double(builder.operands.count))
    },
    CoreMLRow(Maximum.self, merge: "max", "maxBroadcastable"),
    CoreMLRow(Minimum.self, merge: "min", "minBroadcastable"),
    CoreMLRow(Concatenate.self) { (operation, builder) throws(WeighbridgeError) in
      try builder.concatenate(try builder.allInputs(), axis: operation.axis)
    },
    CoreMLRow(ExpandDims.self) { (operation, builder) throws(WeighbridgeError) in
      guard builder.axes == .exact else {
        return try builder.reshape(try builder.input(), to: builder.outputType)
      }
      return try builder.expandDims(try builder.input(), operation.axes)
    },
  ]

  static let nodes: [String: CoreMLCall.Build] = .init(families: [
    own, pairs.mapValues { combining($0) },
    merges.mapValues { combining($0, alone: Identity()) },
  ])

  private static func combining(
    _ operation: any CatalogOperator, alone: (any CatalogOperator)? = nil
  ) -> CoreMLCall.Build {
    { (call) throws(WeighbridgeError) in [try call.combine(operation, alone: alone)] }
  }

  /// Layers that take any number of inputs of one shape.
  private static let merges: [String: any CatalogOperator] = [
    "average": Average(), "max": Maximum(), "min": Minimum(),
  ]

  private static let pairs: [String: any CatalogOperator] = [
    "addBroadcastable": Add(), "multiplyBroadcastable": Multiply(),
    "subtractBroadcastable": Subtract(), "maxBroadcastable": Maximum(),
    "minBroadcastable": Minimum(), "divideBroadcastable": BinaryMath(.divide),
    "floorDivBroadcastable": BinaryMath(.floorDivide),
    "modBroadcastable": BinaryMath(.floorModulo), "powBroadcastable": BinaryMath(.power),
  ]

  private static let own: [String: CoreMLCall.Build] = [
    "add": { (call) throws(WeighbridgeError) in
      let alpha = call.real("alpha")
      return [
        try call.combine(Add(), alone: Rescaling(scale: [1], offset: [alpha]))
      ]
    },
    "multiply": { (call) throws(WeighbridgeError) in
      let alpha = call.real("alpha")
      return [try call.combine(Multiply(), alone: Rescaling(scale: [alpha], offset: [0]))]
    },
    "concat": { (call) throws(WeighbridgeError) in
      let isSequence = call.flag("sequenceConcat")
      return [try call.concatenate(isSequence ? .sequence : .channel)]
    },
    "concatND": { (call) throws(WeighbridgeError) in
      guard !call.flag("interleave") else {
        throw call.unsupported("puts its inputs together element by element")
      }
      guard let first = call.inputs.first else { throw call.malformed("takes nothing") }
      return [try call.concatenate(try call.axis(of: first))]
    },
    "stack": { (call) throws(WeighbridgeError) in [try call.stack()] },
  ]
}

extension ExportRow<CoreMLNetworkBuilder> {
  /// Makes a row for an operator that combines its inputs element by element.
  fileprivate init<Operation: CatalogOperator>(
    _ type: Operation.Type, merge kind: String, _ broadcasting: String
  ) {
    self.init(type) { (_, builder) throws(WeighbridgeError) in
      try builder.merge(kind, broadcasting)
    }
  }
}

extension CoreMLNetworkBuilder {
  /// Combines inputs element by element.
  ///
  /// - Parameters:
  ///   - kind: The layer for any number of inputs of one shape.
  ///   - broadcasting: The layer for two inputs, which broadcasts.
  fileprivate mutating func merge(
    _ kind: String, _ broadcasting: String
  ) throws(WeighbridgeError) -> String {
    try requireEqualShapes()
    let inputs = try allInputs()
    return axes == .images ? try add(kind, inputs) : try chain(broadcasting, inputs)
  }

  /// Refuses inputs that need broadcasting when the axes are those of images.
  fileprivate func requireEqualShapes() throws(WeighbridgeError) {
    guard axes == .images, Set(operands.map(\.type.shape)).count > 1 else { return }
    throw Self.needsExactAxes("combining the shapes \(operands.map(\.type.shape))")
  }
}

extension CoreMLCall {
  /// Gives tensors the union of their axes, and returns the axes and rank of the result.
  mutating func aligned(
    _ blobs: [CoreMLBlob]
  ) throws(WeighbridgeError) -> (values: [ValueID], axes: [CoreMLAxis], rank: Int) {
    let rank = blobs.map(\.rank).max() ?? 0
    // The common order where all have the same axes, else Core ML's.
    let isAlike = blobs.allSatisfy { $0.axes == blobs[0].axes }
    let axes = isAlike ? blobs[0].axes : Set(blobs.flatMap(\.axes)).sorted()
    var values: [ValueID] = []
    for blob in blobs { values.append(try value(blob, axes)) }
    return (values, axes, rank)
  }

  fileprivate mutating func combine(
    _ operation: some CatalogOperator, alone: (any CatalogOperator)? = nil
  ) throws(WeighbridgeError) -> CoreMLBlob {
    if inputs.count == 1, let alone { return try each(alone) }
    guard inputs.count >= 2 else { throw malformed("takes \(inputs.count) inputs") }
    let (values, axes, rank) = try aligned(inputs)
    return CoreMLBlob(try add(operation, values), axes, rank: rank)
  }

  fileprivate mutating func concatenate(
    _ axis: CoreMLAxis
  ) throws(WeighbridgeError) -> CoreMLBlob {
    guard inputs.count != 1 else { return try each(Identity()) }
    let isThere = inputs.allSatisfy { $0.axes.contains(axis) }
    var blobs = inputs
    if !isThere {
      for index in blobs.indices {
        let axes = Set(blobs[index].axes + [axis]).sorted()
        blobs[index] = CoreMLBlob(
          try value(blobs[index], axes), axes, rank: blobs[index].rank)
      }
    }
    guard !blobs.isEmpty else { throw malformed("takes nothing") }
    let (values, axes, rank) = try aligned(blobs)
    guard let position = axes.firstIndex(of: axis) else {
      throw malformed("has no such axis")
    }
    return CoreMLBlob(try add(Concatenate(axis: position), values), axes, rank: rank)
  }

  fileprivate mutating func stack() throws(WeighbridgeError) -> CoreMLBlob {
    guard let rank = inputs.first?.rank, inputs.count >= 2,
      inputs.allSatisfy({ $0.rank == rank })
    else { throw malformed("takes \(inputs.count) inputs, or some of other axes") }
    let written = integer("axis")
    let position = written < 0 ? written + rank + 1 : written
    guard (0...rank).contains(position) else { throw malformed("has the axis \(written)") }
    var values: [ValueID] = []
    for blob in inputs {
      values.append(try add(ExpandDims(axes: [position]), [whole(blob)], role: "axis"))
    }
    return try exact(add(Concatenate(axis: position), values))
  }
}
