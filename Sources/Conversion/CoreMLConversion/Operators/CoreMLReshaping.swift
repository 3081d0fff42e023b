import Bytes
import ConversionCore
import CoreMLFormat
import GraphIR
import LayerCatalog
import ProtobufWire

/// Reshaping, reordering and slicing.
enum CoreMLReshaping: CoreMLFamily {
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
        guard count > 0 else { throw .unsupported("Core ML has no arrays without elements") }
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

  static let nodes: [String: CoreMLCall.Build] = [
    "reshape": { (call) throws(WeighbridgeError) in [try call.reshape()] },
    "flatten": { (call) throws(WeighbridgeError) in [try call.flatten()] },
    "permute": { (call) throws(WeighbridgeError) in [try call.permute()] },
    "transpose": { (call) throws(WeighbridgeError) in
      let blob = try call.input()
      return [try call.turn(blob, call.integers("axes"))]
    },
    "reshapeStatic": { (call) throws(WeighbridgeError) in [try call.reshapeStatic()] },
    "rankPreservingReshape": { (call) throws(WeighbridgeError) in
      [try call.reshapeStatic(keepsRank: true)]
    },
    "reshapeLike": { (call) throws(WeighbridgeError) in [try call.reshapeLike()] },
    "flattenTo2D": { (call) throws(WeighbridgeError) in [try call.flattenTo2D()] },
    "squeeze": { (call) throws(WeighbridgeError) in [try call.squeeze()] },
    "expandDims": { (call) throws(WeighbridgeError) in [try call.expandDims()] },
    "sequenceRepeat": { (call) throws(WeighbridgeError) in
      let count = max(1, call.integer("nRepetitions"))
      let whole = try call.whole(try call.input())
      return [try call.exact(call.add(Tile(counts: [count, 1, 1, 1, 1]), [whole]))]
    },
    "tile": { (call) throws(WeighbridgeError) in
      let whole = try call.whole(try call.input())
      return [try call.exact(call.add(Tile(counts: call.integers("reps")), [whole]))]
    },
    "reverse": { (call) throws(WeighbridgeError) in
      let (whole, flags) = (try call.whole(try call.input()), call.flags("reverseDim"))
      let axes = flags.indices.filter { flags[$0] }
      return [try call.exact(call.add(Reverse(axes: axes), [whole]))]
    },
    "slice": { (call) throws(WeighbridgeError) in [try call.slice()] },
    "sliceStatic": { (call) throws(WeighbridgeError) in [try call.sliceStatic()] },
    "split": { (call) throws(WeighbridgeError) in
      let blob = try call.input()
      return try call.split(blob, .channel, count: call.integer("nOutputs"), sizes: [])
    },
    "splitND": { (call) throws(WeighbridgeError) in
      let blob = try call.input()
      let (axis, sizes) = (try call.axis(of: blob), call.integers("splitSizes"))
      return try call.split(blob, axis, count: call.integer("numSplits"), sizes: sizes)
    },
    "broadcastToStatic": { (call) throws(WeighbridgeError) in [try call.broadcast()] },
    "getShape": { (call) throws(WeighbridgeError) in
      let whole = try call.whole(try call.input())
      let shape = try call.add(Shape(elementType: .int32), [whole], role: "shape")
      return [try call.exact(try call.number(shape))]
    },
  ]
}

extension ExportRow<CoreMLNetworkBuilder> {
  /// Makes a row for an operator that only reshapes.
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

  /// Pads with elements of the input itself, one axis after another.
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

extension CoreMLCall {
  /// Reshapes the axes C, H, W or S, C, H, W.
  fileprivate mutating func reshape() throws(WeighbridgeError) -> CoreMLBlob {
    let blob = try input()
    let target = integers("targetShape")
    let isLast = choice("mode", default: "CHANNEL_FIRST") == "CHANNEL_LAST"
    guard [3, 4].contains(target.count) else {
      throw malformed(
        "has the target shape \(target) of rank \(target.count), expected 3 (channels, height, width) "
          + "or 4 (sequence length, channels, height, width)")
    }
    let sizes = try sizes(target)
    let inner: [CoreMLAxis] =
      isLast ? [.height, .width, .channel] : [.channel, .height, .width]
    let image = sizes.suffix(3)
    let turned = isLast ? image.dropFirst() + image.prefix(1) : image
    let hasSequence = blob.axes.contains(.sequence) || target.count == 4 && target[0] != 1
    let outer: [CoreMLAxis] = hasSequence ? [.batch, .sequence] : [.batch]
    let whole = try value(blob, outer + inner)
    var wanted: [ReshapeAxes.Size] = [.axis(0)]
    if hasSequence { wanted.append(sizes.count == 4 ? sizes[0] : .axis(1)) }
    let result = try add(ReshapeAxes(wanted + turned), [whole])
    return CoreMLBlob(result, outer + inner, rank: blob.rank)
  }

