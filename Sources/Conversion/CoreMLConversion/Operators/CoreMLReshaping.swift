import Bytes
import ConversionCore
import CoreMLFormat
import GraphIR
import LayerCatalog
import ProtobufWire

/// Reshaping, transposition and slicing.
enum CoreMLReshaping: CoreMLFamily {
  static let rows = shapes + slices + images

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

  private static let slices: [CoreMLRow] = [
    CoreMLRow(Slice.self) { (operation, builder) throws(WeighbridgeError) in
      let shape = try builder.dimensions(builder.type())
      var ranges: [Int: (start: Int, count: Int, step: Int)] = [:]
      for range in operation.ranges {
        let (start, count) = range.resolved(shape[range.axis])
        guard count > 0 else {
          throw .unsupported(
            "gives an array without elements, and Core ML can have one or more only")
        }
        ranges[range.axis] = (start, count, range.step)
      }
      return try builder.slice(try builder.input(), rank: shape.count, ranges)
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
      let indices = (0..<dimension * operation.count).map { $0 / operation.count }
      return try builder.gather(try builder.input(), axis: operation.axis, indices)
    },
    CoreMLRow(Pad.self) { (operation, builder) throws(WeighbridgeError) in
      guard operation.mode != .constant else {
        return try builder.pad(
          try builder.input(), before: operation.before, after: operation.after,
          value: operation.value)
      }
      return try builder.padByGathering(operation)
    },
  ]

  static let nodes: [String: CoreMLLayerImport.Build] = [
    "reshape": { (layer) throws(WeighbridgeError) in [try layer.reshape()] },
    "flatten": { (layer) throws(WeighbridgeError) in [try layer.flatten()] },
    "permute": { (layer) throws(WeighbridgeError) in [try layer.permute()] },
    "transpose": { (layer) throws(WeighbridgeError) in
      let blob = try layer.input()
      return [try layer.transpose(blob, layer.integers("axes"))]
    },
    "reshapeStatic": { (layer) throws(WeighbridgeError) in [try layer.reshapeStatic()] },
    "rankPreservingReshape": { (layer) throws(WeighbridgeError) in
      [try layer.reshapeStatic(keepsRank: true)]
    },
    "reshapeLike": { (layer) throws(WeighbridgeError) in [try layer.reshapeLike()] },
    "flattenTo2D": { (layer) throws(WeighbridgeError) in [try layer.flattenTo2D()] },
    "squeeze": { (layer) throws(WeighbridgeError) in [try layer.squeeze()] },
    "expandDims": { (layer) throws(WeighbridgeError) in [try layer.expandDims()] },
    "sequenceRepeat": { (layer) throws(WeighbridgeError) in
      let count = max(1, layer.integer("nRepetitions"))
      let tensor = try layer.fullRank(try layer.input())
      return [try layer.fullRankBlob(layer.add(Tile(counts: [count, 1, 1, 1, 1]), [tensor]))]
    },
    "tile": { (layer) throws(WeighbridgeError) in
      [try layer.tile()]
    },
    "reverse": { (layer) throws(WeighbridgeError) in
      [try layer.reverse()]
    },
    "slice": { (layer) throws(WeighbridgeError) in [try layer.slice()] },
    "sliceStatic": { (layer) throws(WeighbridgeError) in [try layer.sliceStatic()] },
    "split": { (layer) throws(WeighbridgeError) in
      let blob = try layer.input()
      return try layer.split(blob, .channel, count: layer.integer("nOutputs"), sizes: [])
    },
    "splitND": { (layer) throws(WeighbridgeError) in
      let blob = try layer.input()
      let (axis, sizes) = (try layer.axis(of: blob), layer.integers("splitSizes"))
      return try layer.split(blob, axis, count: layer.integer("numSplits"), sizes: sizes)
    },
    "broadcastToStatic": { (layer) throws(WeighbridgeError) in [try layer.broadcast()] },
    "getShape": { (layer) throws(WeighbridgeError) in
      let tensor = try layer.fullRank(try layer.input())
      let shape = try layer.add(Shape(elementType: .int32), [tensor], role: "shape")
      return [try layer.fullRankBlob(try layer.castToFloat(shape))]
    },
  ]
}

