import Bytes
import ConversionCore
import CoreMLFormat
import GraphIR
import LayerCatalog

extension MILReshaping {
  static let nodes = [String: MILLayer.Build](families: [shapeNodes, blocks, parts, joins])

  private static let shapeNodes: [String: MILLayer.Build] = [
    "expand_dims": { (layer) throws(WeighbridgeError) in
      let input = try layer.input()
      if input.tensor == nil, case .dimensions(let sizes, false, let type) = input {
        layer.ignore("axes")
        return [.dimensions(sizes, isList: true, as: type)]
      }
      let axes = try layer.integers("axes") ?? []
      let rank = layer.type(input).rank + axes.count
      return [try layer.apply(ExpandDims(axes: try layer.axes(axes, rank: rank)), to: input)]
    },
    "squeeze": { (layer) throws(WeighbridgeError) in
      let (input, stored) = (try layer.input(), try layer.integers("axes"))
      if input.tensor == nil, case .dimensions(let sizes, true, let type) = input,
        sizes.count == 1
      {
        return [.dimensions(sizes, isList: false, as: type)]
      }
      let shape = layer.type(input).shape
      let axes =
        try stored.map { (axes) throws(WeighbridgeError) in
          try layer.axes(axes, rank: shape.count)
        } ?? shape.indices.filter { shape[$0].value == 1 }
      return [axes.isEmpty ? input : try layer.apply(Squeeze(axes: axes), to: input)]
    },
    "reshape": { (layer) throws(WeighbridgeError) in
      let (input, shape) = (try layer.input(), try layer.input("shape"))
      guard let sizes = shape.dimensions else {
        throw layer.unsupported(
          "reshapes to a shape that is known only when the model runs, and only one that is "
            + "made of sizes of other values can be read")
      }
      if input.tensor == nil, case .dimensions(let list, _, let type) = input, sizes.count <= 1 {
        return [.dimensions(list, isList: !sizes.isEmpty, as: type)]
      }
      return [try layer.reshape(input, to: sizes, keepsZeros: false)]
    },
    "flatten2d": { (layer) throws(WeighbridgeError) in
      let input = try layer.input()
      let axis = try layer.integer("axis", default: 1)
      let shape = layer.type(input).shape
      let place = axis < 0 ? axis + shape.count : axis
      guard (0...shape.count).contains(place), let rows = layer.type(input).fixedShape else {
        throw layer.unsupported(
          "flattens \(layer.type(input)) at axis \(axis), expected one of a tensor of known sizes")
      }
      let sizes = [rows[..<place].reduce(1, *), rows[place...].reduce(1, *)]
      return [
        try layer.reshape(input, to: sizes.map { .known($0) }, keepsZeros: true)
      ]
    },
    "shape": { (layer) throws(WeighbridgeError) in
      [layer.sizes(of: try layer.input(), as: .int32)]
    },
    "transpose": { (layer) throws(WeighbridgeError) in
      let (input, order) = (try layer.input(), try layer.integers("perm") ?? [])
      let rank = layer.type(input).rank
      let axes = order.map { $0 < 0 ? $0 + rank : $0 }
      guard axes.sorted() == Array(0..<rank) else {
        throw layer.malformed(
          "has the order \(order), and each axis of \(layer.type(input)) once is expected")
      }
      return [try layer.transposed(input, axes)]
    },
    "reverse": { (layer) throws(WeighbridgeError) in
      let input = try layer.input()
      let rank = layer.type(input).rank
      let axes = try layer.axes(try layer.integers("axes") ?? Array(0..<rank), rank: rank)
      return [try layer.apply(Reverse(axes: axes), to: input)]
    },
    "reverse_sequence": { (layer) throws(WeighbridgeError) in [try layer.reversedSequences()] },
  ]

