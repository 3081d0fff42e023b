import Bytes
import ConversionCore
import GraphIR
import LayerCatalog
import ONNXFormat

/// Grids of affine maps, images from columns, and cropping and padding around the centre.
enum ONNXGeometry: ONNXFamily {
  static let nodes: [String: ONNXLayer.Build] = [
    "AffineGrid": { (layer) throws(WeighbridgeError) in [try layer.affineGrid()] },
    "CenterCropPad": { (layer) throws(WeighbridgeError) in [try layer.centered()] },
    "Col2Im": { (layer) throws(WeighbridgeError) in [try layer.imageFromColumns()] },
  ]
}

extension ONNXLayer {
  /// Adds the places, `[batch, sizes, axes]`, to which matrices `[batch, axes, axes + 1]` map those of
  /// a grid from -1 to 1.
  fileprivate mutating func affineGrid() throws(WeighbridgeError) -> ONNXValue {
    let matrices = try input(0)
    let alignsCorners = try flag("align_corners")
    guard let size = try constant(1)?.integers, (4...5).contains(size.count),
      size.allSatisfy({ $0 >= 1 })
    else {
      throw malformed("has no size of 4 or 5 axes of 1 or more, which is expected")
    }
    let sizes = Array(size.dropFirst(2))
    let count = try Checked.product(sizes, of: "a grid")
    guard type(matrices).rank == 3, type(matrices).shape[2].agrees(with: .fixed(sizes.count + 1))
    else {
      throw malformed(
        "maps by \(type(matrices)), and [batch, \(sizes.count), \(sizes.count + 1)] is expected")
    }
    try network.countConstant(
      TensorType(.float32, [count, sizes.count + 1]), byteCount: 8 * count * (sizes.count + 1))
    var places: [Double] = []
    for index in 0..<count {
      var (rest, place) = (index, [1.0])
      // The first coordinate belongs to the last axis.
      for size in sizes.reversed() {
        let position = Double(rest % size)
        rest /= size
        let span = alignsCorners ? Double(max(1, size - 1)) : Double(size)
        let start = alignsCorners ? 0 : 0.5
        place.insert(
          alignsCorners && size == 1 ? 0 : 2 * (position + start) / span - 1,
          at: place.count - 1)
      }
      places += place
    }
    let grid = newConstant(
      Tensor(type(matrices).elementType, shape: [1, count, sizes.count + 1], places), "places")
    let product = MatMul(transposeA: false, transposeB: true)
    let mapped = try apply(product, to: grid, matrices, role: "mapped")
    let shape: [ReshapeAxes.Size] =
      keptSizes(type(mapped), 0..<1) + (sizes + [sizes.count]).map { .fixed($0) }
    return try apply(ReshapeAxes(shape), to: mapped)
  }

  /// Adds a value cropped or padded with zeros, equally on both sides, to given sizes of axes.
  fileprivate mutating func centered() throws(WeighbridgeError) -> ONNXValue {
    let value = try input(0)
    let rank = type(value).rank
    let axes = try self.axes(try integers("axes") ?? Array(0..<rank), rank: rank)
    guard let targets = try constant(1)?.integers, targets.count == axes.count,
      targets.allSatisfy({ $0 >= 0 })
    else {
      throw malformed(
        "has no constant size for each of \(axes.count.counted("axis")), which is expected")
    }
    var ranges: [Slice.Range] = []
    var (before, after) = ([Int](repeating: 0, count: rank), [Int](repeating: 0, count: rank))
    for (axis, target) in zip(axes, targets) {
      guard let size = type(value).shape[axis].value else {
        throw unsupported("centres axis \(axis) of \(type(value)), whose size must be known")
      }
      if target < size {
        let start = (size - target) / 2
        ranges.append(.init(axis: axis, start: start, stop: start + target, step: 1))
      } else {
        before[axis] = (target - size) / 2
        after[axis] = target - size - before[axis]
      }
    }
    let isPadded = (before + after).contains { $0 > 0 }
    let ordered = ranges.sorted { $0.axis < $1.axis }
    let cropped =
      ordered.isEmpty
      ? value : try apply(Slice(ordered), to: value, role: isPadded ? "cropped" : "")
    guard isPadded else { return cropped }
    return try apply(Pad(before: before, after: after, mode: .constant), to: cropped)
  }

  /// Adds images, `[batch, channels, sizes]`, as the sums of overlapping blocks,
  /// `[batch, channels · block, blocks]`: a transposed convolution that puts each element of a block
  /// at its place.
  fileprivate mutating func imageFromColumns() throws(WeighbridgeError) -> ONNXValue {
    let columns = try input(0)
    guard let image = try constant(1)?.integers, let block = try constant(2)?.integers,
      image.count == block.count, !image.isEmpty, image.count <= 3
    else {
      throw malformed("has no constant sizes of the image and of a block, which are expected")
    }
    let axes = image.count
    let strides = try integers("strides") ?? [Int](repeating: 1, count: axes)
    let dilations = try integers("dilations") ?? [Int](repeating: 1, count: axes)
    let pads = try integers("pads") ?? [Int](repeating: 0, count: 2 * axes)
    let limit = 1 << 24
    let sizes = image + block + strides + dilations
    guard strides.count == axes, dilations.count == axes, pads.count == 2 * axes,
      sizes.allSatisfy({ $0 >= 1 && $0 <= limit }), pads.allSatisfy({ $0 >= 0 && $0 <= limit })
    else {
      throw malformed(
        "has images of \(image), blocks of \(block), strides=\(strides), dilations=\(dilations) and "
          + "pads=\(pads), which do not fit")
    }
    let count = try Checked.product(block, of: "a block")
    let counts = (0..<axes).map { (axis: Int) -> Int in
      let reach = dilations[axis] * (block[axis] - 1) + 1
      let padded = image[axis] + pads[axis] + pads[axes + axis]
      return padded < reach ? 0 : (padded - reach) / strides[axis] + 1
    }
    let blockCount = try Checked.product(counts, of: "blocks")
    guard type(columns).rank == 3, let rows = type(columns).shape[1].value, rows % count == 0,
      rows > 0, blockCount > 0, type(columns).shape[2].agrees(with: .fixed(blockCount))
    else {
      throw malformed(
        "takes \(type(columns)), and [batch, channels · \(count), \(blockCount)] is expected")
    }
    let channels = rows / count
    let kernelSize = try Checked.product([rows, count], of: "a kernel")
    try network.countConstant(TensorType(.float32, [kernelSize]), byteCount: 8 * kernelSize)
    let kernel = (0..<kernelSize).map { (index: Int) -> Double in
      index / count % count == index % count ? 1 : 0
    }
    let weights = newConstant(
      Tensor(type(columns).elementType, shape: [rows, 1] + block, kernel), "places")
    let blocks = try apply(
      ReshapeAxes(keptSizes(type(columns), 0..<1) + ([rows] + counts).map { .fixed($0) }),
      to: columns, role: "blocks")
    let operation = TransposedConvolution(
      window: Window(
        size: block, strides: strides, dilation: dilations,
        padding: .explicit(before: Array(pads[..<axes]), after: Array(pads[axes...]))),
      outputPadding: (0..<axes).map { (axis: Int) -> Int in
        let covered = (counts[axis] - 1) * strides[axis] + dilations[axis] * (block[axis] - 1) + 1
        return image[axis] + pads[axis] + pads[axes + axis] - covered
      }, groups: channels, hasBias: false, layout: .channelsFirst)
    return try apply(operation, to: blocks, weights)
  }
}
