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
    CoreMLRow(native: Average.self) { (_, builder) throws(WeighbridgeError) in
      guard builder.axes == .images else { return nil }
      try builder.requireEqualShapes()
      return try builder.add("average", try builder.allInputs())
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

  static let nodes: [String: CoreMLLayerImport.Build] = .init(families: [
    special, binary.mapValues { combining($0) },
    variadic.mapValues { combining($0, single: Identity()) },
  ])

  private static func combining(
    _ operation: any CatalogOperator, single: (any CatalogOperator)? = nil
  ) -> CoreMLLayerImport.Build {
    { (layer) throws(WeighbridgeError) in [try layer.combine(operation, single: single)] }
  }

  /// Layers that take any number of inputs of the same shape.
  private static let variadic: [String: any CatalogOperator] = [
    "average": Average(), "max": Maximum(), "min": Minimum(),
  ]

  /// Layers of two inputs.
  private static let binary: [String: any CatalogOperator] = [
    "addBroadcastable": Add(), "multiplyBroadcastable": Multiply(),
    "subtractBroadcastable": Subtract(), "maxBroadcastable": Maximum(),
    "minBroadcastable": Minimum(), "divideBroadcastable": BinaryMath(.divide),
    "floorDivBroadcastable": BinaryMath(.floorDivide),
    "modBroadcastable": BinaryMath(.floorModulo), "powBroadcastable": BinaryMath(.power),
  ]

  /// Layers with settings of their own.
  private static let special: [String: CoreMLLayerImport.Build] = [
    "add": { (layer) throws(WeighbridgeError) in
      let alpha = layer.double("alpha")
      return [
        try layer.combine(Add(), single: Rescaling(scale: [1], offset: [alpha]))
      ]
    },
    "multiply": { (layer) throws(WeighbridgeError) in
      let alpha = layer.double("alpha")
      return [try layer.combine(Multiply(), single: Rescaling(scale: [alpha], offset: [0]))]
    },
    "concat": { (layer) throws(WeighbridgeError) in
      let isSequence = layer.flag("sequenceConcat")
      return [try layer.concatenate(isSequence ? .sequence : .channel)]
    },
    "concatND": { (layer) throws(WeighbridgeError) in
      guard !layer.flag("interleave") else {
        throw layer.unsupported(
          "interleaves its inputs (interleave), and only inputs that are concatenated can be read")
      }
      guard let first = layer.inputs.first else {
        throw layer.malformed("takes no inputs, expected at least two")
      }
      return [try layer.concatenate(try layer.axis(of: first))]
    },
    "stack": { (layer) throws(WeighbridgeError) in [try layer.stack()] },
  ]
}

extension ExportRow<CoreMLNetworkBuilder> {
  /// Creates a row for an operator that combines its inputs element by element.
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
  ///   - kind: The layer for any number of inputs of the same shape.
  ///   - broadcasting: The layer for two inputs, which are broadcast.
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

extension CoreMLLayerImport {
  /// Returns the values of tensors with the union of their axes, and the axes and rank of the
  /// result.
  mutating func aligned(
    _ blobs: [CoreMLBlob]
  ) throws(WeighbridgeError) -> (values: [ValueID], axes: [CoreMLAxis], rank: Int) {
    let rank = blobs.map(\.rank).max() ?? 0
    // Keeps the order of the axes if it is the same for all; otherwise, uses Core ML's.
    let haveSameAxes = blobs.allSatisfy { $0.axes == blobs[0].axes }
    let axes = haveSameAxes ? blobs[0].axes : Set(blobs.flatMap(\.axes)).sorted()
    var values: [ValueID] = []
    for blob in blobs { values.append(try value(blob, axes)) }
    return (values, axes, rank)
  }

  /// Combines the inputs element by element.
  ///
  /// - Parameter single: The operator for a single input; one is refused when `nil`.
  fileprivate mutating func combine(
    _ operation: some CatalogOperator, single: (any CatalogOperator)? = nil
  ) throws(WeighbridgeError) -> CoreMLBlob {
    if inputs.count == 1, let single { return try elementwise(single) }
    guard inputs.count >= 2 else {
      throw malformed(
        "takes \(inputs.count.counted("input")), expected \(single == nil ? "2" : "at least one")")
    }
    let (values, axes, rank) = try aligned(inputs)
    return CoreMLBlob(try add(operation, values), axes, rank: rank)
  }

  fileprivate mutating func concatenate(
    _ axis: CoreMLAxis
  ) throws(WeighbridgeError) -> CoreMLBlob {
    guard inputs.count != 1 else { return try elementwise(Identity()) }
    var blobs: [CoreMLBlob] = []
    for blob in inputs {
      try requireAxes([axis], of: blob)
      let axes = blob.axes(with: axis)
      blobs.append(CoreMLBlob(try value(blob, axes), axes, rank: blob.rank))
    }
    guard !blobs.isEmpty else { throw malformed("takes no inputs, expected at least one") }
    let (values, axes, rank) = try aligned(blobs)
    let position = axes.firstIndex(of: axis) ?? 0
    return CoreMLBlob(try add(Concatenate(axis: position), values), axes, rank: rank)
  }

  fileprivate mutating func stack() throws(WeighbridgeError) -> CoreMLBlob {
    guard let rank = inputs.first?.rank, inputs.count >= 2,
      inputs.allSatisfy({ $0.rank == rank })
    else {
      throw malformed(
        "takes inputs of the ranks \(inputs.map(\.rank)), expected two or more of the same rank")
    }
    let position = try axis(integer("axis"), rank: rank + 1)
    var values: [ValueID] = []
    for blob in inputs {
      values.append(try add(ExpandDims(axes: [position]), [fullRank(blob)], role: "axis"))
    }
    return try fullRankBlob(add(Concatenate(axis: position), values))
  }
}
