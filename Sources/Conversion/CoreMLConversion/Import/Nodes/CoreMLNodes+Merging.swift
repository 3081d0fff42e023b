import Bytes
import ConversionCore
import GraphIR
import LayerCatalog
import ProtobufWire

/// Tensors combined element by element, and put one behind the other.
extension CoreMLNodes {
  static let merging = [String: CoreMLCall.Build](families: [
    ownMerging, relations.mapValues(comparing), pairs.mapValues(combining),
  ])

  private static func comparing(_ relation: Comparison.Relation) -> CoreMLCall.Build {
    { (call) throws(WeighbridgeError) in [try call.compare(relation)] }
  }

  private static func combining(_ operation: any CatalogOperator) -> CoreMLCall.Build {
    { (call) throws(WeighbridgeError) in [try call.combine(operation)] }
  }

  private static let pairs: [String: any CatalogOperator] = [
    "addBroadcastable": Add(), "multiplyBroadcastable": Multiply(),
    "subtractBroadcastable": Subtract(), "maxBroadcastable": Maximum(),
    "minBroadcastable": Minimum(), "divideBroadcastable": BinaryMath(.divide),
    "floorDivBroadcastable": BinaryMath(.floorDivide),
    "modBroadcastable": BinaryMath(.floorModulo), "powBroadcastable": BinaryMath(.power),
  ]

  private static let ownMerging: [String: CoreMLCall.Build] = [
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
    "average": { (call) throws(WeighbridgeError) in
      [try call.combine(Average(), alone: Identity())]
    },
    "max": { (call) throws(WeighbridgeError) in
      [try call.combine(Maximum(), alone: Identity())]
    },
    "min": { (call) throws(WeighbridgeError) in
      [try call.combine(Minimum(), alone: Identity())]
    },
    "logicalAnd": { (call) throws(WeighbridgeError) in [try call.logic(LogicalAnd())] },
    "logicalOr": { (call) throws(WeighbridgeError) in [try call.logic(LogicalOr())] },
    "logicalXor": { (call) throws(WeighbridgeError) in
      [try call.logic(Comparison(.notEqual))]
    },
    "whereBroadcastable": { (call) throws(WeighbridgeError) in [try call.choose()] },
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

  private static let relations: [String: Comparison.Relation] = [
    "equal": .equal, "notEqual": .notEqual, "lessThan": .less, "lessEqual": .lessOrEqual,
    "greaterThan": .greater, "greaterEqual": .greaterOrEqual,
  ]
}

extension CoreMLCall {
  /// Tensors with the axes that any of them has, and what a result has of them.
  private mutating func aligned(
    _ blobs: [CoreMLBlob]
  ) throws(WeighbridgeError) -> (values: [ValueID], axes: [CoreMLAxis], rank: Int) {
    let rank = blobs.map(\.rank).max() ?? 0
    // One order for all where they have it, else Core ML's.
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

  /// Whether each number is other than 0.
  mutating func truth(_ blob: CoreMLBlob) throws(WeighbridgeError) -> ValueID {
    try truth(blob.value)
  }

  private mutating func truth(_ value: ValueID) throws(WeighbridgeError) -> ValueID {
    let zero = try constant(
      "zero \(value.index)", shape: type(value).shape.map { _ in 1 }, [0])
    return try add(Comparison(.notEqual), [value, zero], role: "truth")
  }

  /// 1 for true, 0 for false.
  mutating func number(_ value: ValueID) throws(WeighbridgeError) -> ValueID {
    try add(Cast(to: .float32), [value], role: "number")
  }

  fileprivate mutating func logic(
    _ operation: some CatalogOperator
  ) throws(WeighbridgeError) -> CoreMLBlob {
    let (first, second) = try pair()
    let (values, axes, rank) = try aligned([first, second])
    var truths: [ValueID] = []
    for value in values { truths.append(try truth(value)) }
    return CoreMLBlob(try number(add(operation, truths)), axes, rank: rank)
  }

  fileprivate mutating func compare(
    _ relation: Comparison.Relation
  ) throws(WeighbridgeError) -> CoreMLBlob {
    let alpha = real("alpha")
    guard inputs.count == 1 else {
      let (first, second) = try pair()
      let (values, axes, rank) = try aligned([first, second])
      return CoreMLBlob(try number(add(Comparison(relation), values)), axes, rank: rank)
    }
    let value = inputs[0].value
    let other = try constant("alpha", shape: type(value).shape.map { _ in 1 }, [alpha])
    return like(inputs[0], try number(add(Comparison(relation), [value, other])))
  }

  fileprivate mutating func choose() throws(WeighbridgeError) -> CoreMLBlob {
    guard inputs.count == 3 else { throw malformed("takes \(inputs.count) inputs, not 3") }
    let (values, axes, rank) = try aligned(inputs)
    let condition = try truth(values[0])
    return CoreMLBlob(
      try add(Where(), [condition] + values.dropFirst()), axes, rank: rank)
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