  private static let blocks: [String: MILLayer.Build] = [
    "depth_to_space": { (layer) throws(WeighbridgeError) in
      let operation = DepthToSpace(block: try layer.block("block_size"), layout: .channelsFirst)
      return [try layer.apply(operation, to: try layer.input())]
    },
    "space_to_depth": { (layer) throws(WeighbridgeError) in
      let operation = SpaceToDepth(block: try layer.block("block_size"), layout: .channelsFirst)
      return [try layer.apply(operation, to: try layer.input())]
    },
    "pixel_shuffle": { (layer) throws(WeighbridgeError) in [try layer.pixelShuffle()] },
    "pixel_unshuffle": { (layer) throws(WeighbridgeError) in [try layer.pixelUnshuffle()] },
    "space_to_batch": { (layer) throws(WeighbridgeError) in
      try layer.movingBlocks { (layer, image, blocks) throws(WeighbridgeError) in
        let borders = try layer.integers("paddings") ?? []
        return try layer.spaceToBatch(image, blocks: blocks, borders: borders, role: "blocks")
      }
    },
    "batch_to_space": { (layer) throws(WeighbridgeError) in
      try layer.movingBlocks { (layer, image, blocks) throws(WeighbridgeError) in
        let borders = try layer.integers("crops") ?? []
        return try layer.batchToSpace(image, blocks: blocks, borders: borders, role: "whole")
      }
    },
  ]

  private static let parts: [String: MILLayer.Build] = [
    "slice_by_index": { (layer) throws(WeighbridgeError) in [try layer.sliceByIndex()] },
    "slice_by_size": { (layer) throws(WeighbridgeError) in
      let input = try layer.input()
      let (starts, sizes) = (try layer.integers("begin") ?? [], try layer.integers("size") ?? [])
      return [try layer.slice(input, starts: starts, sizes: sizes)]
    },
    "split": { (layer) throws(WeighbridgeError) in
      let input = try layer.input()
      let axis = try layer.axis(of: input)
      let (count, sizes) = (try layer.integers("num_splits"), try layer.integers("split_sizes"))
      if let sizes { return try layer.split(input, axis: axis, sizes: sizes) }
      guard let count = count?.first, let size = layer.type(input).shape[axis].value,
        count == layer.operation.outputs.count, count >= 1, size % count == 0
      else {
        throw layer.malformed(
          "splits axis \(axis) of \(layer.type(input)) into \(count ?? []) parts, which must be equal "
            + "and as many as the outputs")
      }
      return try layer.split(input, axis: axis, sizes: .init(repeating: size / count, count: count))
    },
    "band_part": { (layer) throws(WeighbridgeError) in [try layer.band()] },
    "slice_update": { (layer) throws(WeighbridgeError) in [try layer.sliceUpdate()] },
    "crop": { (layer) throws(WeighbridgeError) in
      let input = try layer.input()
      let (rows, columns) = (
        try layer.integers("crop_height") ?? [], try layer.integers("crop_width") ?? []
      )
      let rank = layer.type(input).rank
      guard rank >= 2, rows.count == 2, columns.count == 2, (rows + columns).allSatisfy({ $0 >= 0 })
      else {
        throw layer.malformed(
          "crops \(layer.type(input)) by \(rows) and \(columns), expected two numbers of 0 or more")
      }
      let ranges = [(rank - 2, rows), (rank - 1, columns)].map { axis, border in
        Slice.Range(
          axis: axis, start: border[0], stop: border[1] == 0 ? nil : -border[1], step: 1)
      }
      return [try layer.taken(ranges, of: input)]
    },
  ]

  private static let joins: [String: MILLayer.Build] = [
    "concat": { (layer) throws(WeighbridgeError) in
      guard !(try layer.flag("interleave")) else {
        throw layer.unsupported(
          "interleaves its values, and values one after the other can be read")
      }
      let values = try layer.inputs("values")
      return [try layer.concatenated(values, axis: try layer.integer("axis"))]
    },
    "stack": { (layer) throws(WeighbridgeError) in
      [try layer.packed(try layer.inputs("values"), axis: try layer.integer("axis"))]
    },
    "pad": { (layer) throws(WeighbridgeError) in
      let (input, stored) = (try layer.input(), try layer.integers("pad") ?? [])
      let modes: [String: Pad.Mode] = [
        "constant": .constant, "reflect": .reflect, "replicate": .edge,
      ]
      let name = try layer.text("mode", default: "constant")
      let value = try layer.number("constant_val", default: 0)
      let missing = 2 * layer.type(input).rank - stored.count
      guard let mode = modes[name], missing >= 0 else {
        throw layer.malformed(
          "pads \(layer.type(input)) by \(stored) in the mode \(name), expected constant, reflect or "
            + "replicate and two numbers for each axis")
      }
      let borders = [Int](repeating: 0, count: missing) + stored
      return [
        try layer.padded(input, borders, mode, value: mode == .constant ? value : 0)
      ]
    },
    "tile": { (layer) throws(WeighbridgeError) in
      let (input, counts) = (try layer.input(), try layer.integers("reps") ?? [])
      guard counts.allSatisfy({ $0 >= 0 }) else {
        throw layer.malformed("repeats \(counts) times, and 0 or more is expected")
      }
      return [try layer.apply(Tile(counts: counts), to: input)]
    },
  ]
}

