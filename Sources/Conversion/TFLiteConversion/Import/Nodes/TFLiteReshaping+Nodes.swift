import Bytes
import ConversionCore
import GraphIR
import LayerCatalog
import TFLiteFormat

extension TFLiteReshaping {
  static let nodes = [String: TFLiteReading](families: [shapeNodes, blocks])

  private static let shapeNodes: [String: TFLiteReading] = [
    "BROADCAST_TO": TFLiteReading { (layer) throws(WeighbridgeError) in
      [try layer.expanded(try layer.carried(), to: try layer.input(1))]
    },
    "EXPAND_DIMS": TFLiteReading { (layer) throws(WeighbridgeError) in
      let input = try layer.carried()
      if input.tensor == nil, case .dimensions(let sizes, false, let type) = input {
        return [.dimensions(sizes, isList: true, as: type)]
      }
      let axis = try layer.axis(ofInput: 1, rank: layer.type(input).rank + 1)
      return [try layer.apply(ExpandDims(axes: [axis]), to: input)]
    },
    "RESHAPE": TFLiteReading(options: 17) { (layer) throws(WeighbridgeError) in
      let (input, stored) = (try layer.carried(), try layer.integers(0))
      var target = stored.map { SourceDimension.known($0) }
      // TensorFlow 1 also writes matrices, which the interpreter takes no sizes from.
      if let shape = try layer.optional(1), layer.type(shape).rank == 1 {
        guard let sizes = shape.dimensions else {
          throw layer.unsupported(
            "reshapes to a shape that is known only when the model runs, and only one that is "
              + "made of sizes of other values can be read")
        }
        target = sizes
      }
      if input.tensor == nil, case .dimensions(let sizes, _, let type) = input,
        target.isEmpty ? sizes.count == 1 : target.count == 1,
        target.allSatisfy({ [-1, sizes.count].contains($0.number) })
      {
        return [.dimensions(sizes, isList: !target.isEmpty, as: type)]
      }
      // Old converters write the shape of a scalar as [0].
      if target == [.known(0)], layer.type(input).fixedShape?.reduce(1, *) == 1 { target = [] }
      return [try layer.reshape(input, to: target, keepsZeros: true)]
    },
    "SQUEEZE": TFLiteReading(options: 30) { (layer) throws(WeighbridgeError) in
      let (input, stored) = (try layer.carried(), try layer.integers(0))
      if input.tensor == nil, case .dimensions(let sizes, true, let type) = input,
        sizes.count == 1
      {
        return [.dimensions(sizes, isList: false, as: type)]
      }
      let shape = layer.type(input).shape
      let axes =
        stored.isEmpty
        ? shape.indices.filter { shape[$0].value == 1 }
        : try layer.axes(stored, rank: shape.count)
      return [axes.isEmpty ? input : try layer.apply(Squeeze(axes: axes), to: input)]
    },
    "TRANSPOSE": TFLiteReading { (layer) throws(WeighbridgeError) in
      let (input, axes) = (try layer.carried(), try layer.constantIntegers(1))
      let rank = layer.type(input).rank
      guard axes.sorted() == Array(0..<rank) else {
        throw layer.malformed(
          "has the order \(axes), and each axis of \(layer.type(input)) is expected once")
      }
      return [try layer.transposed(input, axes)]
    },
  ]

  private static let blocks: [String: TFLiteReading] = [
    "BATCH_TO_SPACE_ND": TFLiteReading { (layer) throws(WeighbridgeError) in
      [try layer.batchToSpace()]
    },
    "DEPTH_TO_SPACE": TFLiteReading(options: 94) { (layer) throws(WeighbridgeError) in
      let operation = DepthToSpace(block: try layer.block(), layout: .channelsLast)
      return [try layer.apply(operation, to: try layer.carried())]
    },
    "SPACE_TO_BATCH_ND": TFLiteReading { (layer) throws(WeighbridgeError) in
      [try layer.spaceToBatch()]
    },
    "SPACE_TO_DEPTH": TFLiteReading(options: 19) { (layer) throws(WeighbridgeError) in
      let operation = SpaceToDepth(block: try layer.block(), layout: .channelsLast)
      return [try layer.apply(operation, to: try layer.carried())]
    },
  ]
}

extension TFLiteLayer {
  fileprivate mutating func block() throws(WeighbridgeError) -> Int {
    let block = try integer(0)
    guard block >= 1 else { throw malformed("has blocks of \(block), and 1 or more is expected") }
    return block
  }

