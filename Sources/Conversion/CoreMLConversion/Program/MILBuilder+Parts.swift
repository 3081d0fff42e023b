import Bytes
import ConversionCore
import GraphIR
import LayerCatalog

// Small building blocks.
extension MILBuilder {
  /// Adds a function of one value.
  mutating func unary(
    _ operation: String, _ x: ExportOperand
  ) throws(WeighbridgeError) -> ExportOperand {
    try add(operation, ["x": .value(x)], as: x.type)
  }

  mutating func binary(
    _ operation: String, _ x: ExportOperand, _ y: ExportOperand, giving type: TensorType
  ) throws(WeighbridgeError) -> ExportOperand {
    try add(operation, ["x": .value(x), "y": .value(y)], as: type)
  }

  mutating func chosen(
    where condition: ExportOperand, _ x: ExportOperand, else y: ExportOperand
  ) throws(WeighbridgeError) -> ExportOperand {
    try add("select", ["cond": .value(condition), "a": .value(x), "b": .value(y)], as: x.type)
  }

  /// Converts elements to another type.
  mutating func cast(
    _ x: ExportOperand, to type: ElementType
  ) throws(WeighbridgeError) -> ExportOperand {
    let result = TensorType(type, x.type.shape)
    let name = fileType(type).milName
    return try add("cast", ["x": .value(x), "dtype": .text(name)], as: result)
  }

  /// Applies a function that takes no booleans, or no integers, to them as numbers of another type.
  mutating func converting(
    _ x: ExportOperand, to type: ElementType,
    _ body: (inout Self, ExportOperand) throws(WeighbridgeError) -> ExportOperand
  ) throws(WeighbridgeError) -> ExportOperand {
    let converted = try cast(x, to: type)
    return try cast(try body(&self, converted), to: x.type.elementType)
  }

  mutating func expanded(
    _ x: ExportOperand, _ axes: [Int]
  ) throws(WeighbridgeError) -> ExportOperand {
    var type = x.type
    for axis in axes.sorted() { type.shape.insert(1, at: axis) }
    return try add("expand_dims", ["x": .value(x), "axes": .integers(axes)], as: type)
  }

  mutating func squeezed(
    _ x: ExportOperand, _ axes: [Int]
  ) throws(WeighbridgeError) -> ExportOperand {
    var type = x.type
    for axis in axes.sorted(by: >) { type.shape.remove(at: axis) }
    return try add("squeeze", ["x": .value(x), "axes": .integers(axes)], as: type)
  }

  /// Transposes a value: axis i is the input's axis `order[i]`.
  mutating func transposed(
    _ x: ExportOperand, _ order: [Int]
  ) throws(WeighbridgeError) -> ExportOperand {
    try add(
      "transpose", ["x": .value(x), "perm": .integers(order)],
      as: x.type.with(shape: order.map { x.type.shape[$0] }))
  }

  mutating func sliced(
    _ x: ExportOperand, _ ranges: [Slice.Range], as type: TensorType
  ) throws(WeighbridgeError) -> ExportOperand {
    let rank = x.type.rank
    var (starts, stops) = ([Int](repeating: 0, count: rank), [Int](repeating: 0, count: rank))
    var steps = [Int](repeating: 1, count: rank)
    var (openStarts, openStops) = (
      [Bool](repeating: true, count: rank), [Bool](repeating: true, count: rank)
    )
    for range in ranges {
      let axis = range.axis
      (steps[axis], openStarts[axis]) = (range.step, [Int.min, .max].contains(range.start))
      openStops[axis] = [Int.min, .max].contains(range.stop)
      if !openStarts[axis] { starts[axis] = range.start }
      if !openStops[axis] { stops[axis] = range.stop }
    }
    return try add(
      "slice_by_index",
      [
        "x": .value(x), "begin": .integers(starts), "end": .integers(stops),
        "stride": .integers(steps), "begin_mask": .booleans(openStarts),
        "end_mask": .booleans(openStops),
        "squeeze_mask": .booleans([Bool](repeating: false, count: rank)),
      ], as: type)
  }

