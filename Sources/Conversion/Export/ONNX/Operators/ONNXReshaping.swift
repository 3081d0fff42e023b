import Bytes
import GraphIR
import LayerCatalog
import ONNXFormat

/// The same elements in another place.
enum ONNXReshaping {
  static let rows: [ONNXRow] = shapes + parts + borders

  private static let shapes: [ONNXRow] = [
    ONNXRow(Reshape.self) { (operation, draft) throws(WeighbridgeError) in
      guard !operation.target.contains(0) else { throw noElements }
      return draft.reshape(draft.input(), [0] + operation.target)
    },
    ONNXRow(ReshapeAxes.self) { (operation, draft) throws(WeighbridgeError) in
      guard !operation.extents.contains(.fixed(0)) else { throw noElements }
      return draft.reshape(operation)
    },
    ONNXRow(FoldTime.self) { (_, draft) throws(WeighbridgeError) in
      let (input, type) = (draft.input(), draft.type())
      let shape =
        [draft.integers([-1])]
        + (type.rank > 2 ? [draft.extents(input, type, 2..<type.rank)] : [])
      return draft.add("Reshape", [input, draft.concatenate(shape, axis: 0)])
    },
    ONNXRow(UnfoldTime.self) { (_, draft) throws(WeighbridgeError) in
      let (input, type) = (draft.input(0), draft.type(0))
      let shape =
        [draft.extents(draft.input(1), draft.type(1), 0..<2)]
        + (type.rank > 1 ? [draft.extents(input, type, 1..<type.rank)] : [])
      return draft.add("Reshape", [input, draft.concatenate(shape, axis: 0)])
    },
    ONNXRow(Squeeze.self) { (operation, draft) throws(WeighbridgeError) in
      draft.squeeze(draft.input(), operation.axes)
    },
    ONNXRow(Transpose.self) { (operation, draft) throws(WeighbridgeError) in
      draft.add("Transpose", [draft.input()], ["perm": .integers(operation.axes)])
    },
    ONNXRow(Shape.self) { (operation, draft) throws(WeighbridgeError) in
      let shape = draft.extents(draft.input())
      return operation.elementType == .int64 ? shape : draft.cast(shape, to: operation.elementType)
    },
    ONNXRow(DepthToSpace.self) { (operation, draft) throws(WeighbridgeError) in
      try draft.requireChannelsFirst(operation.layout)
      return draft.add(
        "DepthToSpace", [draft.input()],
        ["blocksize": .integer(operation.block), "mode": .text("DCR")])
    },
    ONNXRow(SpaceToDepth.self) { (operation, draft) throws(WeighbridgeError) in
      try draft.requireChannelsFirst(operation.layout)
      return draft.add(
        "SpaceToDepth", [draft.input()], ["blocksize": .integer(operation.block)])
    },
  ]

  private static let noElements = WeighbridgeError(
    .unsupported, "an extent of 0, which ONNX reads as the input's")

  private static let parts: [ONNXRow] = [
    ONNXRow(Slice.self) { (operation, draft) throws(WeighbridgeError) in
      draft.slice(
        draft.input(), axes: operation.ranges.map(\.axis), from: operation.ranges.map(\.start),
        to: operation.ranges.map(\.stop), steps: operation.ranges.map(\.step))
    },
    ONNXRow(outputsOf: Split.self) { (operation, draft) throws(WeighbridgeError) in
      draft.split(operation.axis, operation.sizes)
    },
    ONNXRow(Reverse.self) { (operation, draft) throws(WeighbridgeError) in
      draft.reverse(draft.input(), operation.axes)
    },
    ONNXRow(Tile.self) { (operation, draft) throws(WeighbridgeError) in
      draft.add("Tile", [draft.input(), draft.integers(operation.counts)])
    },
    ONNXRow(BroadcastAxes.self) { (operation, draft) throws(WeighbridgeError) in
      draft.add("Expand", [draft.input(), draft.integers(operation.target.map { max(1, $0) })])
    },
    ONNXRow(RepeatVector.self) { (operation, draft) throws(WeighbridgeError) in
      let steps = draft.unsqueeze(draft.input(), [1])
      return draft.add("Expand", [steps, draft.integers([1, operation.count, 1])])
    },
    ONNXRow(Repeat.self) { (operation, draft) throws(WeighbridgeError) in
      let (input, rank) = (draft.input(), draft.type().rank)
      var counts = [Int](repeating: 1, count: rank + 1)
      counts[operation.axis + 1] = operation.count
      let tiled = draft.add(
        "Tile", [draft.unsqueeze(input, [operation.axis + 1]), draft.integers(counts)])
      counts.remove(at: operation.axis)
      let shape = draft.add("Mul", [draft.extents(input), draft.integers(counts)])
      return draft.add("Reshape", [tiled, shape])
    },
  ]

