import Bytes
import ConversionCore
import CoreMLFormat
import GraphIR
import LayerCatalog
import ProtobufWire

// Layers that take or repeat parts of a tensor.
extension CoreMLLayerImport {
  /// Repeats the tensor along its last axes; those that `reps` does not name stay as they are.
  mutating func tile() throws(WeighbridgeError) -> CoreMLBlob {
    let blob = try input()
    let counts = integers("reps")
    guard (1...blob.rank).contains(counts.count) else {
      throw malformed(
        "repeats its input \(counts) times, expected a number for each of its \(blob.rank.counted("axis"))"
      )
    }
    let leading = [Int](repeating: 1, count: blob.rank - counts.count)
    return try fullRankBlob(add(Tile(counts: leading + counts), [fullRank(blob)]))
  }

  mutating func reverse() throws(WeighbridgeError) -> CoreMLBlob {
    let blob = try input()
    let flags = flags("reverseDim")
    guard flags.count == blob.rank else {
      throw malformed(
        "has \(flags.count) flags in reverseDim, expected one for each of its \(blob.rank.counted("axis"))"
      )
    }
    let axes = flags.indices.filter { flags[$0] }
    return try fullRankBlob(add(Reverse(axes: axes), [fullRank(blob)]))
  }

  mutating func slice() throws(WeighbridgeError) -> CoreMLBlob {
    let blob = try input()
    let axis: CoreMLAxis =
      switch choice("axis", default: "CHANNEL_AXIS") {
      case "CHANNEL_AXIS": .channel
      case "HEIGHT_AXIS": .height
      default: .width
      }
    try requireAxes([axis], of: blob)
    let axes = blob.axes(with: axis)
    let tensor = try value(blob, axes)
    let position = axes.firstIndex(of: axis) ?? 0
    let (start, stop, step) = (integer("startIndex"), integer("endIndex"), integer("stride"))
    let range = Slice.Range(axis: position, start: start, stop: stop, step: max(1, step))
    let slice = try add(Slice([range]), [tensor])
    guard type(slice).shape[position] != 0 else {
      throw malformed(
        "takes the elements from \(start) to \(stop) of \(type(tensor).shape[position]), expected one or more"
      )
    }
    return CoreMLBlob(slice, axes, rank: blob.rank)
  }

  mutating func sliceStatic() throws(WeighbridgeError) -> CoreMLBlob {
    let tensor = try fullRank(try input())
    let rank = type(tensor).rank
    let (begins, ends, strides) = (integers("beginIds"), integers("endIds"), integers("strides"))
    let (beginMasks, endMasks) = (flags("beginMasks"), flags("endMasks"))
    let squeezes = flags("squeezeMasks")
    guard [begins.count, ends.count, strides.count].allSatisfy({ $0 == rank }),
      [beginMasks.count, endMasks.count, squeezes.count].allSatisfy({ $0 == 0 || $0 == rank })
    else {
      throw malformed(
        "has \(begins.count) beginIds, \(ends.count) endIds and \(strides.count) strides, expected "
          + "one for each of the \(rank.counted("axis")), and as many masks or none")
    }
    let removed = squeezes.indices.filter { squeezes[$0] }
    let ranges = (0..<rank).map { axis in
      removed.contains(axis)
        // No element follows the one at -1.
        ? Slice.Range(
          axis: axis, start: begins[axis], stop: begins[axis] == -1 ? nil : begins[axis] &+ 1,
          step: 1)
        : Slice.Range(
          axis: axis, start: beginMasks.isEmpty || !beginMasks[axis] ? begins[axis] : nil,
          stop: endMasks.isEmpty || !endMasks[axis] ? ends[axis] : nil, step: strides[axis])
    }
    // A tensor has at least one axis.
    let squeezed = removed.count == rank ? removed.dropLast() : removed
    let slice = try add(Slice(ranges), [tensor], role: squeezed.isEmpty ? "" : "part")
    return try fullRankBlob(squeezed.isEmpty ? slice : add(Squeeze(axes: squeezed), [slice]))
  }

  mutating func split(
    _ blob: CoreMLBlob, _ axis: CoreMLAxis, count: Int, sizes: [Int]
  ) throws(WeighbridgeError) -> [CoreMLBlob] {
    let axes = blob.axes(with: axis)
    let tensor = try value(blob, axes)
    let position = axes.firstIndex(of: axis) ?? 0
    var sizes = sizes
    if sizes.isEmpty {
      guard let dimension = type(tensor).shape[position].value, (1...1 << 16).contains(count),
        dimension % count == 0
      else {
        throw malformed(
          "cuts \(type(tensor).shape[position]) elements into \(count) parts, expected parts of the "
            + "same size")
      }
      sizes = [Int](repeating: dimension / count, count: count)
    }
    return try addAll(Split(axis: position, sizes: sizes), [tensor]).map {
      CoreMLBlob($0, axes, rank: blob.rank)
    }
  }
}
