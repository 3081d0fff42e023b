import Bytes
import ConversionCore
import GraphIR
import LayerCatalog
import TFLiteFormat

/// Operators that take parts of tensors, join them or extend them.
enum TFLiteSlicing {
  static let nodes = [String: TFLiteReading](families: [parts, joins])

  private static let parts: [String: TFLiteReading] = [
    "DYNAMIC_UPDATE_SLICE": TFLiteReading { (layer) throws(WeighbridgeError) in
      [try layer.updated(try layer.carried(), try layer.input(1), try layer.constantIntegers(2))]
    },
    "REVERSE_V2": TFLiteReading { (layer) throws(WeighbridgeError) in
      let input = try layer.carried()
      let axes = try layer.axes(try layer.constantIntegers(1), rank: layer.type(input).rank)
      return [try layer.apply(Reverse(axes: axes), to: input)]
    },
    "SLICE": TFLiteReading { (layer) throws(WeighbridgeError) in
      let input = try layer.carried()
      return [
        try layer.slice(
          input, starts: try layer.constantIntegers(1), sizes: try layer.constantIntegers(2))
      ]
    },
    "SPLIT": TFLiteReading(options: 35) { (layer) throws(WeighbridgeError) in
      let input = try layer.carried(1)
      let (axis, count) = (
        try layer.axis(ofInput: 0, rank: layer.type(input).rank), try layer.integer(0)
      )
      guard let size = layer.type(input).shape[axis].value, count >= 1,
        count == layer.node.outputs.count, size % count == 0
      else {
        throw layer.malformed(
          "splits axis \(axis) of \(layer.type(input)) into \(count) parts, which must be equal and "
            + "as many as the outputs")
      }
      let sizes = [Int](repeating: size / count, count: count)
      return try layer.apply(Split(axis: axis, sizes: sizes), [input])
    },
    "SPLIT_V": TFLiteReading(options: 79) { (layer) throws(WeighbridgeError) in
      layer.ignore(0)  // the number of parts, which follows from their sizes
      let input = try layer.carried()
      var sizes = try layer.constantIntegers(1)
      let axis = try layer.axis(ofInput: 2, rank: layer.type(input).rank)
      if let open = sizes.firstIndex(of: -1), let size = layer.type(input).shape[axis].value {
        sizes[open] = 0
        let known = sizes.reduce(0, &+)
        sizes[open] = size &- known
      }
      return try layer.split(input, axis: axis, sizes: sizes)
    },
    "STRIDED_SLICE": TFLiteReading(options: 32) { (layer) throws(WeighbridgeError) in
      [try layer.stridedSlice()]
    },
    "UNPACK": TFLiteReading(options: 64) { (layer) throws(WeighbridgeError) in
      let (input, count) = (try layer.carried(), try layer.integer(0))
      let axis = try layer.integer(1)
      guard count == layer.node.outputs.count, count >= 1 else {
        throw layer.malformed(
          "has \(layer.node.outputs.count) outputs, expected one for each of \(count) parts")
      }
      return try layer.unpacked(input, axis: axis, count: count)
    },
  ]

