import Bytes
import ConversionCore
import GraphIR
import LayerCatalog
import ONNXFormat

/// Operators that slice, repeat or pad tensors.
enum ONNXSlicing: ONNXFamily {
  static let rows: [ONNXRow] = [
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
          mode: operation.mode.rawValue, value: operation.value)
      }
      return builder.symmetricPad(operation)
    },
  ]

  static let nodes: [String: ONNXLayer.Build] = [
    "Pad": { (layer) throws(WeighbridgeError) in try layer.pad() },
    "ReverseSequence": { (layer) throws(WeighbridgeError) in
      let input = try layer.input()
      let time = try layer.axis(of: input, named: "time_axis", default: 0)
      let batch = try layer.axis(of: input, named: "batch_axis", default: 1)
      guard let steps = layer.type(input).shape[time].value,
        layer.isFilled(try layer.input(1), with: steps)
      else { return [try layer.reversedSequences(time: time, batch: batch)] }
      return [try layer.apply(Reverse(axes: [time]), to: input)]
    },
    "Slice": { (layer) throws(WeighbridgeError) in try layer.slice() },
    "Split": { (layer) throws(WeighbridgeError) in
      let input = try layer.input()
      let axis = try layer.axis(of: input, default: 0)
      let count = try layer.integer("num_outputs") ?? layer.node.outputs.count
      if let sizes = try layer.optional(1), sizes.tensor == nil {
        return try layer.computedSplit(input, sizes, along: axis)
      }
      if let sizes = try layer.integers(1, orAttribute: "split") {
        return try layer.apply(Split(axis: axis, sizes: sizes), [input])
      }
      guard count >= 1 else {
        throw layer.malformed("has no outputs, and one or more are expected")
      }
      guard let dimension = layer.type(input).shape[axis].value else {
        return try layer.equalParts(of: input, axis, count)
      }
      guard count <= dimension else {
        throw layer.malformed(
          "splits \(dimension) elements into \(count) parts, and each needs one")
      }
      let size = (dimension + count - 1) / count
      let last = dimension - size * (count - 1)
      guard last > 0 else {
        throw layer.malformed(
          "splits \(dimension) elements into \(count) parts, of which the last would be empty")
      }
      let sizes = [Int](repeating: size, count: count - 1) + [last]
      return try layer.apply(Split(axis: axis, sizes: sizes), [input])
    },
    "Tile": { (layer) throws(WeighbridgeError) in
      let (input, repeats) = (try layer.input(0), try layer.input(1))
      if case .dimensions(let dimensions, true, _) = repeats, repeats.tensor == nil,
        layer.repeatsSingletons(input, dimensions)
      {
        return [try layer.tiled(input, dimensions)]
      }
      if repeats.tensor == nil { return [try layer.computedTile(input, repeats)] }
      let counts = try layer.constant(1)?.integers ?? []
      guard counts.allSatisfy({ $0 >= 0 }) else {
        throw layer.malformed("repeats its input \(counts) times, expected numbers of 0 or more")
      }
      return [try layer.apply(Tile(counts: counts), to: input)]
    },
  ]
}

extension ONNXGraphBuilder {
  /// Pads both ends of all axes.
  mutating func pad(
    _ input: String, before: [Int], after: [Int], mode: String, value: Double
  ) -> String {
    let inputs =
      [input, integers(before + after)]
      + (mode == "constant" ? [number(value)] : [])
    return add("Pad", inputs, ["mode": .string(mode)])
  }

  mutating func reverse(_ input: String, _ axes: [Int]) -> String {
    if axes.isEmpty { return input }
    let (minusOnes, ends) = (axes.map { _ in -1 }, axes.map { _ in Int.min })
    return slice(input, axes: axes, from: minusOnes, to: ends, steps: minusOnes)
  }

  /// Pads with the mirrored elements, including those at the ends, along one axis after the other.
  fileprivate mutating func symmetricPad(_ operation: Pad) -> String {
    var result = input()
    for (axis, (before, after)) in zip(operation.before, operation.after).enumerated() {
      var blocks = [result]
      if before > 0 {
        let edge = slice(result, axes: [axis], from: [0], to: [before])
        blocks.insert(reverse(edge, [axis]), at: 0)
      }
      if after > 0 {
        let edge = slice(result, axes: [axis], from: [-after], to: [.max])
        blocks.append(reverse(edge, [axis]))
      }
      result = concatenate(blocks, axis: axis)
    }
    return result
  }
}

