import Bytes
import ConversionCore
import GraphIR
import LayerCatalog
import TFLiteFormat

/// Operators that take parts of tensors, join them or extend them.
enum TFLiteSlicing {
  static let nodes = [String: TFLiteReading](families: [parts, joins])

  private static let parts: [String: TFLiteReading] = [
    "REVERSE_V2": TFLiteReading { (layer) throws(WeighbridgeError) in
      let input = try layer.carried()
      let axes = try layer.axes(try layer.constantIntegers(1), rank: layer.type(input).rank)
      return [try layer.apply(Reverse(axes: axes), to: input)]
    },
    "SLICE": TFLiteReading { (layer) throws(WeighbridgeError) in
      let input = try layer.carried()
      let (starts, sizes) = (try layer.constantIntegers(1), try layer.constantIntegers(2))
      let rank = layer.type(input).rank
      guard starts.count == rank, sizes.count == rank, starts.allSatisfy({ $0 >= 0 }),
        sizes.allSatisfy({ $0 >= -1 })
      else {
        throw layer.malformed(
          "takes \(sizes) elements from \(starts) on, and two numbers are expected for each axis "
            + "of \(layer.type(input))")
      }
      var ranges: [Slice.Range] = []
      for axis in 0..<rank where starts[axis] > 0 || sizes[axis] >= 0 {
        let (stop, overflow) = starts[axis].addingReportingOverflow(sizes[axis])
        let size = layer.type(input).shape[axis].value
        guard !overflow, sizes[axis] < 0 || size.map({ stop <= $0 }) != false else {
          throw layer.malformed(
            "takes \(sizes[axis]) elements from \(starts[axis]) on, and axis \(axis) has "
              + "\(layer.type(input).shape[axis])")
        }
        ranges.append(
          Slice.Range(
            axis: axis, start: starts[axis], stop: sizes[axis] < 0 ? nil : stop, step: 1))
      }
      return [try layer.taken(ranges, of: input)]
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
      let axis = try layer.axis(try layer.integer(1), rank: layer.type(input).rank)
      guard count == layer.node.outputs.count, count >= 1 else {
        throw layer.malformed(
          "has \(layer.node.outputs.count) outputs, expected one for each of \(count) parts")
      }
      if input.tensor == nil, case .dimensions(let sizes, true, let type) = input,
        sizes.count == count
      {
        return sizes.map { .dimensions([$0], isList: false, as: type) }
      }
      let sizes = [Int](repeating: 1, count: count)
      let parts =
        count == 1
        ? [input] : try layer.apply(Split(axis: axis, sizes: sizes), [input], role: "parts")
      var results: [SourceValue] = []
      for (position, part) in parts.enumerated() {
        results.append(
          try layer.apply(
            Squeeze(axes: [axis]), to: part, role: count == 1 ? "" : "part_\(position)"))
      }
      return results
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
      return [try layer.padded(mode == 0 ? .reflect : .symmetric, value: 0)]
    },
    "PACK": TFLiteReading(options: 59) { (layer) throws(WeighbridgeError) in
      layer.ignore(0)  // the number of inputs
      return [try layer.packed(axis: try layer.integer(1))]
    },
    "PAD": TFLiteReading { (layer) throws(WeighbridgeError) in
      [try layer.padded(.constant, value: try layer.zeroPoint(0))]
    },
    "PADV2": TFLiteReading { (layer) throws(WeighbridgeError) in
      guard let value = try layer.constant(2), value.count == 1 else {
        throw layer.malformed("has no value to pad with, which is its third input")
      }
      return [try layer.padded(.constant, value: value.doubles[0])]
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
  /// Takes ranges along axes; without elements, the result is constant.
  fileprivate mutating func taken(
    _ ranges: [Slice.Range], of value: SourceValue
  ) throws(WeighbridgeError) -> SourceValue {
    guard var shape = type(value).fixedShape else {
      return ranges.isEmpty ? value : try apply(Slice(ranges), to: value)
    }
    for range in ranges { shape[range.axis] = range.resolved(shape[range.axis]).count }
    if shape.contains(0) {
      return newConstant(Tensor(type(value).elementType, shape: shape, []), "empty")
    }
    return ranges.isEmpty ? value : try apply(Slice(ranges), to: value)
  }

  /// The integer that stands for 0 in a quantized input; 0 for other inputs.
  func zeroPoint(_ position: Int) throws(WeighbridgeError) -> Double {
    guard let tensor = tensor(position), isQuantized(tensor),
      let quantization = scope.graph.tensors[tensor].quantization
    else { return 0 }
    return Double(quantization.zeroPoints[0])
  }

  /// Pads with the numbers in the second input, as the first one is stored.
  fileprivate mutating func padded(
    _ mode: Pad.Mode, value: Double
  ) throws(WeighbridgeError) -> SourceValue {
    let (input, borders) = (try input(), try constantIntegers(1))
    guard sharesSteps(0) else {
      throw unsupported("pads and changes the scale, and only one of both can be read")
    }
    guard borders.count == 2 * type(input).rank, borders.allSatisfy({ $0 >= 0 }) else {
      throw malformed(
        "pads \(type(input)) by \(borders), and two numbers of 0 or more are expected for each axis"
      )
    }
    let padding = Pad(
      before: stride(from: 0, to: borders.count, by: 2).map { borders[$0] },
      after: stride(from: 1, to: borders.count, by: 2).map { borders[$0] }, mode: mode,
      value: value)
    return try apply(padding, to: input)
  }

  /// Splits a value; parts without elements become constants.
  fileprivate mutating func split(
    _ value: SourceValue, axis: Int, sizes: [Int]
  ) throws(WeighbridgeError) -> [SourceValue] {
    let shape = type(value).shape
    guard sizes.contains(0), let known = type(value).fixedShape, sizes.allSatisfy({ $0 >= 0 })
    else {
      return try apply(Split(axis: axis, sizes: sizes), [value])
    }
    let filled = sizes.filter { $0 > 0 }
    var parts =
      try filled.count == 1 && shape[axis].value == filled[0]
      ? [value][...] : apply(Split(axis: axis, sizes: filled), [value])[...]
    return sizes.map { size in
      if size > 0 { return parts.popFirst() ?? value }
      let empty = Array(known[..<axis]) + [0] + known[(axis + 1)...]
      return newConstant(Tensor(type(value).elementType, shape: empty, []), "empty")
    }
  }

  fileprivate mutating func concatenated(
    _ values: [SourceValue], axis: Int
  ) throws(WeighbridgeError) -> SourceValue {
    guard let first = values.first else { throw malformed("has no input") }
    let lists = values.compactMap(\.dimensions)
    if lists.count == values.count, values.contains(where: { $0.tensor == nil }) {
      return .dimensions(lists.flatMap { $0 }, isList: true, as: type(first).elementType)
    }
    let axis = try self.axis(axis, rank: type(first).rank)
    let parts = values.filter { type($0).shape[axis].value != 0 }
    return parts.count <= 1
      ? parts.first ?? first : try apply(Concatenate(axis: axis), parts)[0]
  }

  /// Joins values along a new axis.
  fileprivate mutating func packed(axis: Int) throws(WeighbridgeError) -> SourceValue {
    let values = try carried(Array(node.inputs.indices))
    guard let first = values.first else { throw malformed("has no input") }
    let lists = values.compactMap(\.dimensions)
    if lists.count == values.count, values.contains(where: { $0.tensor == nil }),
      !values.contains(where: \.isList)
    {
      return .dimensions(lists.flatMap { $0 }, isList: true, as: type(first).elementType)
    }
    let axis = try self.axis(axis, rank: type(first).rank + 1)
    var parts: [SourceValue] = []
    for (position, value) in values.enumerated() {
      parts.append(
        try apply(
          ExpandDims(axes: [axis]), to: value, role: values.count == 1 ? "" : "part_\(position)"))
    }
    return parts.count == 1 ? parts[0] : try apply(Concatenate(axis: axis), parts)[0]
  }
}
