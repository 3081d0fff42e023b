import Bytes
import ConversionCore
import GraphIR
import LayerCatalog
import NCNNFormat

/// Reshaping, transposing, slicing, padding and repeating.
enum NCNNReshaping {
  static let rows: [NCNNRow] = [
    NCNNRow(reshaping: ExpandDims.self), NCNNRow(reshaping: FlattenTime.self),
    NCNNRow(reshaping: Identity.self), NCNNRow(reshaping: Reshape.self),
    NCNNRow(reshaping: ReshapeAxes.self), NCNNRow(reshaping: Squeeze.self),
    NCNNRow(reshaping: UnflattenTime.self),
    NCNNRow(blob: Transpose.self) { (operation, builder) throws(WeighbridgeError) in
      try builder.permute(try builder.input(), operation.axes.filter { $0 > 0 }.map { $0 - 1 })
    },
    NCNNRow(blob: Concatenate.self) { (operation, builder) throws(WeighbridgeError) in
      try builder.add("Concat", try builder.allInputs(), [0: try builder.axis(operation.axis)])
    },
    NCNNRow(blob: Gather.self) { (operation, builder) throws(WeighbridgeError) in
      try builder.gather(operation)
    },
    NCNNRow(blob: Slice.self) { (operation, builder) throws(WeighbridgeError) in
      guard operation.ranges.allSatisfy({ $0.step == 1 }) else { return nil }
      let x = try builder.input()
      var ranges: [(Int, Range<Int>)] = []
      for range in operation.ranges where range.axis > 0 {
        let (start, count) = range.resolved(try builder.knownShape(x)[range.axis - 1])
        ranges.append((range.axis - 1, start..<start + count))
      }
      return try builder.crop(x, ranges)
    },
    NCNNRow(blobs: Split.self) { (operation, builder) throws(WeighbridgeError) in
      let axis = try builder.axis(operation.axis)
      return try builder.add("Slice", nil, [1: axis], lists: [0: .integers(operation.sizes)])
    },
    NCNNRow(blob: Reverse.self) { (operation, builder) throws(WeighbridgeError) in
      let axes = operation.axes.filter { $0 > 0 }.map { $0 - 1 }
      return axes.isEmpty
        ? try builder.input() : try builder.add("Flip", lists: [0: .integers(axes)])
    },
    NCNNRow(blob: Tile.self) { (_, builder) throws(WeighbridgeError) in try builder.tile() },
    NCNNRow(blob: BroadcastTo.self) { (_, builder) throws(WeighbridgeError) in
      try builder.tile()
    },
    NCNNRow(blob: Pad.self) { (operation, builder) throws(WeighbridgeError) in
      let modes = [Pad.Mode.constant, .edge, .reflect]
      let borders = Array(zip(operation.before, operation.after).dropFirst())
      // Edge and reflection padding only along the two innermost axes.
      let outer = borders.dropLast(operation.mode == .constant ? 3 : 2)
      guard let mode = modes.firstIndex(of: operation.mode), outer.allSatisfy({ $0 == (0, 0) })
      else { return nil }
      var settings = [4: mode]
      for (ids, border) in zip([(2, 3), (0, 1), (7, 8)], borders.reversed()) {
        settings[ids.0] = border.0
        settings[ids.1] = border.1
      }
      return try builder.add("Padding", nil, settings, floats: [5: operation.value])
    },
    NCNNRow(blob: FullLike.self) { (operation, builder) throws(WeighbridgeError) in
      let zeros = try builder.binary(.multiply, try builder.input(), 0)
      return try builder.binary(.add, zeros, operation.value)
    },
  ]
}

extension NCNNBuilder {
  /// Repeats the whole input along its axes until it has the output's shape.
  fileprivate mutating func tile() throws(WeighbridgeError) -> NCNNBlob {
    var result = try input()
    let sizes = try knownShape(result)
    for (axis, size) in Self.shape(outputType).enumerated() where size != sizes[axis] {
      guard let size else { continue }
      var shape = result.shape
      shape[axis] = size
      result = try add("Tile", [result], [0: axis, 1: size / sizes[axis]], shape: shape)
    }
    return result
  }

  /// The largest number of parts that are joined for a `Gather`.
  private static let maximumPartCount = 64

  /// Takes the elements at constant indices: a part for each run of neighbors.
  fileprivate mutating func gather(_ operation: Gather) throws(WeighbridgeError) -> NCNNBlob {
    guard let indices = operands[1].constant, operation.batchAxes == 0 else {
      throw .unsupported(
        "takes computed indices, and ncnn can compute with floating-point numbers only")
    }
    let (x, axis) = (try input(), try axis(operation.axis))
    let size = try knownShape(x)[axis]
    var runs: [Range<Int>] = []
    for number in indices.wholeNumbers {
      let index = number < 0 ? number + size : number
      if runs.last?.upperBound == index {
        runs[runs.count - 1] = runs[runs.count - 1].lowerBound..<index + 1
      } else {
        runs.append(index..<index + 1)
      }
      guard runs.count <= Self.maximumPartCount, (0..<size).contains(index) else {
        throw .unsupported(
          "takes elements in more than \(Self.maximumPartCount) parts, and ncnn joins parts")
      }
    }
    var parts: [NCNNBlob] = []
    for run in runs { parts.append(try crop(x, [(axis, run)])) }
    if parts.count == 1 { return parts[0] }
    var shape = x.shape
    shape[axis] = indices.count
    return try add("Concat", parts, [0: axis], shape: shape)
  }
}