extension ONNXLayer {
  /// Adds sequences of which the first steps, as many as each has, are turned around.
  fileprivate mutating func reversedSequences(
    time: Int, batch: Int
  ) throws(WeighbridgeError) -> ONNXValue {
    let input = try input()
    let rank = type(input).rank
    guard let count = type(input).shape[time].value, time != batch else {
      throw unsupported(
        "reverses sequences \(type(input)) along axis \(time), and only axes of known size beside that of the "
          + "batch can be read")
    }
    let steps = newConstant(
      Tensor(.int64, shape: [1, count], (0..<count).map(Double.init)), "steps")
    let lengths = try apply(Cast(to: .int64), to: try self.input(1), role: "lengths")
    let ends = try apply(ExpandDims(axes: [1]), to: lengths, role: "ends")
    let last = try apply(Subtract(), to: ends, number(1, like: ends, "one"), role: "last")
    let turned = try apply(Subtract(), to: last, steps, role: "turned")
    let isTurned = try apply(Comparison(.less), to: steps, ends, role: "is_turned")
    let positions = try apply(Where(), to: isTurned, turned, steps, role: "positions")
    let axes = [batch, time] + (0..<rank).filter { $0 != batch && $0 != time }
    let ordered = try transposed(input, axes, role: "batch_first")
    let isPlain = axes == Array(0..<rank)
    let reversed = try apply(
      Gather(axis: 1, batchAxes: 1), to: ordered, positions, role: isPlain ? "" : "reversed")
    return try transposed(reversed, axes.inversePermutation)
  }

  /// Whether unknown counts of repetitions are those of axes of size 1.
  fileprivate func repeatsSingletons(_ input: ONNXValue, _ counts: [ONNXDimension]) -> Bool {
    let shape = type(input).shape
    return counts.count == shape.count
      && zip(counts, shape).allSatisfy { $0.number.map { $0 >= 0 } ?? ($1.value == 1) }
  }

  /// Repeats a value along each axis; along an axis of size 1, the count may be unknown.
  fileprivate mutating func tiled(
    _ input: ONNXValue, _ counts: [ONNXDimension]
  ) throws(WeighbridgeError) -> ONNXValue {
    let knownCounts = counts.map { $0.number ?? 1 }
    let tiled = try apply(Tile(counts: knownCounts), to: input, role: "known")
    return try expanded(
      tiled, to: .dimensions(counts.map { $0.number == nil ? $0 : .known(1) }, isList: true))
  }

  /// Splits an axis of unknown size into parts of one size; another size is an error when the model runs.
  fileprivate mutating func equalParts(
    of input: ONNXValue, _ axis: Int, _ count: Int
  ) throws(WeighbridgeError) -> [ONNXValue] {
    let type = type(input)
    let isOnlyOne = type.shape.indices.allSatisfy {
      $0 == axis || $0 == 0 || type.shape[$0].value != nil
    }
    guard isOnlyOne else {
      throw unsupported(
        "splits \(type) into equal parts, and only one axis besides the first may be unknown")
    }
    let sizes =
      keptSizes(type, 0..<axis) + [.fixed(count), .rest]
      + type.shape[(axis + 1)...].compactMap { $0.value.map { .fixed($0) } }
    let parts = try apply(ReshapeAxes(sizes), to: input, role: "parts")
    let split = try apply(
      Split(axis: axis, sizes: [Int](repeating: 1, count: count)), [parts], role: "part")
    return try split.enumerated().map { (position, part) throws(WeighbridgeError) in
      let output = try apply(Squeeze(axes: [axis]), to: part, role: "output_\(position)")
      return output
    }
  }

