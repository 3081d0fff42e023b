import Bytes
import GraphIR
import LayerCatalog

/// Operators for floating-point numbers that select among their elements, expressed by others that take
/// integers. No floating-point type has all integers of 64 bits.
extension KerasLayer {
  /// Adds the nodes that compute an operator of integers exactly; the first output of those that have
  /// several has the input's type.
  ///
  /// - Throws: ``WeighbridgeError/Code/unsupported`` for operators that do not only select, and for
  ///   windows over axes of unknown size.
  mutating func addExactly(
    _ operation: some CatalogOperator, of value: ValueID
  ) throws(WeighbridgeError) -> [ValueID] {
    switch operation {
    case let pooling as GlobalMaxPooling:
      let axes = Array(pooling.layout.spatialAxes(rank: graph.type(of: value).rank))
      return try add(Reduce(.maximum, axes: axes, keepDims: pooling.keepDims), [value])
    case let pooling as MaxPooling: return try addExactly(pooling, of: value)
    case let pooling as AdaptiveMaxPooling: return try addExactly(pooling, of: value)
    case let upsampling as Upsampling where upsampling.interpolation == .nearest:
      var result = [value]
      let axes = upsampling.layout.spatialAxes(rank: graph.type(of: value).rank)
      for (axis, factor) in zip(axes, upsampling.factors) {
        result = try add(Repeat(axis: axis, count: factor), result, role: "axis_\(axis)")
      }
      return result
    case let rectifier as ReLU where rectifier.threshold == 0:
      let zero = try number(0, "zero", like: value)
      var positive = try add(Maximum(), [value, zero], role: "positive")
      if let maximum = rectifier.maximum {
        positive = try add(
          Minimum(), positive + [try number(maximum, "maximum", like: value)], role: "limited")
      }
      return rectifier.slope == 0 ? positive : try addSlope(of: rectifier, value, to: positive)
    case let operation as Threshold where operation.threshold.isFinite:
      // An integer is above a number if it is above the largest integer that is not.
      let bound = try number(operation.threshold.rounded(.down), "threshold", like: value)
      let isAbove = try add(Comparison(.greater), [value, bound], role: "is_above")
      let other = try number(operation.replacement, "replacement", like: value)
      return try add(Where(), isAbove + [value, other])
    case let masking as Masking: return try addExactly(masking, of: value)
    default:
      throw .unsupported(
        "takes \(graph.type(of: value)); of integers of 64 bits, \(operation.kind) is not exact")
    }
  }

  /// Adds what a rectifier with a slope lets pass of the integers below its threshold. They wrap around, the
  /// least one when its sign changes; the slope is cut to an integer.
  mutating func addSlope(
    of rectifier: ReLU, _ value: ValueID, to positive: [ValueID]
  ) throws(WeighbridgeError) -> [ValueID] {
    let type = graph.type(of: value)
    guard type.elementType.isSignedInteger else {
      throw .unsupported("has a slope for \(type), which TensorFlow does not compute either")
    }
    guard !writer.isJAX else {
      throw .unsupported(
        "has a slope for \(type) with a limit or a threshold, which on JAX is supported for floating-point "
          + "numbers only")
    }
    let threshold = try number(
      wrapping(rectifier.threshold, in: type.elementType), "slope_end", like: value)
    let below = try add(Subtract(overflow: .wrap), [threshold, value], role: "below")
    let zero = try number(0, "no_slope", like: value)
    let negative = try add(Maximum(), below + [zero], role: "negative")
    let slope = try number(
      wrapping(rectifier.slope, in: type.elementType), "slope", like: value)
    let scaled = try add(Multiply(overflow: .wrap), negative + [slope], role: "scaled")
    return try add(Subtract(overflow: .wrap), positive + scaled)
  }