extension ExportRow<CoreMLNetworkBuilder> {
  /// Creates a row for an operator that only reshapes.
  fileprivate init<Operation: CatalogOperator>(reshaping type: Operation.Type) {
    self.init(type) { (_, builder) throws(WeighbridgeError) in
      try builder.reshape(try builder.input(), to: builder.outputType)
    }
  }
}

extension CoreMLNetworkBuilder {
  /// Pads the ends of all axes with a constant.
  mutating func pad(
    _ input: String, before: [Int], after: [Int], value: Double
  ) throws(WeighbridgeError) -> String {
    let borders = zip(before, after)
    if before.count == 4, borders.prefix(2).allSatisfy({ $0 == 0 && $1 == 0 }) {
      let amounts = ProtobufRecord.borders(
        before: Array(before.dropFirst(2)), after: Array(after.dropFirst(2)))
      return try add(
        "padding", [input],
        ["constant": .record(["value": .double(value)]), "paddingAmounts": .record(amounts)])
    }
    return try add(
      "constantPad", [input],
      ["value": .double(value), "padAmounts": .integers(borders.flatMap { [$0, $1] })])
  }

  /// Pads with elements of the input itself: gathers them along one axis after another.
  fileprivate mutating func padByGathering(_ operation: Pad) throws(WeighbridgeError) -> String {
    var result = try input()
    let shape = try dimensions(type())
    for (axis, dimension) in shape.enumerated() {
      let (before, after) = (operation.before[axis], operation.after[axis])
      if before == 0, after == 0 { continue }
      let indices = (-before..<dimension + after).compactMap {
        operation.source(of: $0, dimension: dimension)
      }
      result = try gather(result, axis: axis, indices)
    }
    return result
  }
}

extension CoreMLLayerImport {
  /// Reshapes the axes C, H, W or S, C, H, W.
  fileprivate mutating func reshape() throws(WeighbridgeError) -> CoreMLBlob {
    let blob = try input()
    let target = integers("targetShape")
    let isChannelsLast = choice("mode", default: "CHANNEL_FIRST") == "CHANNEL_LAST"
    guard [3, 4].contains(target.count) else {
      throw malformed(
        "has the target shape \(target) of rank \(target.count), expected 3 (channels, height, width) "
          + "or 4 (sequence length, channels, height, width)")
    }
    let sizes = try sizes(target)
    let inner: [CoreMLAxis] =
      isChannelsLast ? [.height, .width, .channel] : [.channel, .height, .width]
    let image = sizes.suffix(3)
    let targetImage = isChannelsLast ? image.dropFirst() + image.prefix(1) : image
    let hasSequence = blob.axes.contains(.sequence) || target.count == 4 && target[0] != 1
    let outer: [CoreMLAxis] = hasSequence ? [.batch, .sequence] : [.batch]
    let tensor = try value(blob, outer + inner)
    var outputSizes: [ReshapeAxes.Size] = [.axis(0)]
    if hasSequence { outputSizes.append(sizes.count == 4 ? sizes[0] : .axis(1)) }
    let reshaped = try add(ReshapeAxes(outputSizes + targetImage), [tensor])
    return CoreMLBlob(reshaped, outer + inner, rank: blob.rank)
  }

  fileprivate mutating func flatten() throws(WeighbridgeError) -> CoreMLBlob {
    let blob = try input()
    let isChannelsLast = choice("mode", default: "CHANNEL_FIRST") == "CHANNEL_LAST"
    let inner: [CoreMLAxis] =
      isChannelsLast ? [.height, .width, .channel] : [.channel, .height, .width]
    let outer: [CoreMLAxis] = blob.axes.contains(.sequence) ? [.sequence, .batch] : [.batch]
    let tensor = try value(blob, outer + inner)
    let outerSizes = outer.indices.map { ReshapeAxes.Size.axis($0) }
    return CoreMLBlob(
      try add(ReshapeAxes(outerSizes + [.rest]), [tensor]), outer + [.channel], rank: blob.rank)
  }

