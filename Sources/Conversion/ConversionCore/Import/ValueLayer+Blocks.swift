package import Bytes
import GraphIR
import LayerCatalog

/// Blocks of spatial elements that become parts of a batch, and back.
extension ValueLayer {
  /// The sizes of blocks, and the numbers of elements before and after each spatial axis.
  private func blocks(
    _ input: SourceValue, _ sizes: [Int], _ borders: [Int]
  ) throws(WeighbridgeError) -> (before: [Int], after: [Int], spatial: [Int]) {
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
      sizes.indices.map { borders[2 * $0] }, sizes.indices.map { borders[2 * $0 + 1] }, spatial
    )
  }

  /// Moves the elements of blocks to the batch: `[block..., batch]` becomes the first axis.
  ///
  /// - Parameters:
  ///   - blocks: The size of a block along each spatial axis.
  ///   - borders: Two numbers of added elements for each of them.
  ///   - padding: The value of these.
  ///   - role: The role of the result in the file's node.
  package mutating func spaceToBatch(
    _ input: SourceValue, blocks: [Int], borders: [Int], padding: Double = 0, role: String = ""
  ) throws(WeighbridgeError) -> SourceValue {
    let (before, after, spatial) = try self.blocks(input, blocks, borders)
    let (count, rank) = (blocks.count, type(input).rank)
    let rest = try knownSizes(type(input).shape.dropFirst(1 + count))
    let edge = [Int](repeating: 0, count: rank - 1 - count)
    let padded = try apply(
      Pad(
        before: [0] + before + edge, after: [0] + after + edge, mode: .constant, value: padding),
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
    return try reshape(moved, [-1] + sizes + rest, role: role)
  }

  /// Moves the parts of the batch to blocks, and crops.
  ///
  /// - Parameters:
  ///   - blocks: The size of a block along each spatial axis.
  ///   - borders: Two numbers of cropped elements for each of them.
  ///   - role: The role of the result in the file's node.
  package mutating func batchToSpace(
    _ input: SourceValue, blocks: [Int], borders: [Int], role: String = ""
  ) throws(WeighbridgeError) -> SourceValue {
    let (before, after, spatial) = try self.blocks(input, blocks, borders)
    let (count, rank) = (blocks.count, type(input).rank)
    let rest = try knownSizes(type(input).shape.dropFirst(1 + count))
    let parts = try reshape(input, blocks + [-1] + spatial + rest, role: "parts")
    let places = (0..<count).flatMap { [count + 1 + $0, $0] }
    let order = [count] + places + Array((1 + 2 * count)..<(rank + count))
    let moved = try transposed(parts, order, role: "moved")
    let sizes = zip(spatial, blocks).map { $0 * $1 }
    let isCropped = (before + after).contains { $0 > 0 }
    let whole = try reshape(moved, [-1] + sizes + rest, role: isCropped ? "whole" : role)
    guard isCropped else { return whole }
    let ranges = sizes.indices.map { axis in
      Slice.Range(
        axis: axis + 1, start: before[axis], stop: max(0, sizes[axis] - after[axis]), step: 1)
    }
    return try apply(Slice(ranges), to: whole, role: role)
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