  /// The largest of the elements at each place of the window: one strided part of the input for each.
  private mutating func addExactly(
    _ pooling: MaxPooling, of value: ValueID
  ) throws(WeighbridgeError) -> [ValueID] {
    let (window, type) = (pooling.window, graph.type(of: value))
    let axes = Array(pooling.layout.spatialAxes(rank: type.rank))
    guard axes.count == window.size.count else {
      throw .malformed("pools \(type), expected \(window.size.count.counted("axis")) to pool")
    }
    var placements: [Window.Placement] = []
    for (position, dimension) in try dimensions(axes, of: type).enumerated() {
      do throws(ShapeError) {
        placements.append(try window.placement(position, dimension: dimension))
      } catch { throw .malformed(error.reason) }
    }
    let counts = window.size.map { min($0, 1 << 10) }
    guard counts.reduce(1, { min($0 * $1, 1 << 10) }) < 1 << 10 else {
      throw .unsupported(
        "pools \(type) in a window of \(window.size); one of integers of 64 bits has up to 1023 elements"
      )
    }
    var (before, after) = (type.shape.map { _ in 0 }, type.shape.map { _ in 0 })
    for (axis, placement) in zip(axes, placements) {
      (before[axis], after[axis]) = (placement.before, placement.after)
    }
    let lowest = type.elementType.integerBounds.minimum
    let padded = try add(
      Pad(before: before, after: after, mode: .constant, value: lowest), [value], role: "padded")
    var parts: [ValueID] = []
    for place in 0..<counts.reduce(1, *) {
      var (rest, ranges) = (place, [Slice.Range]())
      for (position, axis) in axes.enumerated() {
        let (start, step) = (rest % counts[position], window.strides[position])
        rest /= counts[position]
        let stop = start + (placements[position].count - 1) * step + 1
        ranges.append(Slice.Range(axis: axis, start: start, stop: stop, step: step))
      }
      parts += try add(Slice(ranges), padded, role: "part_\(place)")
    }
    return parts.count > 1 ? try add(Maximum(), parts) : parts
  }

  /// The largest of the elements that each element covers, along one axis after another.
  private mutating func addExactly(
    _ pooling: AdaptiveMaxPooling, of value: ValueID
  ) throws(WeighbridgeError) -> [ValueID] {
    let axes = Array(pooling.layout.spatialAxes(rank: graph.type(of: value).rank))
    let sizes = try dimensions(axes, of: graph.type(of: value))
    guard pooling.dimensions.allSatisfy({ $0 <= 1 << 10 }), sizes.count == pooling.dimensions.count
    else {
      throw .unsupported(
        "pools integers of 64 bits to \(pooling.dimensions), expected \(sizes.count.counted("size")) of "
          + "up to 1024")
    }
    var result = value
    for (position, axis) in axes.enumerated() {
      let count = pooling.dimensions[position]
      var parts: [ValueID] = []
      for output in 0..<count {
        let range = pooling.range(output, from: sizes[position], to: count)
        let slice = Slice([
          .init(axis: axis, start: range.lowerBound, stop: range.upperBound, step: 1)
        ])
        let window = try add(slice, [result], role: "window_\(axis)_\(output)")
        parts += try add(
          Reduce(.maximum, axes: [axis], keepDims: true), window, role: "part_\(axis)_\(output)")
      }
      result =
        count == 1
        ? parts[0] : try add(Concatenate(axis: axis), parts, role: "axis_\(axis)")[0]
    }
    return [result]
  }

  /// The input with 0 in the place of steps all of whose features are the value, and the mask.
  private mutating func addExactly(
    _ masking: Masking, of value: ValueID
  ) throws(WeighbridgeError) -> [ValueID] {
    let type = graph.type(of: value)
    guard type.rank >= 2 else { throw .malformed("takes steps, not \(type)") }
    let isWhole = masking.value == masking.value.rounded()
    let differs = try add(
      Comparison(isWhole ? .notEqual : .equal),
      [value, isWhole ? try number(masking.value, "mask_value", like: value) : value],
      role: "differs")
    let last = type.rank - 1
    let isStep = try add(
      Reduce(.any, axes: [last], keepDims: true), differs, role: "is_step")
    let zero = try number(0, "zero", like: value)
    return try add(Where(), isStep + [value, zero])
      + add(Reduce(.any, axes: [last], keepDims: false), differs, role: "mask")
  }

  /// What the backend compares integers with: TensorFlow converts a number to their type, JAX does not.
  func wrapping(_ number: Double, in type: ElementType) -> Double {
    writer.isJAX ? number : type.wrapping(number)
  }

  /// A constant of one element with the type and rank of a value.
  private mutating func number(
    _ number: Double, _ role: String, like value: ValueID
  ) throws(WeighbridgeError) -> ValueID {
    let type = graph.type(of: value)
    return try constant(
      role, Tensor(type.elementType, shape: type.shape.map { _ in 1 }, [number]))
  }
}

extension ElementType {
  /// What TensorFlow makes of a number as a constant of this type: of integers, the whole part modulo 2^bits.
  func wrapping(_ number: Double) -> Double {
    guard isInteger, let whole = Int64(exactly: number.rounded(.towardZero)) else { return number }
    return Tensor(wrapping: self, shape: [], [whole]).doubles[0]
  }
}