  private static let borders: [ONNXRow] = [
    ONNXRow(Pad.self) { (operation, draft) throws(WeighbridgeError) in
      guard operation.mode == .symmetric else {
        return draft.pad(
          draft.input(), before: operation.before, after: operation.after,
          mode: operation.mode.rawValue, number: operation.number)
      }
      return draft.mirror(operation)
    },
    ONNXRow(ZeroPadding.self) { (operation, draft) throws(WeighbridgeError) in
      let axes = operation.layout.spatialAxes(rank: draft.type().rank)
      var before = [Int](repeating: 0, count: draft.type().rank)
      var after = before
      before.replaceSubrange(axes, with: operation.borders.before)
      after.replaceSubrange(axes, with: operation.borders.after)
      return draft.pad(draft.input(), before: before, after: after, mode: "constant", number: 0)
    },
    ONNXRow(Cropping.self) { (operation, draft) throws(WeighbridgeError) in
      let borders = operation.borders
      return draft.slice(
        draft.input(), axes: Array(operation.layout.spatialAxes(rank: draft.type().rank)),
        from: borders.before, to: borders.after.map { $0 == 0 ? .max : -$0 })
    },
  ]
}

extension ONNXDraft {
  /// Adds elements at both ends of all axes.
  mutating func pad(
    _ input: String, before: [Int], after: [Int], mode: String, number: Double
  ) -> String {
    let inputs =
      [input, integers(before + after)]
      + (mode == "constant" ? [self.number(number)] : [])
    return add("Pad", inputs, ["mode": .text(mode)])
  }

  /// Extents in numbers as far as they are known, taken from the input when the model runs where
  /// more than one is not.
  fileprivate mutating func reshape(_ operation: ReshapeAxes) -> String {
    let (input, type) = (input(), outputType)
    let open = type.shape.indices.filter { type.shape[$0].value == nil }
    if open.count <= 1 {
      return reshape(input, type.shape.map { $0.value ?? -1 })
    }
    let parts = operation.extents.enumerated().map { position, extent in
      if let known = type.shape[position].value { return integers([known]) }
      guard case .axis(let axis) = extent else { return integers([-1]) }
      return extents(input, axis..<axis + 1)
    }
    return add("Reshape", [input, concatenate(parts, axis: 0)])
  }

  mutating func reverse(_ input: String, _ axes: [Int]) -> String {
    if axes.isEmpty { return input }
    let (last, none) = (axes.map { _ in -1 }, axes.map { _ in Int.min })
    return slice(input, axes: axes, from: last, to: none, steps: last)
  }

  /// Mirrors along one axis after the other, the elements at the ends included.
  fileprivate mutating func mirror(_ operation: Pad) -> String {
    var result = input()
    for (axis, (before, after)) in zip(operation.before, operation.after).enumerated() {
      var parts = [result]
      if before > 0 {
        let edge = slice(result, axes: [axis], from: [0], to: [before])
        parts.insert(reverse(edge, [axis]), at: 0)
      }
      if after > 0 {
        let edge = slice(result, axes: [axis], from: [-after], to: [.max])
        parts.append(reverse(edge, [axis]))
      }
      result = concatenate(parts, axis: axis)
    }
    return result
  }
}