  /// The sizes of blocks, and the numbers of elements before and after each spatial axis.
  private func blocks(
    _ input: SourceValue
  ) throws(WeighbridgeError) -> (sizes: [Int], before: [Int], after: [Int], spatial: [Int]) {
    let (sizes, borders) = (try constantIntegers(1), try constantIntegers(2))
    let spatial = type(input).shape.dropFirst().prefix(sizes.count).compactMap(\.value)
    guard !sizes.isEmpty, borders.count == 2 * sizes.count, spatial.count == sizes.count,
      sizes.allSatisfy({ (1...1 << 24).contains($0) }),
      borders.allSatisfy({ (0...1 << 24).contains($0) })
    else {
      throw unsupported(
        "moves blocks of \(sizes) with the borders \(borders) in \(type(input)), and takes blocks "
          + "of 1 or more and known sizes")
    }
    return (
      sizes, sizes.indices.map { borders[2 * $0] }, sizes.indices.map { borders[2 * $0 + 1] },
      spatial
    )
  }

  /// Moves the elements of blocks to the batch: `[block..., batch]` becomes the first axis.
  fileprivate mutating func spaceToBatch() throws(WeighbridgeError) -> SourceValue {
    let input = try carried()
    let (blocks, before, after, spatial) = try blocks(input)
    let (count, rank) = (blocks.count, type(input).rank)
    let rest = try knownSizes(type(input).shape.dropFirst(1 + count))
    let edge = [Int](repeating: 0, count: rank - 1 - count)
    let padded = try apply(
      Pad(
        before: [0] + before + edge, after: [0] + after + edge, mode: .constant,
        value: isQuantized(node.inputs[0]) && !computesReals ? try zeroPoint(0) : 0),
      to: input, role: "padded")
    var (split, sizes) = ([Int](), [Int]())
    for axis in 0..<count {
      let size = spatial[axis] + before[axis] + after[axis]
      guard size % blocks[axis] == 0 else {
        throw malformed(
          "divides an axis of \(size) elements into blocks of \(blocks[axis]), expected a multiple")
      }
      sizes.append(size / blocks[axis])
      split += [size / blocks[axis], blocks[axis]]
    }
    let parts = try reshape(padded, [-1] + split + rest, role: "parts")
    let places = (0..<count).map { 2 * $0 + 1 }
    let order = places.map { $0 + 1 } + [0] + places + Array((1 + 2 * count)..<(rank + count))
    let moved = try transposed(parts, order, role: "moved")
    return try reshape(moved, [-1] + sizes + rest)
  }

  /// Moves the parts of the batch to blocks, and crops.
  fileprivate mutating func batchToSpace() throws(WeighbridgeError) -> SourceValue {
    let input = try carried()
    let (blocks, before, after, spatial) = try blocks(input)
    let (count, rank) = (blocks.count, type(input).rank)
    let rest = try knownSizes(type(input).shape.dropFirst(1 + count))
    let parts = try reshape(input, blocks + [-1] + spatial + rest, role: "parts")
    let places = (0..<count).flatMap { [count + 1 + $0, $0] }
    let order = [count] + places + Array((1 + 2 * count)..<(rank + count))
    let moved = try transposed(parts, order, role: "moved")
    let sizes = zip(spatial, blocks).map { $0 * $1 }
    let isCropped = (before + after).contains { $0 > 0 }
    let whole = try reshape(moved, [-1] + sizes + rest, role: isCropped ? "whole" : "")
    guard isCropped else { return whole }
    let ranges = sizes.indices.map { axis in
      Slice.Range(
        axis: axis + 1, start: before[axis], stop: max(0, sizes[axis] - after[axis]), step: 1)
    }
    return try apply(Slice(ranges), to: whole)
  }

  private mutating func reshape(
    _ value: SourceValue, _ sizes: [Int], role: String = ""
  ) throws(WeighbridgeError) -> SourceValue {
    try reshape(value, to: sizes.map { .known($0) }, keepsZeros: true, role: role)
  }

  private func knownSizes(
    _ sizes: ArraySlice<Dimension>
  ) throws(WeighbridgeError) -> [Int] {
    let known = sizes.compactMap(\.value)
    guard known.count == sizes.count else {
      throw unsupported(
        "moves blocks of \(Array(sizes)), and all sizes but the batch must be known")
    }
    return known
  }
}