  fileprivate mutating func flatten() throws(WeighbridgeError) -> CoreMLBlob {
    let blob = try input()
    let isLast = choice("mode", default: "CHANNEL_FIRST") == "CHANNEL_LAST"
    let inner: [CoreMLAxis] =
      isLast ? [.height, .width, .channel] : [.channel, .height, .width]
    let outer: [CoreMLAxis] = blob.axes.contains(.sequence) ? [.sequence, .batch] : [.batch]
    let whole = try value(blob, outer + inner)
    let kept = outer.indices.map { ReshapeAxes.Size.axis($0) }
    return CoreMLBlob(
      try add(ReshapeAxes(kept + [.rest]), [whole]), outer + [.channel], rank: blob.rank)
  }

  /// Transposes the axes S, C, H, W.
  fileprivate mutating func permute() throws(WeighbridgeError) -> CoreMLBlob {
    let blob = try input()
    let order = integers("axis")
    guard order.sorted() == [0, 1, 2, 3] else { throw malformed("has the axes \(order)") }
    let whole = CoreMLBlob(try value(blob, CoreMLAxis.allCases), rank: 5)
    // The batch is not counted and stays where it is.
    let places = order.map { $0 == 0 ? 0 : $0 + 1 }
    let turned = try turn(whole, [places[0], 1] + places[1...])
    return CoreMLBlob(turned.value, turned.axes, rank: blob.rank)
  }

  fileprivate mutating func turn(
    _ blob: CoreMLBlob, _ axes: [Int]
  ) throws(WeighbridgeError) -> CoreMLBlob {
    guard axes.sorted() == Array(0..<blob.rank) else {
      throw malformed("has the axes \(axes), and its input \(blob.rank)")
    }
    return try exact(add(Transpose(axes: axes), [whole(blob)]))
  }

  /// - Parameter keepsRank: Whether the output must have as many dimensions as the input.
  fileprivate mutating func reshapeStatic(
    keepsRank: Bool = false
  ) throws(WeighbridgeError) -> CoreMLBlob {
    let blob = try input()
    let target = integers("targetShape")
    guard !target.isEmpty, !keepsRank || target.count == blob.rank else {
      throw malformed(
        "has the target shape \(target) of rank \(target.count), expected "
          + (keepsRank ? "the input's rank \(blob.rank)" : "at least 1"))
    }
    return try exact(add(ReshapeAxes(sizes(target, zeroKeeps: true)), [whole(blob)]))
  }

  /// The sizes of a target shape, in which -1 means the size that the others leave.
  ///
  /// - Parameter zeroKeeps: Whether 0 means the input's size at that axis.
  private func sizes(
    _ target: [Int], zeroKeeps: Bool = false
  ) throws(WeighbridgeError) -> [ReshapeAxes.Size] {
    guard target.count(where: { $0 == -1 }) <= 1 else {
      throw malformed("has the target shape \(target), and only one -1 can be inferred")
    }
    guard target.allSatisfy({ $0 >= (zeroKeeps ? -1 : 1) || $0 == -1 }) else {
      throw malformed(
        "has the target shape \(target), expected sizes of at least 1, or -1 for one that is inferred"
          + (zeroKeeps ? " and 0 for the input's own" : ""))
    }
    return target.enumerated().map { position, size in
      switch size {
      case -1: .rest
      case 0: .axis(position)
      default: .fixed(size)
      }
    }
  }

  fileprivate mutating func reshapeLike() throws(WeighbridgeError) -> CoreMLBlob {
    let (blob, other) = try pair()
    let reference = try whole(other)
    guard let shape = type(reference).fixedShape else {
      throw unsupported("takes a shape that is not known")
    }
    return try exact(add(ReshapeAxes(shape.map { .fixed($0) }), [whole(blob)]))
  }

  fileprivate mutating func flattenTo2D() throws(WeighbridgeError) -> CoreMLBlob {
    let blob = try input()
    let written = integer("axis")
    let axis = written < 0 ? written + blob.rank : written
    let tensor = try whole(blob)
    let shape = type(tensor).shape
    guard (0...blob.rank).contains(axis) else { throw malformed("has the axis \(written)") }
    let behind = shape[axis...].compactMap(\.value)
    let before = shape[..<axis].compactMap(\.value)
    let dimensions: [ReshapeAxes.Size]
    if behind.count == shape.count - axis {
      dimensions = [.rest, .fixed(try Checked.product(behind, of: "its output"))]
    } else if before.count == axis {
      dimensions = [.fixed(try Checked.product(before, of: "its output")), .rest]
    } else {
      throw unsupported("takes a shape that is not known")
    }
    return try exact(add(ReshapeAxes(dimensions), [whole(blob)]))
  }