extension MILLayer {
  fileprivate mutating func block(_ name: String) throws(WeighbridgeError) -> Int {
    let block = try integer(name)
    guard (1...1 << 16).contains(block) else {
      throw malformed("has blocks of \(block), and 1 or more is expected")
    }
    return block
  }

  fileprivate mutating func sliceByIndex() throws(WeighbridgeError) -> SourceValue {
    try slicedByIndex(try input())
  }

  /// The part of a value that `begin`, `end`, `stride` and their masks name.
  private mutating func slicedByIndex(
    _ input: SourceValue
  ) throws(WeighbridgeError) -> SourceValue {
    let rank = type(input).rank
    guard let starts = try integers("begin"), let ends = try integers("end") else {
      throw malformed("has no begin or no end, which are a number for each axis")
    }
    let steps = try integers("stride") ?? [Int](repeating: 1, count: rank)
    guard rank <= 32, starts.count == rank else {
      throw malformed("slices \(type(input)) from \(starts), expected a number for each axis")
    }
    func mask(_ name: String) throws(WeighbridgeError) -> Int {
      try flags(name, count: rank).enumerated().reduce(0) { $0 | ($1.element ? 1 << $1.offset : 0) }
    }
    let masks = StridedSliceMasks(
      begin: try mask("begin_mask"), end: try mask("end_mask"), ellipsis: 0, newAxis: 0,
      shrink: try mask("squeeze_mask"))
    return try slice(input, starts: starts, ends: ends, steps: steps, masks)
  }

  /// A value whose part that slicing names is replaced.
  fileprivate mutating func sliceUpdate() throws(WeighbridgeError) -> SourceValue {
    let (input, update) = (try input(), try self.input("update"))
    guard let shape = type(input).fixedShape, let updateShape = type(update).fixedShape else {
      throw unsupported(
        "replaces a part of \(type(input)) by \(type(update)), and known sizes can be read")
    }
    let count = try Checked.product(shape + [8], of: "positions") / 8
    try network.countConstant(type(input), byteCount: 8 * count)
    let places = newConstant(
      Tensor(.int64, shape: shape, (0..<count).map(Double.init)), "places")
    guard let chosen = try slicedByIndex(places).tensor, chosen.shape == updateShape else {
      throw malformed(
        "replaces a part of \(type(input)) by \(type(update)), expected as many elements")
    }
    let flat = try reshape(input, to: [.known(count)], keepsZeros: true, role: "flat")
    let part = try reshape(update, to: [.known(chosen.count)], keepsZeros: true, role: "part")
    let replaced = try replacing(
      part, in: flat, at: chosen.reshaped([chosen.count, 1]), role: "replaced")
    return try reshape(replaced, to: shape.map { .known($0) }, keepsZeros: true)
  }

  /// The elements of matrices near the diagonal, and 0 elsewhere; -1 stands for all on that side.
  fileprivate mutating func band() throws(WeighbridgeError) -> SourceValue {
    let input = try input()
    let (lower, upper) = (try integer("lower", default: -1), try integer("upper", default: -1))
    let sizes = type(input).shape.suffix(2).compactMap(\.value)
    guard sizes.count == 2 else {
      throw unsupported("takes a band of \(type(input)), and matrices of known sizes can be read")
    }
    let mask = (0..<sizes[0]).flatMap { row in
      (0..<sizes[1]).map { column -> Double in
        (lower < 0 || row - column <= lower) && (upper < 0 || column - row <= upper) ? 1 : 0
      }
    }
    let ones = [Int](repeating: 1, count: type(input).rank - 2)
    let isKept = newConstant(Tensor(.bool, shape: ones + sizes, mask), "is_kept")
    return try apply(Where(), to: isKept, input, number(0, like: input, "zero"))
  }

