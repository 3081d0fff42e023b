import Bytes
import ConversionCore
import GraphIR
import LayerCatalog
import ONNXFormat

/// Slices, borders and repetitions by numbers that are known only when the model runs: elements at indices that
/// are computed.
extension ONNXLayer {
  /// Returns one of the numbers of a list, as `[1]` of int64 or another type.
  mutating func entry(
    _ position: Int, of list: ONNXValue, role: String, as elementType: ElementType = .int64
  ) throws(WeighbridgeError) -> ONNXValue {
    if let tensor = list.tensor {
      let number =
        elementType.isFloat ? tensor.doubles[position] : Double(tensor.integers[position])
      return newConstant(Tensor(elementType, shape: [1], [number]), role)
    }
    if case .dimensions(let sizes, _, _) = list {
      return .dimensions([sizes[position]], isList: true)
    }
    let range = Slice.Range(axis: 0, start: position, stop: position + 1, step: 1)
    let entry =
      type(list).shape.first?.value == 1
      ? list : try apply(Slice([range]), to: list, role: "\(role)/entry")
    let flat =
      type(entry).rank == 1
      ? entry : try apply(ReshapeAxes([.fixed(1)]), to: entry, role: "\(role)/list")
    return type(flat).elementType == elementType
      ? flat : try apply(Cast(to: elementType), to: flat, role: role)
  }

  /// The number of entries of a list, if it is known.
  func entryCount(_ list: ONNXValue) -> Int? {
    type(list).rank == 0 ? 1 : type(list).rank == 1 ? type(list).shape[0].value : nil
  }

  /// The size of an axis, as int64 `[1]`.
  func size(of axis: Int, in value: ONNXValue, role: String) -> ONNXValue {
    if let known = type(value).shape[axis].value {
      return newConstant(Tensor(.int64, shape: [1], [Double(known)]), role)
    }
    guard case .computed(let id) = value else { return .dimensions([], isList: true) }
    return .dimensions([.axis(id, axis, times: 1)], isList: true)
  }

  /// Returns a position between limits; one below 0 counts from the end.
  private mutating func clamped(
    _ position: ONNXValue, _ size: ONNXValue, from minimum: Double, lastOffset: Double, role: String
  ) throws(WeighbridgeError) -> ONNXValue {
    let isNegative = try apply(
      Comparison(.less), to: position, number(0, like: position, "zero"),
      role: "\(role)/is_negative")
    let fromEnd = try apply(Add(), to: position, size, role: "\(role)/from_end")
    let chosen = try apply(Where(), to: isNegative, fromEnd, position, role: "\(role)/chosen")
    let last = try apply(
      Add(), to: size, number(lastOffset, like: position, "offset"), role: "\(role)/last")
    let limited = try apply(Minimum(), to: chosen, last, role: "\(role)/limited")
    return try apply(
      Maximum(), to: limited, number(minimum, like: position, "minimum"), role: role)
  }

  /// Adds the elements in ranges along axes, of which some are known only when the model runs.
  mutating func computedSlice(
    _ input: ONNXValue, from starts: ONNXValue, to stops: ONNXValue
  ) throws(WeighbridgeError) -> ONNXValue {
    guard let count = entryCount(starts), entryCount(stops) == count else {
      throw malformed(
        "slices from \(type(starts)) to \(type(stops)), expected two lists of one known length")
    }
    let rawAxes = try integers(3, orAttribute: "axes") ?? Array(0..<count)
    let steps = try constant(4)?.integers ?? rawAxes.map { _ in 1 }
    guard rawAxes.count == count, steps.count == count, !steps.contains(0) else {
      throw malformed(
        "slices the axes \(rawAxes) in steps of \(steps), expected \(count) of each and no step of 0"
      )
    }
    _ = try axes(rawAxes, rank: type(input).rank)
    var result = input
    for (position, (rawAxis, step)) in zip(rawAxes, steps).enumerated() {
      let (axis, role) = (try self.axis(rawAxis, rank: type(input).rank), "axis_\(position)")
      let size = size(of: axis, in: input, role: "\(role)/size")
      // Backwards, the last index is that before the first one, which -1 is.
      let (first, end) = step > 0 ? ((0.0, 0.0), (0.0, 0.0)) : ((0, -1), (-1, -1))
      let start = try clamped(
        try entry(position, of: starts, role: "\(role)/given_start"), size, from: first.0,
        lastOffset: first.1, role: "\(role)/start")
      let stop = try clamped(
        try entry(position, of: stops, role: "\(role)/given_stop"), size, from: end.0,
        lastOffset: end.1, role: "\(role)/stop")
      let stepValue = newConstant(Tensor(.int64, shape: [1], [Double(step)]), "\(role)/step")
      let indices = try range(from: start, to: stop, by: stepValue, role: "\(role)/indices")
      result = try apply(
        Gather(axis: axis), to: result, indices, role: position == count - 1 ? "" : role)
    }
    return result
  }

