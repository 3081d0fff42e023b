import Bytes
import CoreMLFormat
import GraphIR
import LayerCatalog
import ProtobufWire

/// The same elements in another place.
enum CoreMLReshaping {
  static let rows: [CoreMLRow] = shapes + parts + borders

  private static let shapes: [CoreMLRow] = [
    CoreMLRow(Reshape.self) { (_, draft) throws(WeighbridgeError) in
      try draft.reshape(try draft.input(), to: draft.outputType)
    },
    CoreMLRow(ReshapeAxes.self) { (_, draft) throws(WeighbridgeError) in
      try draft.reshape(try draft.input(), to: draft.outputType)
    },
    CoreMLRow(FoldTime.self) { (_, draft) throws(WeighbridgeError) in
      try draft.reshape(try draft.input(), to: draft.outputType)
    },
    CoreMLRow(UnfoldTime.self) { (_, draft) throws(WeighbridgeError) in
      try draft.reshape(try draft.input(), to: draft.outputType)
    },
    CoreMLRow(Squeeze.self) { (operation, draft) throws(WeighbridgeError) in
      guard draft.axes == .exact else {
        return try draft.reshape(try draft.input(), to: draft.outputType)
      }
      return try draft.squeeze(try draft.input(), operation.axes)
    },
    CoreMLRow(Transpose.self) { (operation, draft) throws(WeighbridgeError) in
      try draft.transpose(try draft.input(), operation.axes)
    },
    CoreMLRow(Shape.self) { (_, draft) throws(WeighbridgeError) in
      try draft.add("getShape", [try draft.input()])
    },
    CoreMLRow(DepthToSpace.self) { (operation, draft) throws(WeighbridgeError) in
      try draft.requireChannelsFirst(operation.layout)
      return try draft.add(
        "reorganizeData", [try draft.input()],
        ["mode": .choice("DEPTH_TO_SPACE"), "blockSize": .integer(operation.block)])
    },
    CoreMLRow(SpaceToDepth.self) { (operation, draft) throws(WeighbridgeError) in
      try draft.requireChannelsFirst(operation.layout)
      return try draft.add(
        "reorganizeData", [try draft.input()],
        ["mode": .choice("SPACE_TO_DEPTH"), "blockSize": .integer(operation.block)])
    },
  ]

  private static let parts: [CoreMLRow] = [
    CoreMLRow(Slice.self) { (operation, draft) throws(WeighbridgeError) in
      let shape = try draft.extents(draft.type())
      var parts: [Int: (start: Int, count: Int, step: Int)] = [:]
      for range in operation.ranges {
        let (start, count) = range.resolved(shape[range.axis])
        guard count > 0 else {
          throw WeighbridgeError(.unsupported, "Core ML has no arrays without elements")
        }
        parts[range.axis] = (start, count, range.step)
      }
      return try draft.slice(try draft.input(), rank: shape.count, parts)
    },
    CoreMLRow(outputsOf: Split.self) { (operation, draft) throws(WeighbridgeError) in
      try draft.split(try draft.input(), axis: operation.axis, operation.sizes)
    },
    CoreMLRow(Reverse.self) { (operation, draft) throws(WeighbridgeError) in
      let axes = 0..<draft.type().rank
      return try draft.add(
        "reverse", [try draft.input()],
        ["reverseDim": .booleans(axes.map(operation.axes.contains))])
    },
    CoreMLRow(Tile.self) { (operation, draft) throws(WeighbridgeError) in
      try draft.add("tile", [try draft.input()], ["reps": .integers(operation.counts)])
    },
    CoreMLRow(BroadcastAxes.self) { (_, draft) throws(WeighbridgeError) in
      try draft.add(
        "broadcastToStatic", [try draft.input()],
        ["targetShape": .integers(try draft.extents(draft.outputType))])
    },
    CoreMLRow(RepeatVector.self) { (operation, draft) throws(WeighbridgeError) in
      let steps = try draft.expandDims(try draft.input(), [1])
      return try draft.add("tile", [steps], ["reps": .integers([1, operation.count, 1])])
    },
    CoreMLRow(Repeat.self) { (operation, draft) throws(WeighbridgeError) in
      let extent = try draft.extents(draft.type())[operation.axis]
      let places = (0..<extent * operation.count).map { $0 / operation.count }
      return try draft.gather(try draft.input(), axis: operation.axis, places)
    },
  ]

  private static let borders: [CoreMLRow] = [
    CoreMLRow(Pad.self) { (operation, draft) throws(WeighbridgeError) in
      guard operation.mode != .constant else {
        return try draft.pad(
          try draft.input(), before: operation.before, after: operation.after,
          number: operation.number)
      }
      return try draft.mirror(operation)
    },
    CoreMLRow(ZeroPadding.self) { (operation, draft) throws(WeighbridgeError) in
      let axes = operation.layout.spatialAxes(rank: draft.type().rank)
      var before = [Int](repeating: 0, count: draft.type().rank)
      var after = before
      before.replaceSubrange(axes, with: operation.borders.before)
      after.replaceSubrange(axes, with: operation.borders.after)
      return try draft.pad(try draft.input(), before: before, after: after, number: 0)
    },
    CoreMLRow(Cropping.self) { (operation, draft) throws(WeighbridgeError) in
      let (x, borders, rank) = (try draft.input(), operation.borders, draft.type().rank)
      let axes = operation.layout.spatialAxes(rank: rank)
      if rank == 4, operation.layout == .channelsFirst {
        let amounts = ProtobufRecord.borders(before: borders.before, after: borders.after)
        return try draft.add("crop", [x], ["cropAmounts": .record(amounts)])
      }
      let shape = try draft.extents(draft.outputType)
      var parts: [Int: (start: Int, count: Int, step: Int)] = [:]
      for (axis, start) in zip(axes, borders.before) { parts[axis] = (start, shape[axis], 1) }
      return try draft.slice(x, rank: rank, parts)
    },
  ]
}

extension CoreMLDraft {
  /// Adds a number at both ends of all axes.
  mutating func pad(
    _ input: String, before: [Int], after: [Int], number: Double
  ) throws(WeighbridgeError) -> String {
    let borders = zip(before, after)
    if before.count == 4, borders.prefix(2).allSatisfy({ $0 == 0 && $1 == 0 }) {
      let amounts = ProtobufRecord.borders(
        before: Array(before.dropFirst(2)), after: Array(after.dropFirst(2)))
      return try add(
        "padding", [input],
        ["constant": .record(["value": .real(number)]), "paddingAmounts": .record(amounts)])
    }
    return try add(
      "constantPad", [input],
      ["value": .real(number), "padAmounts": .integers(borders.flatMap { [$0, $1] })])
  }

  /// Takes elements of the input itself behind its ends, along one axis after the other.
  fileprivate mutating func mirror(_ operation: Pad) throws(WeighbridgeError) -> String {
    var result = try input()
    let shape = try extents(type())
    for (axis, extent) in shape.enumerated() {
      let (before, after) = (operation.before[axis], operation.after[axis])
      if before == 0, after == 0 { continue }
      let places = (-before..<extent + after).map { place -> Int in
        switch operation.mode {
        case .reflect: place < 0 ? -place : place < extent ? place : 2 * extent - 2 - place
        case .symmetric: place < 0 ? -place - 1 : place < extent ? place : 2 * extent - 1 - place
        case .edge, .constant: min(max(place, 0), extent - 1)
        }
      }
      result = try gather(result, axis: axis, places)
    }
    return result
  }
}