  fileprivate mutating func squeeze() throws(WeighbridgeError) -> CoreMLBlob {
    let blob = try input()
    let written = integers("axes")
    let whole = try whole(blob)
    let all = type(whole).shape
    if flag("squeezeAll") {
      let axes = all.indices.filter { all[$0] == 1 }
      return try exact(
        add(Squeeze(axes: axes.count == all.count ? axes.dropLast() : axes), [whole]))
    }
    let axes = written.map { $0 < 0 ? $0 + blob.rank : $0 }.sorted()
    return try exact(add(Squeeze(axes: axes), [whole]))
  }

  fileprivate mutating func expandDims() throws(WeighbridgeError) -> CoreMLBlob {
    let blob = try input()
    let written = integers("axes")
    let axes = written.map { $0 < 0 ? $0 + blob.rank + written.count : $0 }.sorted()
    return try exact(add(ExpandDims(axes: axes), [whole(blob)]))
  }

  fileprivate mutating func slice() throws(WeighbridgeError) -> CoreMLBlob {
    let blob = try input()
    let axis: CoreMLAxis =
      switch choice("axis", default: "CHANNEL_AXIS") {
      case "CHANNEL_AXIS": .channel
      case "HEIGHT_AXIS": .height
      default: .width
      }
    let axes = blob.axes.contains(axis) ? blob.axes : Set(blob.axes + [axis]).sorted()
    let whole = try value(blob, axes)
    let position = axes.firstIndex(of: axis) ?? 0
    let (start, stop, step) = (integer("startIndex"), integer("endIndex"), integer("stride"))
    let range = Slice.Range(axis: position, start: start, stop: stop, step: max(1, step))
    let part = try add(Slice([range]), [whole])
    guard type(part).shape[position] != 0 else {
      throw malformed(
        "takes \(start) to \(stop) of \(type(whole).shape[position]), which is nothing")
    }
    return CoreMLBlob(part, axes, rank: blob.rank)
  }

  fileprivate mutating func sliceStatic() throws(WeighbridgeError) -> CoreMLBlob {
    let whole = try whole(try input())
    let rank = type(whole).rank
    let (begins, ends, steps) = (integers("beginIds"), integers("endIds"), integers("strides"))
    let (beginMasks, endMasks) = (flags("beginMasks"), flags("endMasks"))
    let squeezes = flags("squeezeMasks")
    guard [begins.count, ends.count, steps.count].allSatisfy({ $0 == rank }),
      [beginMasks.count, endMasks.count, squeezes.count].allSatisfy({ $0 == 0 || $0 == rank })
    else { throw malformed("does not say a part of each of \(rank) axes") }
    let removed = squeezes.indices.filter { squeezes[$0] }
    let ranges = (0..<rank).map { axis in
      removed.contains(axis)
        // No element follows the one at -1.
        ? Slice.Range(
          axis: axis, start: begins[axis], stop: begins[axis] == -1 ? nil : begins[axis] &+ 1,
          step: 1)
        : Slice.Range(
          axis: axis, start: beginMasks.isEmpty || !beginMasks[axis] ? begins[axis] : nil,
          stop: endMasks.isEmpty || !endMasks[axis] ? ends[axis] : nil, step: steps[axis])
    }
    let part = try add(Slice(ranges), [whole], role: removed.isEmpty ? "" : "part")
    return try exact(removed.isEmpty ? part : add(Squeeze(axes: removed), [part]))
  }

  fileprivate mutating func split(
    _ blob: CoreMLBlob, _ axis: CoreMLAxis, count: Int, sizes: [Int]
  ) throws(WeighbridgeError) -> [CoreMLBlob] {
    let axes = blob.axes.contains(axis) ? blob.axes : Set(blob.axes + [axis]).sorted()
    let whole = try value(blob, axes)
    let position = axes.firstIndex(of: axis) ?? 0
    var sizes = sizes
    if sizes.isEmpty {
      guard let dimension = type(whole).shape[position].value, (1...1 << 16).contains(count),
        dimension % count == 0
      else { throw malformed("cannot be cut into \(count) equal parts") }
      sizes = [Int](repeating: dimension / count, count: count)
    }
    return try addAll(Split(axis: position, sizes: sizes), [whole]).map {
      CoreMLBlob($0, axes, rank: blob.rank)
    }
  }

  fileprivate mutating func broadcast() throws(WeighbridgeError) -> CoreMLBlob {
    let blob = try input()
    let target = integers("targetShape")
    guard target.count >= blob.rank, target.count <= 5 else {
      throw malformed("has the target \(target)")
    }
    let wide = try value(blob, CoreMLAxis.last(target.count))
    return try exact(add(BroadcastTo(target: target), [wide]))
  }
}