  /// Transposes the axes S, C, H, W.
  fileprivate mutating func permute() throws(WeighbridgeError) -> CoreMLBlob {
    let blob = try input()
    let order = integers("axis")
    guard order.sorted() == [0, 1, 2, 3] else {
      throw malformed(
        "has the axes \(order), expected 0 (sequence), 1 (channels), 2 (height) and 3 (width) in "
          + "some order")
    }
    if order[0] == 0, !blob.axes.contains(.sequence) {
      let transposed = try add(
        Transpose(axes: [0] + order.dropFirst()), [value(blob, CoreMLAxis.image)])
      return CoreMLBlob(transposed, CoreMLAxis.image, rank: blob.rank)
    }
    let full = CoreMLBlob(try value(blob, CoreMLAxis.allCases), rank: 5)
    // The order leaves out the batch, which stays at index 1.
    let axes = order.map { $0 == 0 ? 0 : $0 + 1 }
    let transposed = try transpose(full, [axes[0], 1] + axes[1...])
    return CoreMLBlob(transposed.value, transposed.axes, rank: blob.rank)
  }

  fileprivate mutating func transpose(
    _ blob: CoreMLBlob, _ axes: [Int]
  ) throws(WeighbridgeError) -> CoreMLBlob {
    guard axes.sorted() == Array(0..<blob.rank) else {
      throw malformed(
        "has the axes \(axes), expected the numbers from 0 to \(blob.rank - 1) in some order")
    }
    return try fullRankBlob(add(Transpose(axes: axes), [fullRank(blob)]))
  }

  /// - Parameter keepsRank: Whether the output must have the rank of the input.
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
    return try fullRankBlob(add(ReshapeAxes(sizes(target, zeroKeeps: true)), [fullRank(blob)]))
  }

  /// Returns the sizes of a target shape, in which -1 means an inferred size.
  ///
  /// - Parameter zeroKeeps: Whether 0 means the input's size along that axis.
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
    let reference = try fullRank(other)
    guard let shape = type(reference).fixedShape else {
      throw unsupported(
        "takes the shape of \(type(reference)), and only a shape of known sizes can be read")
    }
    return try fullRankBlob(add(ReshapeAxes(shape.map { .fixed($0) }), [fullRank(blob)]))
  }

  fileprivate mutating func flattenTo2D() throws(WeighbridgeError) -> CoreMLBlob {
    let blob = try input()
    let rawAxis = integer("axis")
    let axis = rawAxis < 0 ? rawAxis + blob.rank : rawAxis
    let tensor = try fullRank(blob)
    let shape = type(tensor).shape
    guard (0...blob.rank).contains(axis) else {
      throw malformed("has the axis \(rawAxis), expected \(-blob.rank) to \(blob.rank)")
    }
    let trailing = shape[axis...].compactMap(\.value)
    let leading = shape[..<axis].compactMap(\.value)
    let dimensions: [ReshapeAxes.Size]
    if trailing.count == shape.count - axis {
      dimensions = [.rest, .fixed(try Checked.product(trailing, of: "its output"))]
    } else if leading.count == axis {
      dimensions = [.fixed(try Checked.product(leading, of: "its output")), .rest]
    } else {
      throw unsupported(
        "flattens \(type(tensor)), and only outputs of which one size is known can be read")
    }
    return try fullRankBlob(add(ReshapeAxes(dimensions), [fullRank(blob)]))
  }

  fileprivate mutating func squeeze() throws(WeighbridgeError) -> CoreMLBlob {
    let blob = try input()
    let rawAxes = integers("axes")
    let tensor = try fullRank(blob)
    let shape = type(tensor).shape
    let axes =
      flag("squeezeAll")
      ? shape.indices.filter { shape[$0] == 1 } : try axes(rawAxes, rank: blob.rank)
    // A tensor has at least one axis.
    let removed = axes.count == shape.count ? axes.dropLast() : axes
    return try fullRankBlob(removed.isEmpty ? tensor : add(Squeeze(axes: removed), [tensor]))
  }

  fileprivate mutating func expandDims() throws(WeighbridgeError) -> CoreMLBlob {
    let blob = try input()
    let named = integers("axes")
    let axes = try axes(named, rank: blob.rank + named.count)
    return try fullRankBlob(add(ExpandDims(axes: axes), [fullRank(blob)]))
  }

  fileprivate mutating func broadcast() throws(WeighbridgeError) -> CoreMLBlob {
    let blob = try input()
    let target = integers("targetShape")
    guard target.count >= blob.rank, target.count <= 5 else {
      throw malformed(
        "has the target shape \(target), expected \(blob.rank) to 5 sizes for an input of rank "
          + "\(blob.rank)")
    }
    let expanded = try value(blob, CoreMLAxis.axes(rank: target.count))
    return try fullRankBlob(add(BroadcastTo(target: target), [expanded]))
  }
}