  /// Sequences of which the first elements, as many as each has, are in reverse order.
  fileprivate mutating func reversedSequences() throws(WeighbridgeError) -> SourceValue {
    let input = try input()
    let time = try axis("seq_axis", of: input, default: 0)
    let batch = try axis("batch_axis", of: input, default: 0)
    guard let lengths = try integers("lengths"), let shape = type(input).fixedShape, time != batch,
      lengths.count == shape[batch], lengths.allSatisfy({ (0...shape[time]).contains($0) })
    else {
      throw unsupported(
        "reverses sequences of \(type(input)) along the axis \(time), and constant lengths for each of "
          + "a known number of them can be read")
    }
    let order = lengths.flatMap { length in
      (0..<shape[time]).map { Double($0 < length ? length - 1 - $0 : $0) }
    }
    var sizes = [Int](repeating: 1, count: shape.count)
    (sizes[batch], sizes[time]) = (shape[batch], shape[time])
    let places = Tensor(.int32, shape: [shape[batch], shape[time]], order)
    let placed = (batch < time ? places : places.permuted([1, 0]).contiguous()).reshaped(sizes)
    let everywhere = try apply(
      BroadcastTo(target: shape), to: newConstant(placed, "order"), role: "places")
    return try apply(GatherElements(axis: time), to: input, everywhere)
  }

  /// Moves between the axes of an image and its batch, with the channels last meanwhile.
  fileprivate mutating func movingBlocks(
    _ move: (inout MILLayer, SourceValue, [Int]) throws(WeighbridgeError) -> SourceValue
  ) throws(WeighbridgeError) -> [SourceValue] {
    let (input, blocks) = (try input(), try integers("block_shape") ?? [])
    guard type(input).rank == 4, blocks.count == 2 else {
      throw malformed(
        "moves blocks of \(blocks) in \(type(input)), expected two sizes and an image of four axes")
    }
    let image = try transposed(input, [0, 2, 3, 1], role: "channels_last")
    return [try transposed(try move(&self, image, blocks), [0, 3, 1, 2])]
  }

  /// Moves pixels to channels; those of a block become channels side by side.
  fileprivate mutating func pixelUnshuffle() throws(WeighbridgeError) -> SourceValue {
    let (input, block) = (try input(), try block("downscale_factor"))
    guard let shape = type(input).fixedShape, shape.count == 4, shape[2] % block == 0,
      shape[3] % block == 0
    else { throw unsupported("moves the pixels of \(type(input)) to channels of \(block)") }
    let (rows, columns) = (shape[2] / block, shape[3] / block)
    let split = try reshape(
      input, to: [shape[0], shape[1], rows, block, columns, block].map { .known($0) },
      keepsZeros: true, role: "blocks")
    let moved = try apply(Transpose(axes: [0, 1, 3, 5, 2, 4]), to: split, role: "moved")
    return try reshape(
      moved, to: [shape[0], shape[1] * block * block, rows, columns].map { .known($0) },
      keepsZeros: true)
  }

  /// Moves channels to pixels; those of a pixel are side by side.
  fileprivate mutating func pixelShuffle() throws(WeighbridgeError) -> SourceValue {
    let (input, block) = (try input(), try block("upscale_factor"))
    guard let shape = type(input).fixedShape, shape.count == 4, shape[1] % (block * block) == 0
    else { throw unsupported("moves the channels of \(type(input)) to pixels of \(block)") }
    let channels = shape[1] / block / block
    let split = try reshape(
      input, to: [shape[0], channels, block, block, shape[2], shape[3]].map { .known($0) },
      keepsZeros: true, role: "blocks")
    let moved = try apply(Transpose(axes: [0, 1, 4, 2, 5, 3]), to: split, role: "moved")
    return try reshape(
      moved, to: [shape[0], channels, shape[2] * block, shape[3] * block].map { .known($0) },
      keepsZeros: true)
  }
}