  fileprivate mutating func pad() throws(WeighbridgeError) -> [ONNXValue] {
    let input = try input()
    let rank = type(input).rank
    let mode = try string("mode", default: "constant")
    let isWrapped = mode == "wrap"
    guard let padMode = isWrapped ? .constant : Pad.Mode(rawValue: mode), padMode != .symmetric
    else {
      throw unsupported(
        "pads in the mode \(mode), and only constant, edge, reflect and wrap can be read")
    }
    if let pads = try optional(1), pads.tensor == nil {
      guard !isWrapped, padMode != .reflect else {
        throw unsupported(
          "pads in the mode \(mode) by numbers that are known only when the model runs, and only the modes constant and "
            + "edge can be read with such")
      }
      let rawAxes = try constant(3)?.integers
      return [
        try computedPad(
          input, pads,
          axes: rawAxes.map { (axes) throws(WeighbridgeError) in
            try axes.map { (axis) throws(WeighbridgeError) in try self.axis(axis, rank: rank) }
          } ?? Array(0..<rank), padMode, value: try number(2, orAttribute: "value") ?? 0)
      ]
    }
    guard var pads = try integers(1, orAttribute: "pads") else {
      throw malformed("has no pads, and a Pad needs two for each axis")
    }
    let value = try number(2, orAttribute: "value") ?? 0
    let rawAxes = try constant(3)?.integers
    let axes =
      try rawAxes.map { (axes) throws(WeighbridgeError) in
        try axes.map { (axis) throws(WeighbridgeError) in try self.axis(axis, rank: rank) }
      } ?? Array(0..<rank)
    guard pads.count == 2 * axes.count else {
      throw malformed(
        "has \(pads.count.counted("number")) of padding for \(axes.count.counted("axis")), and two for each "
          + "axis are expected")
    }
    if rawAxes != nil {
      var allPads = [Int](repeating: 0, count: 2 * rank)
      for (position, axis) in axes.enumerated() {
        allPads[axis] = pads[position]
        allPads[axis + rank] = pads[position + axes.count]
      }
      pads = allPads
    }
    if isWrapped { return [try wrapped(input, pads)] }
    let padding = Pad(
      before: pads[..<rank].map { max(0, $0) }, after: pads[rank...].map { max(0, $0) },
      mode: padMode, value: padMode == .constant ? value : 0)
    guard pads.contains(where: { $0 < 0 }) else { return [try apply(padding, to: input)] }
    let ranges = (0..<rank).filter { pads[$0] < 0 || pads[$0 + rank] < 0 }.map { axis in
      Slice.Range(
        axis: axis, start: max(0, -pads[axis]),
        stop: pads[axis + rank] < 0 ? pads[axis + rank] : nil,
        step: 1)
    }
    return [try apply(padding, to: try apply(Slice(ranges), to: input, role: "slice"))]
  }

  /// Pads a value at both ends of axes with the elements of the opposite end.
  private mutating func wrapped(
    _ input: ONNXValue, _ pads: [Int]
  ) throws(WeighbridgeError) -> ONNXValue {
    let rank = type(input).rank
    let padded = (0..<rank).filter { pads[$0] != 0 || pads[$0 + rank] != 0 }
    var result = input
    for axis in padded {
      let (before, after) = (pads[axis], pads[axis + rank])
      guard let dimension = type(input).shape[axis].value, (0...dimension).contains(before),
        (0...dimension).contains(after)
      else {
        throw unsupported(
          "wraps around by \(before) and \(after) elements, and at most a known size can be read")
      }
      var blocks = [result]
      if before > 0 {
        let end = Slice.Range(axis: axis, start: dimension - before, stop: nil, step: 1)
        blocks.insert(try apply(Slice([end]), to: result, role: "end_\(axis)"), at: 0)
      }
      if after > 0 {
        let start = Slice.Range(axis: axis, start: 0, stop: after, step: 1)
        blocks.append(try apply(Slice([start]), to: result, role: "start_\(axis)"))
      }
      let role = axis == padded.last ? "" : "axis_\(axis)"
      result = try apply(Concatenate(axis: axis), blocks, role: role)[0]
    }
    return padded.isEmpty ? try apply(Identity(), to: input) : result
  }

  fileprivate mutating func slice() throws(WeighbridgeError) -> [ONNXValue] {
    let input = try input()
    if let starts = try optional(1), let stops = try optional(2),
      starts.tensor == nil || stops.tensor == nil
    {
      return [try computedSlice(input, from: starts, to: stops)]
    }
    guard let starts = try integers(1, orAttribute: "starts"),
      let stops = try integers(2, orAttribute: "ends")
    else { throw malformed("has no starts or no ends, and a Slice needs both") }
    let rawAxes = try integers(3, orAttribute: "axes") ?? Array(starts.indices)
    let steps = try constant(4)?.integers ?? starts.map { _ in 1 }
    let rank = type(input).rank
    guard starts.count == stops.count, rawAxes.count == starts.count, steps.count == starts.count,
      !steps.contains(0)
    else {
      throw malformed(
        "slices the axes \(rawAxes) from \(starts) to \(stops) in steps of \(steps), "
          + "and these lists must have one length and no step of 0")
    }
    _ = try axes(rawAxes, rank: rank)
    let ranges = rawAxes.indices.map { index in
      Slice.Range(
        axis: rawAxes[index] < 0 ? rawAxes[index] + rank : rawAxes[index],
        start: starts[index], stop: stops[index], step: steps[index])
    }.sorted { $0.axis < $1.axis }
    if input.tensor == nil, case .dimensions(let dimensions, true, let type) = input,
      let range = ranges.first
    {
      let (start, count) = range.resolved(dimensions.count)
      let positions = (0..<count).map { start + $0 * range.step }
      return [.dimensions(positions.map { dimensions[$0] }, isList: true, as: type)]
    }
    return [try apply(Slice(ranges), to: input)]
  }
}
