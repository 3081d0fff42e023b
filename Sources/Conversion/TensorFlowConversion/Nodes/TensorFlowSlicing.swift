import Bytes
import ConversionCore
import GraphIR
import LayerCatalog

/// Operators that take parts of tensors, join them or extend them.
enum TensorFlowSlicing {
  static let nodes = TensorFlowOperators.Table(families: [parts, joins])

  private static let parts: TensorFlowOperators.Table = [
    "ReverseV2": { (layer) throws(WeighbridgeError) in
      let input = try layer.input()
      let axes = try layer.axes(try layer.constantIntegers(1), rank: layer.type(input).rank)
      return [axes.isEmpty ? input : try layer.apply(Reverse(axes: axes), to: input)]
    },
    "Slice": { (layer) throws(WeighbridgeError) in
      [
        try layer.slice(
          try layer.input(), starts: try layer.constantIntegers(1),
          sizes: try layer.constantIntegers(2))
      ]
    },
    "Split": { (layer) throws(WeighbridgeError) in
      let (input, count) = (try layer.input(1), try layer.integer("num_split"))
      let axis = try layer.axis(ofInput: 0, rank: layer.type(input).rank)
      guard let size = layer.type(input).shape[axis].value, count >= 1, size % count == 0,
        count <= 1 << 16
      else {
        throw layer.malformed(
          "splits axis \(axis) of \(layer.type(input)) into \(count) parts, which must be equal")
      }
      return try layer.split(
        input, axis: axis, sizes: [Int](repeating: size / count, count: count))
    },
    "SplitV": { (layer) throws(WeighbridgeError) in
      layer.ignore("num_split")
      let (input, stated) = (try layer.input(), try layer.constantIntegers(1))
      let axis = try layer.axis(ofInput: 2, rank: layer.type(input).rank)
      var sizes = stated
      if let open = sizes.firstIndex(of: -1), let size = layer.type(input).shape[axis].value {
        sizes[open] = 0
        sizes[open] = size &- sizes.reduce(0, &+)
      }
      return try layer.split(input, axis: axis, sizes: sizes)
    },
    "StridedSlice": { (layer) throws(WeighbridgeError) in
      let masks = StridedSliceMasks(
        begin: try layer.integer("begin_mask", default: 0),
        end: try layer.integer("end_mask", default: 0),
        ellipsis: try layer.integer("ellipsis_mask", default: 0),
        newAxis: try layer.integer("new_axis_mask", default: 0),
        shrink: try layer.integer("shrink_axis_mask", default: 0))
      return [
        try layer.slice(
          try layer.input(), starts: try layer.constantIntegers(1),
          ends: try layer.constantIntegers(2), steps: try layer.constantIntegers(3), masks)
      ]
    },
    "Unpack": { (layer) throws(WeighbridgeError) in
      let (count, axis) = (try layer.integer("num"), try layer.integer("axis", default: 0))
      guard (1...1 << 16).contains(count) else {
        throw layer.malformed("has \(count) parts, expected 1 or more")
      }
      return try layer.unpacked(try layer.input(), axis: axis, count: count)
    },
  ]

  private static let joins: TensorFlowOperators.Table = [
    "Concat": { (layer) throws(WeighbridgeError) in
      guard let axis = try layer.constantIntegers(0).first else {
        throw layer.malformed("has no axis")
      }
      return [try layer.concatenated(Array(try layer.inputs().dropFirst()), axis: axis)]
    },
    "ConcatV2": { (layer) throws(WeighbridgeError) in
      guard let axis = try layer.constantIntegers(layer.operation.inputs.count - 1).first else {
        throw layer.malformed("has no axis, which is its last input")
      }
      return [try layer.concatenated(try layer.inputs(dropping: 1), axis: axis)]
    },
    "MirrorPad": { (layer) throws(WeighbridgeError) in
      let mode = try layer.string("mode", default: "")
      guard ["REFLECT", "SYMMETRIC"].contains(mode) else {
        throw layer.malformed("mirrors in the mode \(mode), expected REFLECT or SYMMETRIC")
      }
      return [
        try layer.padded(
          try layer.input(), try layer.constantIntegers(1),
          mode == "REFLECT" ? .reflect : .symmetric, value: 0)
      ]
    },
    "Pack": { (layer) throws(WeighbridgeError) in
      let axis = try layer.integer("axis", default: 0)
      return [try layer.packed(try layer.inputs(), axis: axis)]
    },
    "Pad": { (layer) throws(WeighbridgeError) in
      [
        try layer.padded(
          try layer.input(), try layer.constantIntegers(1), .constant, value: 0)
      ]
    },
    "PadV2": { (layer) throws(WeighbridgeError) in
      guard let value = try layer.constant(2), value.count == 1 else {
        throw layer.malformed("has no value to pad with, which is its third input")
      }
      return [
        try layer.padded(
          try layer.input(), try layer.constantIntegers(1), .constant, value: value.doubles[0])
      ]
    },
    "Tile": { (layer) throws(WeighbridgeError) in
      let (input, counts) = (try layer.input(), try layer.constantIntegers(1))
      guard counts.allSatisfy({ $0 >= 0 }) else {
        throw layer.malformed("repeats \(counts) times, and 0 or more is expected")
      }
      return [try layer.apply(Tile(counts: counts), to: input)]
    },
  ]
}