  /// Adds as many of the first elements along an axis as a number says, of each of some values.
  mutating func leading(
    _ values: [ONNXValue], along axis: Int, count: ONNXValue
  ) throws(WeighbridgeError) -> [ONNXValue] {
    let indices = try self.indices(count: try entry(0, of: count, role: "count"), role: "indices")
    var results: [ONNXValue] = []
    for (position, value) in values.enumerated() {
      results.append(
        try apply(Gather(axis: axis), to: value, indices, role: "part_\(position)"))
    }
    return results
  }

  /// Adds the indices 0, 1, ... of a number of elements, which must not be negative.
  mutating func indices(
    count: ONNXValue, role: String
  ) throws(WeighbridgeError) -> ONNXValue {
    let ones = try filled(with: Tensor(.int64, shape: [1], [1]), count, role: "\(role)/ones")
    return try apply(
      CumSum(axis: 0, isExclusive: true, isReversed: false), to: ones, role: "\(role)/numbers")
  }

  /// Adds parts along an axis, whose sizes are known only when the model runs. Those of a part must not be
  /// negative, and they must be all elements.
  mutating func computedSplit(
    _ input: ONNXValue, _ sizes: ONNXValue, along axis: Int
  ) throws(WeighbridgeError) -> [ONNXValue] {
    let count = node.outputs.count
    guard entryCount(sizes) == count, count > 0 else {
      throw malformed(
        "splits into \(count.counted("part")) of the sizes \(type(sizes)), expected one for each")
    }
    let whole = size(of: axis, in: input, role: "size")
    let (zero, one) = (
      newConstant(Tensor(.int64, shape: [1], [0]), "zero"),
      newConstant(Tensor(.int64, shape: [1], [1]), "one")
    )
    var (start, parts) = (zero, [ONNXValue]())
    for position in 0..<count {
      let role = "part_\(position)"
      let size = try entry(position, of: sizes, role: "\(role)/given_size")
      let indices: ONNXValue
      if position == count - 1 {
        let rest = try range(from: start, to: whole, by: one, role: "\(role)/rest")
        let limited = try apply(Maximum(), to: size, zero, role: "\(role)/size")
        indices = try apply(ReshapeTo(), to: rest, limited, role: "\(role)/indices")
      } else {
        let numbers = try self.indices(count: size, role: role)
        indices = try apply(Add(), to: numbers, start, role: "\(role)/indices")
        start = try apply(Add(), to: start, size, role: "\(role)/end")
      }
      parts.append(try apply(Gather(axis: axis), to: input, indices, role: role))
    }
    return parts
  }

  /// Adds a vector for each index, with one of two values at the index and the other one elsewhere; the length
  /// or the values are known only when the model runs.
  ///
  /// - Parameters:
  ///   - values: The value elsewhere, and that at the index.
  ///   - axis: The axis of the vectors in the output.
  mutating func computedOneHot(
    _ indices: ONNXValue, depth: ONNXValue, _ values: ONNXValue, axis: Int
  ) throws(WeighbridgeError) -> ONNXValue {
    guard entryCount(depth) == 1, entryCount(values) == 2, type(values).rank == 1 else {
      throw malformed(
        "has a depth \(type(depth)) and values \(type(values)), expected one number and a list of two"
      )
    }
    let others = (0...type(indices).rank).filter { $0 != axis }
    let list =
      type(depth).rank == 1
      ? depth : try apply(ReshapeAxes([.fixed(1)]), to: depth, role: "depth/list")
    let count = try apply(Cast(to: .int64), to: list, role: "depth/int64")
    let whole = try apply(Cast(to: .int64), to: indices, role: "indices/int64")
    let rows = try apply(ExpandDims(axes: [axis]), to: whole, role: "indices/rows")
    let counts = try apply(
      ReshapeAxes(others.map { _ in .fixed(1) } + [.fixed(1)]), to: count, role: "depth/rows")
    let fromEnd = try apply(Add(), to: rows, counts, role: "indices/from_end")
    let isNegative = try apply(
      Comparison(.less), to: rows, number(0, like: rows, "zero"), role: "indices/is_negative")
    let positions = try apply(Where(), to: isNegative, fromEnd, rows, role: "indices/positions")
    let numbers = try self.indices(count: count, role: "numbers")
    let column = try apply(ExpandDims(axes: others), to: numbers, role: "numbers/column")
    let isHot = try apply(Comparison(.equal), to: positions, column, role: "is_hot")
    var choices: [ONNXValue] = []
    for position in [1, 0] {
      let range = Slice.Range(axis: 0, start: position, stop: position + 1, step: 1)
      let value = try apply(Slice([range]), to: values, role: "value_\(position)/list")
      let ones = [ReshapeAxes.Size](repeating: .fixed(1), count: type(isHot).rank)
      choices.append(try apply(ReshapeAxes(ones), to: value, role: "value_\(position)"))
    }
    return try apply(Where(), to: isHot, choices[0], choices[1])
  }