  private static let joins: [String: TFLiteReading] = [
    "CONCATENATION": TFLiteReading(options: 10) { (layer) throws(WeighbridgeError) in
      try layer.readActivation(1)
      let axis = try layer.integer(0)
      let values = try layer.carried(Array(layer.node.inputs.indices))
      return [try layer.concatenated(values, axis: axis)]
    },
    "MIRROR_PAD": TFLiteReading(options: 77) { (layer) throws(WeighbridgeError) in
      let mode = try layer.choice(0)
      guard mode == 0 || mode == 1 else {
        throw layer.malformed("mirrors in the mode \(mode), and 0 or 1 is expected")
      }
      return [try layer.paddedAsStored(mode == 0 ? .reflect : .symmetric, value: 0)]
    },
    "PACK": TFLiteReading(options: 59) { (layer) throws(WeighbridgeError) in
      layer.ignore(0)  // the number of inputs
      let axis = try layer.integer(1)
      return [try layer.packed(try layer.carried(Array(layer.node.inputs.indices)), axis: axis)]
    },
    "PAD": TFLiteReading { (layer) throws(WeighbridgeError) in
      [try layer.paddedAsStored(.constant, value: try layer.zeroPoint(0))]
    },
    "PADV2": TFLiteReading { (layer) throws(WeighbridgeError) in
      guard let value = try layer.constant(2), value.count == 1 else {
        throw layer.malformed("has no value to pad with, which is its third input")
      }
      return [try layer.paddedAsStored(.constant, value: value.doubles[0])]
    },
    "TILE": TFLiteReading { (layer) throws(WeighbridgeError) in
      let (input, counts) = (try layer.carried(), try layer.constantIntegers(1))
      guard counts.allSatisfy({ $0 >= 0 }) else {
        throw layer.malformed("repeats \(counts) times, and 0 or more is expected")
      }
      return [try layer.apply(Tile(counts: counts), to: input)]
    },
  ]
}

extension TFLiteLayer {
  /// Takes ranges along axes, as the options and three inputs say.
  fileprivate mutating func stridedSlice() throws(WeighbridgeError) -> SourceValue {
    let input = try carried()
    let masks = StridedSliceMasks(
      begin: try integer(0), end: try integer(1), ellipsis: try integer(2),
      newAxis: try integer(3), shrink: try integer(4))
    let (starts, steps) = (try constantIntegers(1), try constantIntegers(3))
    var ends = try constantIntegers(2)
    if try flag(5), ends.count == starts.count { ends = zip(starts, ends).map { $0 &+ $1 } }
    return try slice(input, starts: starts, ends: ends, steps: steps, masks)
  }

  /// Replaces the part of a tensor that begins at a position, as far as that fits into it.
  fileprivate mutating func updated(
    _ input: SourceValue, _ part: SourceValue, _ starts: [Int]
  ) throws(WeighbridgeError) -> SourceValue {
    let (whole, size) = (type(input).shape, type(part).shape)
    guard starts.count == whole.count, size.count == whole.count else {
      throw malformed(
        "replaces \(type(part)) at \(starts) in \(type(input)), which need equally many axes")
    }
    let axes = whole.indices.filter { whole[$0] != size[$0] || starts[$0] > 0 }
    guard let axis = axes.first else { return part }
    guard axes.count == 1, let total = whole[axis].value, let count = size[axis].value,
      count <= total
    else {
      throw unsupported(
        "replaces \(type(part)) in \(type(input)), and only a part along one axis of known size can "
          + "be replaced")
    }
    let start = min(max(0, starts[axis]), total - count)
    var pieces = [part]
    if start > 0 {
      pieces.insert(
        try taken([Slice.Range(axis: axis, start: 0, stop: start, step: 1)], of: input), at: 0)
    }
    if start + count < total {
      pieces.append(
        try taken([Slice.Range(axis: axis, start: start + count, stop: nil, step: 1)], of: input))
    }
    return try concatenated(pieces, axis: axis)
  }

  /// The integer that stands for 0 in a quantized input; 0 for other inputs.
  func zeroPoint(_ position: Int) throws(WeighbridgeError) -> Double {
    guard let tensor = tensor(position), isQuantized(tensor),
      let quantization = scope.graph.tensors[tensor].quantization
    else { return 0 }
    return Double(quantization.zeroPoints[0])
  }

  /// Pads with the numbers in the second input, as the first one is stored.
  fileprivate mutating func paddedAsStored(
    _ mode: Pad.Mode, value: Double
  ) throws(WeighbridgeError) -> SourceValue {
    guard sharesSteps(0) else {
      throw unsupported("pads and changes the scale, and only one of both can be read")
    }
    return try padded(try input(), try constantIntegers(1), mode, value: value)
  }
}
