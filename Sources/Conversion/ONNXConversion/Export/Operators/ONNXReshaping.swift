import Bytes
import ConversionCore
import GraphIR
import LayerCatalog
import ONNXFormat

/// The same elements in another place.
enum ONNXReshaping {
  static let rows = shapes + parts + blocks

  private static let blocks: [ONNXRow] = [
    ONNXRow(DepthToSpace.self, is: "DepthToSpace") {
      ["blocksize": .integer($0.block), "mode": .text("DCR")]
    },
    ONNXRow(SpaceToDepth.self, is: "SpaceToDepth") { ["blocksize": .integer($0.block)] },
  ]

  private static let shapes: [ONNXRow] = [
    ONNXRow(Reshape.self) { (operation, builder) throws(WeighbridgeError) in
      guard !operation.target.contains(0) else { throw noElements }
      return builder.reshape(builder.input(), [0] + operation.target)
    },
    ONNXRow(ReshapeAxes.self) { (operation, builder) throws(WeighbridgeError) in
      guard !operation.sizes.contains(.fixed(0)) else { throw noElements }
      return builder.reshape(operation)
    },
    ONNXRow(FlattenTime.self) { (_, builder) throws(WeighbridgeError) in
      let (input, type) = (builder.input(), builder.type())
      let shape =
        [builder.integers([-1])]
        + (type.rank > 2 ? [builder.dimensions(input, type, 2..<type.rank)] : [])
      return builder.add("Reshape", [input, builder.concatenate(shape, axis: 0)])
    },
    ONNXRow(UnflattenTime.self) { (_, builder) throws(WeighbridgeError) in
      let (input, type) = (builder.input(0), builder.type(0))
      let shape =
        [builder.dimensions(builder.input(1), builder.type(1), 0..<2)]
        + (type.rank > 1 ? [builder.dimensions(input, type, 1..<type.rank)] : [])
      return builder.add("Reshape", [input, builder.concatenate(shape, axis: 0)])
    },
    ONNXRow(Squeeze.self) { (operation, builder) throws(WeighbridgeError) in
      builder.squeeze(builder.input(), operation.axes)
    },
    ONNXRow(Transpose.self, is: "Transpose") { ["perm": .integers($0.axes)] },
    ONNXRow(Shape.self) { (operation, builder) throws(WeighbridgeError) in
      let shape = builder.dimensions(builder.input())
      return operation.elementType == .int64
        ? shape : builder.cast(shape, to: operation.elementType)
    },
  ]

  private static let noElements = WeighbridgeError(
    .unsupported, "a size of 0, which ONNX reads as the input's")

  private static let parts: [ONNXRow] = [
    ONNXRow(Slice.self) { (operation, builder) throws(WeighbridgeError) in
      builder.slice(
        builder.input(), axes: operation.ranges.map(\.axis), from: operation.ranges.map(\.start),
        to: operation.ranges.map(\.stop), steps: operation.ranges.map(\.step))
    },
    ONNXRow(outputsOf: Split.self) { (operation, builder) throws(WeighbridgeError) in
      builder.split(operation.axis, operation.sizes)
    },
    ONNXRow(Reverse.self) { (operation, builder) throws(WeighbridgeError) in
      builder.reverse(builder.input(), operation.axes)
    },
    ONNXRow(Tile.self) { (operation, builder) throws(WeighbridgeError) in
      builder.add("Tile", [builder.input(), builder.integers(operation.counts)])
    },
    ONNXRow(BroadcastTo.self) { (operation, builder) throws(WeighbridgeError) in
      builder.add(
        "Expand", [builder.input(), builder.integers(operation.target.map { max(1, $0) })])
    },
    ONNXRow(RepeatVector.self) { (operation, builder) throws(WeighbridgeError) in
      let steps = builder.unsqueeze(builder.input(), [1])
      return builder.add("Expand", [steps, builder.integers([1, operation.count, 1])])
    },
    ONNXRow(Repeat.self) { (operation, builder) throws(WeighbridgeError) in
      let (input, rank) = (builder.input(), builder.type().rank)
      var counts = [Int](repeating: 1, count: rank + 1)
      counts[operation.axis + 1] = operation.count
      let tiled = builder.add(
        "Tile", [builder.unsqueeze(input, [operation.axis + 1]), builder.integers(counts)])
      counts.remove(at: operation.axis)
      let shape = builder.add("Mul", [builder.dimensions(input), builder.integers(counts)])
      return builder.add("Reshape", [tiled, shape])
    },
    ONNXRow(Pad.self) { (operation, builder) throws(WeighbridgeError) in
      guard operation.mode == .symmetric else {
        return builder.pad(
          builder.input(), before: operation.before, after: operation.after,
          mode: operation.mode.rawValue, number: operation.number)
      }
      return builder.mirror(operation)
    },
  ]
}

extension ONNXGraphBuilder {
  /// Adds elements at both ends of all axes.
  mutating func pad(
    _ input: String, before: [Int], after: [Int], mode: String, number: Double
  ) -> String {
    let inputs =
      [input, integers(before + after)]
      + (mode == "constant" ? [self.number(number)] : [])
    return add("Pad", inputs, ["mode": .text(mode)])
  }

  /// Sizes in numbers as far as they are known, taken from the input when the model runs where
  /// more than one is not.
  fileprivate mutating func reshape(_ operation: ReshapeAxes) -> String {
    let (input, type) = (input(), outputType)
    let open = type.shape.indices.filter { type.shape[$0].value == nil }
    if open.count <= 1 {
      return reshape(input, type.shape.map { $0.value ?? -1 })
    }
    let parts = operation.sizes.enumerated().map { position, dimension in
      if let known = type.shape[position].value { return integers([known]) }
      guard case .axis(let axis) = dimension else { return integers([-1]) }
      return dimensions(input, axis..<axis + 1)
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
