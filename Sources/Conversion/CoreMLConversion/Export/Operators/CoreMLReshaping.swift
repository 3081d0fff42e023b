import Bytes
import ConversionCore
import CoreMLFormat
import GraphIR
import LayerCatalog
import ProtobufWire

/// The same elements in another place.
enum CoreMLReshaping {
  static let rows = shapes + parts + images

  private static let images: [CoreMLRow] = [
    CoreMLRow(DepthToSpace.self, is: "reorganizeData") {
      ["mode": .choice("DEPTH_TO_SPACE"), "blockSize": .integer($0.block)]
    },
    CoreMLRow(SpaceToDepth.self, is: "reorganizeData") {
      ["mode": .choice("SPACE_TO_DEPTH"), "blockSize": .integer($0.block)]
    },
    CoreMLRow(composite: ZeroPadding.self),
    CoreMLRow(native: Cropping.self) { (operation, builder) throws(WeighbridgeError) in
      guard builder.type().rank == 4 else { return nil }
      let amounts = ProtobufRecord.borders(
        before: operation.borders.before, after: operation.borders.after)
      return try builder.add(
        "crop", [try builder.input()], ["cropAmounts": .record(amounts)])
    },
  ]

  private static let shapes: [CoreMLRow] = [
    CoreMLRow(reshaping: Reshape.self), CoreMLRow(reshaping: ReshapeAxes.self),
    CoreMLRow(reshaping: FlattenTime.self), CoreMLRow(reshaping: UnflattenTime.self),
    CoreMLRow(Squeeze.self) { (operation, builder) throws(WeighbridgeError) in
      guard builder.axes == .exact else {
        return try builder.reshape(try builder.input(), to: builder.outputType)
      }
      return try builder.squeeze(try builder.input(), operation.axes)
    },
    CoreMLRow(Transpose.self) { (operation, builder) throws(WeighbridgeError) in
      try builder.transpose(try builder.input(), operation.axes)
    },
    CoreMLRow(Shape.self, is: "getShape"),
  ]

  private static let parts: [CoreMLRow] = [
    CoreMLRow(Slice.self) { (operation, builder) throws(WeighbridgeError) in
      let shape = try builder.dimensions(builder.type())
      var parts: [Int: (start: Int, count: Int, step: Int)] = [:]
      for range in operation.ranges {
        let (start, count) = range.resolved(shape[range.axis])
        guard count > 0 else {
          throw WeighbridgeError(.unsupported, "Core ML has no arrays without elements")
        }
        parts[range.axis] = (start, count, range.step)
      }
      return try builder.slice(try builder.input(), rank: shape.count, parts)
    },
    CoreMLRow(outputsOf: Split.self) { (operation, builder) throws(WeighbridgeError) in
      try builder.split(try builder.input(), axis: operation.axis, operation.sizes)
    },
    CoreMLRow(Reverse.self) { (operation, builder) throws(WeighbridgeError) in
      let axes = 0..<builder.type().rank
      return try builder.add(
        "reverse", [try builder.input()],
        ["reverseDim": .booleans(axes.map(operation.axes.contains))])
    },
    CoreMLRow(Tile.self, is: "tile") { ["reps": .integers($0.counts)] },
    CoreMLRow(BroadcastTo.self) { (_, builder) throws(WeighbridgeError) in
      try builder.add(
        "broadcastToStatic", [try builder.input()],
        ["targetShape": .integers(try builder.dimensions(builder.outputType))])
    },
    CoreMLRow(RepeatVector.self) { (operation, builder) throws(WeighbridgeError) in
      let steps = try builder.expandDims(try builder.input(), [1])
      return try builder.add("tile", [steps], ["reps": .integers([1, operation.count, 1])])
    },
    CoreMLRow(Repeat.self) { (operation, builder) throws(WeighbridgeError) in
      let dimension = try builder.dimensions(builder.type())[operation.axis]
      let places = (0..<dimension * operation.count).map { $0 / operation.count }
      return try builder.gather(try builder.input(), axis: operation.axis, places)
    },
    CoreMLRow(Pad.self) { (operation, builder) throws(WeighbridgeError) in
      guard operation.mode != .constant else {
        return try builder.pad(
          try builder.input(), before: operation.before, after: operation.after,
          number: operation.number)
      }
      return try builder.mirror(operation)
    },
  ]
}

extension ExportRow<CoreMLNetworkBuilder> {
  /// A row for an operator that moves no element.
  fileprivate init<Operation: CatalogOperator>(reshaping type: Operation.Type) {
    self.init(type) { (_, builder) throws(WeighbridgeError) in
      try builder.reshape(try builder.input(), to: builder.outputType)
    }
  }
}

extension CoreMLNetworkBuilder {
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
    let shape = try dimensions(type())
    for (axis, dimension) in shape.enumerated() {
      let (before, after) = (operation.before[axis], operation.after[axis])
      if before == 0, after == 0 { continue }
      let places = (-before..<dimension + after).map { place -> Int in
        switch operation.mode {
        case .reflect: place < 0 ? -place : place < dimension ? place : 2 * dimension - 2 - place
        case .symmetric:
          place < 0 ? -place - 1 : place < dimension ? place : 2 * dimension - 1 - place
        case .edge, .constant: min(max(place, 0), dimension - 1)
        }
      }
      result = try gather(result, axis: axis, places)
    }
    return result
  }
}