  mutating func concatenated(
    _ values: [ExportOperand], axis: Int, as type: TensorType
  ) throws(WeighbridgeError) -> ExportOperand {
    try add(
      "concat", ["values": .values(values), "axis": .integer(axis), "interleave": false], as: type)
  }

  /// Takes elements along an axis.
  mutating func gathered(
    _ x: ExportOperand, _ indices: ExportOperand, axis: Int, batchAxes: Int = 0,
    as type: TensorType
  ) throws(WeighbridgeError) -> ExportOperand {
    if x.type.elementType == .bool {
      return try converting(x, to: .int32) { (builder, x) throws(WeighbridgeError) in
        try builder.gathered(
          x, indices, axis: axis, batchAxes: batchAxes, as: TensorType(.int32, type.shape))
      }
    }
    guard batchAxes == 0 || version >= 7 else {
      throw .unsupported("gathers within a batch, which Core ML can from iOS 16 on")
    }
    return try add(
      "gather",
      [
        "x": .value(x), "indices": .value(indices), "axis": .integer(axis),
        "batch_dims": version >= 7 ? .integer(batchAxes) : nil,
        "validate_indices": version >= 8 ? false : nil,
      ], as: type)
  }

  /// Sizes as a vector of integers. A dynamic one is taken from an axis of a value.
  mutating func shape(
    _ sizes: [Dimension], from sources: [Int: (value: ExportOperand, axis: Int)]
  ) throws(WeighbridgeError) -> ExportOperand {
    func constant(_ numbers: [Int]) -> ExportOperand {
      .constant(
        Tensor(.int32, shape: [numbers.count], integers: numbers.map { Int32(clamping: $0) }))
    }
    if sizes.allSatisfy({ $0.value != nil }) { return constant(sizes.compactMap(\.value)) }
    var parts: [ExportOperand] = []
    for (position, size) in sizes.enumerated() {
      if let size = size.value {
        parts.append(constant([size]))
      } else if let source = sources[position] {
        parts.append(try self.size(source.value, source.axis))
      } else {
        parts.append(constant([-1]))
      }
    }
    return parts.count == 1
      ? parts[0] : try concatenated(parts, axis: 0, as: TensorType(.int32, [.fixed(parts.count)]))
  }

  /// The size of an axis when the model runs: a vector of one integer.
  mutating func size(_ x: ExportOperand, _ axis: Int) throws(WeighbridgeError) -> ExportOperand {
    let shape = try add("shape", ["x": .value(x)], as: TensorType(.int32, [.fixed(x.type.rank)]))
    return try sliced(shape, axis: 0, axis..<axis + 1)
  }

  /// Reshapes a value. Where several sizes are dynamic, `sources` says of which axes they are.
  mutating func reshaped(
    _ x: ExportOperand, as type: TensorType,
    from sources: [Int: (value: ExportOperand, axis: Int)] = [:]
  ) throws(WeighbridgeError) -> ExportOperand {
    let unknown = type.shape.indices.filter { type.shape[$0].value == nil }
    guard unknown.count(where: { sources[$0] == nil }) <= 1 else {
      throw .unsupported("reshapes to several sizes that are not known: \(type)")
    }
    let target =
      unknown.count <= 1
      ? MILArgument.integers(type.shape.map { $0.value ?? -1 })
      : .value(try shape(type.shape, from: sources))
    return try add("reshape", ["x": .value(x), "shape": target], as: type)
  }

  /// Repeats axes of size 1 to get a shape.
  mutating func broadcast(
    _ x: ExportOperand, to type: TensorType
  ) throws(WeighbridgeError) -> ExportOperand {
    guard x.type.shape != type.shape else { return x }
    if let tensor = x.constant, let shape = type.fixedShape {
      return .constant(tensor.broadcast(to: shape))
    }
    var counts: [Int] = []
    for (old, new) in zip(x.type.shape, type.shape) {
      guard let count = old == new ? 1 : new.value, old == new || old.value == 1 else {
        throw .unsupported("repeats \(x.type) to \(type), whose sizes must be known")
      }
      counts.append(count)
    }
    return try add("tile", ["x": .value(x), "reps": .integers(counts)], as: type)
  }
}