  /// Adds borders whose widths are known only when the model runs; negative ones crop.
  ///
  /// - Parameters:
  ///   - pads: The widths before, then after each of the axes.
  ///   - value: Fills a border of the mode `constant`.
  mutating func computedPad(
    _ input: ONNXValue, _ pads: ONNXValue, axes: [Int], _ mode: Pad.Mode, value: Double
  ) throws(WeighbridgeError) -> ONNXValue {
    guard entryCount(pads) == 2 * axes.count else {
      throw malformed(
        "has \(type(pads)) for \(axes.count.counted("axis")), expected two numbers for each")
    }
    var result = input
    for (position, axis) in axes.enumerated() {
      let role = "axis_\(axis)"
      var before = try entry(position, of: pads, role: "\(role)/given_before")
      var after = try entry(position + axes.count, of: pads, role: "\(role)/given_after")
      // Sums of larger numbers would wrap around.
      let most = number(0x1p50, like: before, "most")
      before = try apply(Minimum(), to: before, most, role: "\(role)/before")
      after = try apply(Minimum(), to: after, most, role: "\(role)/after")
      if before.tensor?.doubles == [0], after.tensor?.doubles == [0] { continue }
      let size = size(of: axis, in: input, role: "\(role)/size")
      let zero = number(0, like: before, "zero")
      let start = try apply(Subtract(), to: zero, before, role: "\(role)/start")
      let stop = try apply(Add(), to: size, after, role: "\(role)/stop")
      let count = try apply(Subtract(), to: stop, start, role: "\(role)/count")
      let numbers = try self.indices(count: count, role: "\(role)/new")
      let indices = try apply(Add(), to: numbers, start, role: "\(role)/indices")
      let last = try apply(
        Subtract(), to: size, number(1, like: before, "one"), role: "\(role)/last")
      let limited = try apply(Minimum(), to: indices, last, role: "\(role)/limited")
      let nearest = try apply(Maximum(), to: limited, zero, role: "\(role)/nearest")
      let gathered = try apply(
        Gather(axis: axis), to: result, nearest, role: "\(role)/elements")
      guard mode == .constant else {
        result = gathered
        continue
      }
      let isInside = try apply(
        Comparison(.equal), to: nearest, indices, role: "\(role)/is_inside")
      let others = (0..<type(input).rank).filter { $0 != axis }
      let mask = try apply(ExpandDims(axes: others), to: isInside, role: "\(role)/mask")
      result = try apply(
        Where(), to: mask, gathered, number(value, like: gathered, "border"),
        role: "\(role)/padded")
    }
    return try apply(Identity(), to: result)
  }

  /// Adds repetitions along each axis, whose numbers are known only when the model runs.
  mutating func computedTile(
    _ input: ONNXValue, _ counts: ONNXValue
  ) throws(WeighbridgeError) -> ONNXValue {
    guard entryCount(counts) == type(input).rank else {
      throw malformed("repeats \(type(input)) by \(type(counts)), expected a number for each axis")
    }
    var result = input
    for axis in 0..<type(input).rank {
      let role = "axis_\(axis)"
      let count = try entry(axis, of: counts, role: "\(role)/count")
      if count.tensor?.doubles == [1] { continue }
      let size = size(of: axis, in: input, role: "\(role)/size")
      // As floating-point numbers, the product of any two does not wrap around.
      let factors = try [size, count].enumerated().map {
        (position, value) throws(WeighbridgeError) in
        try apply(Cast(to: .float64), to: value, role: "\(role)/factor_\(position)")
      }
      let product = try apply(Multiply(), factors, role: "\(role)/product")[0]
      let end = try apply(Cast(to: .int64), to: product, role: "\(role)/end")
      let numbers = try self.indices(count: end, role: "\(role)/numbers")
      let indices = try apply(
        BinaryMath(.floorModulo), to: numbers, size, role: "\(role)/indices")
      result = try apply(Gather(axis: axis), to: result, indices, role: "\(role)/elements")
    }
    return try apply(Identity(), to: result)
  }
}
